// The words of all operations, for the two parts of a hit's score that look at every operation:
// full-text rank and trigram similarity. Immutable once built; building takes milliseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/similarity.h"
#include "query/textrank.h"

namespace ki::query {

struct OperationEntry;

class OperationWords {
 public:
  explicit OperationWords(std::span<const OperationEntry> entries);

  // Adds 50 times the full-text rank of the phrase, by operation.
  void add_ranks(std::string_view phrase, std::vector<double>& scores) const;
  // Adds 10 times each term's best similarity to a name, slug, family or tag, by operation.
  void add_similarities(const std::vector<std::string>& terms, std::vector<double>& scores) const;

  // Whether some name, slug, family, alias or tag holds a word that starts with `word`.
  bool knows(std::string_view word) const;
  // The word that a misspelt one most likely means; "" when none is near. Sizes (h4096) never are.
  std::string_view nearest_word(std::string_view word) const;

 private:
  struct Text {
    std::vector<std::uint32_t> trigrams;  // numbers, see trigrams_
    std::vector<std::int32_t> previous;
    std::vector<std::uint32_t> operations;
  };
  struct Posting {
    std::uint32_t operation = 0;
    std::vector<Occurrence> occurrences;
  };
  using Many = std::vector<std::uint32_t>;
  using Pool = std::unordered_map<std::string, std::uint32_t>;

  void add_operation(const OperationEntry& entry, std::uint32_t at, Pool& pool);
  void add_text(std::string_view text, std::uint32_t at);
  void add_words(std::string_view text);

  std::unordered_map<std::string, std::vector<Posting>> lexemes_;
  std::vector<Text> texts_;
  std::unordered_map<Trigram, std::uint32_t> trigrams_;  // every trigram has a number
  std::vector<Many> texts_with_;                         // by that number
  std::vector<std::string> words_;                       // ascending, distinct
};

}  // namespace ki::query
