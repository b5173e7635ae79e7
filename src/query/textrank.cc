#include "query/textrank.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "query/stem.h"

namespace ki::query {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of multi-byte characters count as letters.
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view run_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

bool is_number(std::string_view word) { return std::ranges::all_of(word, is_digit); }

// Where the hyphenated word that starts with `first` at `at` ends: its further parts may start with
// a digit but must hold a letter.
std::size_t compound_end(std::string_view text, std::size_t at, std::string_view first) {
  std::size_t end = at + first.size();
  if (is_number(first)) return end;
  while (end < text.size() && text[end] == '-') {
    const std::string_view part = run_at(text, end + 1);
    if (part.empty() || is_number(part)) break;
    end += 1 + part.size();
  }
  return end;
}

class Emitter {
 public:
  void word(std::string_view text) {
    ++position_;
    const std::string lower = ascii_lower(text);
    if (is_english_stop_word(lower)) return;
    out.push_back({.text = stem_english(lower), .position = position_});
  }
  std::vector<Lexeme> out;

 private:
  std::int32_t position_ = 0;
};

}  // namespace

std::vector<Lexeme> lexemes_of(std::string_view text) {
  Emitter emit;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool sign = text[at] == '-' && at + 1 < text.size() && is_digit(text[at + 1]);
    if (sign) {  // a signed number
      std::size_t end = at + 1;
      while (end < text.size() && is_digit(text[end])) ++end;
      emit.word(text.substr(at, end - at));
      at = end;
      continue;
    }
    const std::string_view run = run_at(text, at);
    if (run.empty()) {
      ++at;
      continue;
    }
    const std::size_t end = compound_end(text, at, run);
    if (end > at + run.size()) emit.word(text.substr(at, end - at));
    for (; at < end; ++at) {
      const std::string_view part = run_at(text, at);
      emit.word(part);
      at += part.size();
    }
    at = end;
  }
  return std::move(emit.out);
}

std::vector<WeightedLexeme> lexemes_of(std::span<const Part> document) {
  std::vector<WeightedLexeme> out;
  std::int32_t base = 0;
  for (const Part& part : document) {
    auto lexemes = lexemes_of(part.text);
    for (Lexeme& lexeme : lexemes) {
      out.push_back({std::move(lexeme.text), {base + lexeme.position, part.weight}});
    }
    if (!lexemes.empty()) base += lexemes.back().position;
  }
  return out;
}

std::vector<std::string> query_lexemes(std::string_view phrase) {
  std::vector<std::string> out;
  for (auto& lexeme : lexemes_of(phrase)) out.push_back(std::move(lexeme.text));
  std::ranges::sort(out);
  const auto [first, last] = std::ranges::unique(out);
  out.erase(first, last);
  return out;
}

namespace {

// Alternatives and single words: every occurrence helps, later ones ever less.
double rank_single(std::span<const Occurrence> occurrences) {
  if (occurrences.empty()) return 0;
  double sum = 0;
  double best = -1;
  double best_share = 0;
  for (std::size_t j = 0; j < occurrences.size(); ++j) {
    const double square = static_cast<double>((j + 1) * (j + 1));
    const double weight = static_cast<double>(occurrences[j].weight);
    sum += weight / square;
    if (weight > best) {
      best = weight;
      best_share = weight / square;
    }
  }
  return (best + sum - best_share) / 1.64493406685;
}

double nearness(std::int32_t distance) {
  if (distance > 100) return 1e-30;
  return 1.0 / (1.005 + 0.05 * std::exp(static_cast<double>(distance) / 1.5 - 2));
}

}  // namespace

double rank_of(std::span<const std::span<const Occurrence>> found) {
  if (found.empty()) return 0;
  if (found.size() == 1) return rank_single(found[0]);
  double rank = -1;
  for (std::size_t i = 1; i < found.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (const Occurrence& a : found[i]) {
        for (const Occurrence& b : found[k]) {
          const std::int32_t distance = std::abs(a.position - b.position);
          if (distance == 0) continue;
          const double pair =
              std::sqrt(static_cast<double>(a.weight * b.weight) * nearness(distance));
          rank = rank < 0 ? pair : 1 - (1 - rank) * (1 - pair);
        }
      }
    }
  }
  return rank < 0 ? 1e-20 : rank;
}

}  // namespace ki::query
