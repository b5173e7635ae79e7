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

  // The best similarity of a term to any name, slug, family or tag: 0 to 1.
  double likeness(const std::string& term) const;

  // Whether some name, slug, family, alias or tag holds a word that starts with `word`.
  bool knows(std::string_view word) const;
  // The word that a misspelt one most likely means; "" when none is near. Sizes (h4096) never are.
  std::string_view nearest_word(std::string_view word) const;

 private:
  // A name, slug, family or tag, which operations may share.
  struct Text {
    std::size_t first = 0;  // of its trigrams
    std::size_t size = 0;
    std::vector<std::uint32_t> operations;
  };
  // Occurrences of a lexeme; `operations[i]` has the i-th, and they ascend.
  struct Postings {
    std::vector<std::uint32_t> operations;
    std::vector<Occurrence> occurrences;
  };
  struct Building;

  void add_operation(const OperationEntry& entry, std::uint32_t at, Building& building);
  void add_text(std::string_view text, Building& building);

  std::unordered_map<std::string, Postings> lexemes_;
  std::size_t operations_;
  std::vector<Text> texts_;
  std::unordered_map<Trigram, std::uint32_t> numbers_;  // every trigram has a number
  std::vector<std::uint32_t> trigrams_;                 // of all texts, by number
  std::vector<std::int32_t> previous_;                  // see previous_places
  std::vector<std::string> words_;                      // ascending, distinct
};

}  // namespace ki::query
