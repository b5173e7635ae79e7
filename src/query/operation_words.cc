#include "query/operation_words.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "query/operation_index.h"

namespace ki::query {
namespace {

constexpr float kNameWeight = 1.0F;
constexpr float kOtherWeight = 0.4F;

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_alnum(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

}  // namespace

// What is needed only until everything is added.
struct OperationWords::Building {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string_view, std::size_t> pool;  // text -> its place in texts_
  std::vector<std::size_t> last;                           // place of each trigram's last use
  std::unordered_set<std::string, Hash, std::equal_to<>> words;

  void add_words(std::string_view text) {
    const std::string lower = ascii_lower(text);
    for (std::size_t at = 0; at < lower.size(); ++at) {
      std::size_t end = at;
      while (end < lower.size() && is_alnum(lower[end])) ++end;
      const auto word = std::string_view(lower).substr(at, end - at);
      if (!word.empty() && !words.contains(word)) words.emplace(word);
      at = end;
    }
  }
};

OperationWords::OperationWords(std::span<const OperationEntry> entries)
    : operations_(entries.size()) {
  Building building;
  for (std::uint32_t i = 0; i < entries.size(); ++i) add_operation(entries[i], i, building);
  auto& words = building.words;
  while (!words.empty()) words_.push_back(std::move(words.extract(words.begin()).value()));
  std::ranges::sort(words_);
}

void OperationWords::add_operation(const OperationEntry& entry, std::uint32_t at,
                                   Building& building) {
  const Part document[] = {
      {entry.name, kNameWeight}, {entry.family, kOtherWeight}, {entry.slug, kOtherWeight}};
  for (WeightedLexeme& lexeme : lexemes_of(document)) {
    Postings& postings = lexemes_[std::move(lexeme.text)];
    postings.operations.push_back(at);
    postings.occurrences.push_back(lexeme.occurrence);
  }
  const auto compare_with = [&](std::string_view text) {
    const auto [found, added] = building.pool.try_emplace(text, texts_.size());
    if (added) add_text(text, building);
    auto& operations = texts_[found->second].operations;
    if (operations.empty() || operations.back() != at) operations.push_back(at);
  };
  // Views, not copies: the pool keeps them while it is built.
  const std::string_view names[] = {entry.name, entry.slug, entry.family};
  std::ranges::for_each(names, compare_with);
  for (const std::string_view tag : entry.tags) {
    compare_with(tag.starts_with("model:") ? tag.substr(6) : tag);
  }
  for (const auto& alias : entry.aliases) building.add_words(alias);
}

void OperationWords::add_text(std::string_view text, Building& building) {
  const std::size_t first = trigrams_.size();
  for (const Trigram trigram : trigrams_of(text)) {
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    const auto [number, is_new] = numbers_.try_emplace(trigram, next);
    if (is_new) building.last.push_back(0);
    std::size_t& last = building.last[number->second];
    const bool repeated = !is_new && last >= first;
    previous_.push_back(repeated ? static_cast<std::int32_t>(last - first) : -1);
    last = trigrams_.size();
    trigrams_.push_back(number->second);
  }
  texts_.push_back({.first = first, .size = trigrams_.size() - first, .operations = {}});
  building.add_words(text);
}

bool OperationWords::knows(std::string_view word) const {
  const auto found = std::ranges::lower_bound(words_, word);
  return found != words_.end() && std::string_view(*found).starts_with(word);
}

std::string_view OperationWords::nearest_word(std::string_view word) const {
  std::vector<std::string_view> candidates;
  for (const auto& known : words_) {
    const std::size_t longer = std::max(known.size(), word.size());
    const std::size_t shorter = std::min(known.size(), word.size());
    // A word of digits and letters (h4096, k2048) is a size, not a misspelling of another size.
    if (longer - shorter <= 2 && shorter >= 4 && std::ranges::all_of(known, is_letter)) {
      candidates.push_back(known);
    }
  }
  return nearest(word, candidates);
}

double OperationWords::likeness(const std::string& term) const {
  std::vector<double> scores(operations_);
  add_similarities({term}, scores);
  return scores.empty() ? 0 : std::ranges::max(scores) / 10;
}

void OperationWords::add_ranks(std::string_view phrase, std::vector<double>& scores) const {
  const auto lexemes = query_lexemes(phrase);
  std::unordered_map<std::uint32_t, std::vector<std::span<const Occurrence>>> found;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    const auto postings = lexemes_.find(lexemes[i]);
    if (postings == lexemes_.end()) continue;
    const auto& [operations, occurrences] = postings->second;
    for (std::size_t at = 0; at < operations.size();) {
      const std::size_t first = at;
      while (at < operations.size() && operations[at] == operations[first]) ++at;
      auto& places = found[operations[first]];
      places.resize(lexemes.size());
      places[i] = std::span(occurrences).subspan(first, at - first);
    }
  }
  for (const auto& [operation, places] : found) scores[operation] += 50 * rank_of(places);
}

void OperationWords::add_similarities(const std::vector<std::string>& terms,
                                      std::vector<double>& scores) const {
  std::vector<double> best(scores.size());
  std::vector<std::uint8_t> number_in_term(numbers_.size());
  std::vector<std::uint8_t> marks;
  for (const auto& term : terms) {
    auto set = trigram_set_of(term);
    if (set.size() > kTermTrigramsMax) set.resize(kTermTrigramsMax);
    std::ranges::fill(best, 0);
    std::ranges::fill(number_in_term, std::uint8_t{0});
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto found = numbers_.find(set[i]);
      if (found != numbers_.end()) {
        number_in_term[found->second] = static_cast<std::uint8_t>(i + 1);
      }
    }
    for (const Text& text : texts_) {
      marks.clear();
      bool any = false;
      for (const auto trigram : std::span(trigrams_).subspan(text.first, text.size)) {
        marks.push_back(number_in_term[trigram]);
        any |= marks.back() != 0;
      }
      if (!any) continue;
      const auto previous = std::span(previous_).subspan(text.first, text.size);
      const double share = best_stretch(marks, previous, set.size());
      for (const auto operation : text.operations) {
        best[operation] = std::max(best[operation], share);
      }
    }
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += 10 * best[i];
  }
}

}  // namespace ki::query
