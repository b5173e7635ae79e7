#include "query/operation_words.h"

#include <algorithm>
#include <iterator>
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

OperationWords::OperationWords(std::span<const OperationEntry> entries) {
  Pool pool;
  for (std::uint32_t i = 0; i < entries.size(); ++i) add_operation(entries[i], i, pool);
  // Names share most of their words: sorting the distinct ones is half the work.
  std::unordered_set<std::string> distinct(std::make_move_iterator(words_.begin()),
                                           std::make_move_iterator(words_.end()));
  words_.clear();
  while (!distinct.empty()) words_.push_back(std::move(distinct.extract(distinct.begin()).value()));
  std::ranges::sort(words_);
}

void OperationWords::add_operation(const OperationEntry& entry, std::uint32_t at, Pool& pool) {
  WeightedText document;
  document.append(entry.name, kNameWeight);
  document.append(entry.family, kOtherWeight);
  document.append(entry.slug, kOtherWeight);
  for (const auto& word : document.entries()) {
    lexemes_[word.lexeme].push_back({.operation = at, .occurrences = word.occurrences});
  }
  std::vector<std::string_view> compared = {entry.name, entry.slug, entry.family};
  for (const std::string_view tag : entry.tags) {
    compared.push_back(tag.starts_with("model:") ? tag.substr(6) : tag);
  }
  for (const auto text : compared) {
    const auto next = static_cast<std::uint32_t>(texts_.size());
    const auto [found, added] = pool.try_emplace(std::string(text), next);
    if (added) add_text(text, found->second);
    Many& operations = texts_[found->second].operations;
    if (operations.empty() || operations.back() != at) operations.push_back(at);
  }
  for (const auto& alias : entry.aliases) add_words(alias);
}

void OperationWords::add_text(std::string_view text, std::uint32_t at) {
  const auto trigrams = trigrams_of(text);
  Text& added = texts_.emplace_back();
  added.trigrams.reserve(trigrams.size());
  for (const Trigram trigram : trigrams) {
    const auto next = static_cast<std::uint32_t>(trigrams_.size());
    const auto [number, is_new] = trigrams_.try_emplace(trigram, next);
    if (is_new) texts_with_.emplace_back();
    // Texts come in ascending order, so a list that ends with this text already has it.
    Many& with = texts_with_[number->second];
    if (with.empty() || with.back() != at) with.push_back(at);
    added.trigrams.push_back(number->second);
  }
  added.previous = previous_places(added.trigrams);
  add_words(text);
}

void OperationWords::add_words(std::string_view text) {
  const std::string lower = ascii_lower(text);
  std::string word;
  for (const char c : lower + " ") {
    if (is_alnum(c)) {
      word += c;
    } else if (!word.empty()) {
      words_.push_back(std::move(word));
      word.clear();
    }
  }
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

void OperationWords::add_ranks(std::string_view phrase, std::vector<double>& scores) const {
  static const std::vector<Occurrence> kAbsent;
  const auto lexemes = query_lexemes(phrase);
  std::unordered_map<std::uint32_t, std::vector<const std::vector<Occurrence>*>> found;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    const auto postings = lexemes_.find(lexemes[i]);
    if (postings == lexemes_.end()) continue;
    for (const Posting& posting : postings->second) {
      auto& places = found[posting.operation];
      places.resize(lexemes.size(), &kAbsent);
      places[i] = &posting.occurrences;
    }
  }
  for (const auto& [operation, places] : found) scores[operation] += 50 * rank_of(places);
}

void OperationWords::add_similarities(const std::vector<std::string>& terms,
                                      std::vector<double>& scores) const {
  std::vector<double> best(scores.size());
  std::vector<bool> seen(texts_.size());
  std::vector<std::uint8_t> number_in_term(texts_with_.size());
  std::vector<std::uint8_t> marks;
  for (const auto& term : terms) {
    auto set = trigram_set_of(term);
    if (set.size() > kTermTrigramsMax) set.resize(kTermTrigramsMax);
    std::ranges::fill(best, 0);
    seen.assign(texts_.size(), false);
    std::ranges::fill(number_in_term, std::uint8_t{0});
    std::vector<std::uint32_t> known;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto found = trigrams_.find(set[i]);
      if (found == trigrams_.end()) continue;
      known.push_back(found->second);
      number_in_term[found->second] = static_cast<std::uint8_t>(i + 1);
    }
    for (const auto number : known) {
      for (const auto at : texts_with_[number]) {
        if (seen[at]) continue;
        seen[at] = true;
        const Text& text = texts_[at];
        marks.clear();
        for (const auto trigram : text.trigrams) marks.push_back(number_in_term[trigram]);
        const double share = best_stretch(marks, text.previous, set.size());
        for (const auto operation : text.operations) {
          best[operation] = std::max(best[operation], share);
        }
      }
    }
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += 10 * best[i];
  }
}

}  // namespace ki::query
