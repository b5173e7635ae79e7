// Full-text rank as docs/method/search.md defines it: PostgreSQL's ts_rank over a document of
// weighted parts, restated so that an operation found here ranks as it does in the public index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

// The lexemes of a text in order, with word positions counted from 1. A hyphenated word gives
// itself and then its parts; English stop words keep their position and give nothing.
struct Lexeme {
  std::string text;
  std::int32_t position = 0;
};
std::vector<Lexeme> lexemes_of(std::string_view text);

// Word positions of one lexeme in one document, ascending, each with the weight of its part.
struct Occurrence {
  std::int32_t position = 0;
  float weight = 0;
};

// A document: parts appended in order, positions counted through.
class WeightedText {
 public:
  void append(std::string_view text, float weight);
  // Distinct lexemes in ascending order with their occurrences.
  struct Entry {
    std::string lexeme;
    std::vector<Occurrence> occurrences;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::int32_t last_ = 0;
};

// The distinct lexemes a phrase asks for, in ascending order.
std::vector<std::string> query_lexemes(std::string_view phrase);

// `found[i]` are the occurrences of the i-th query lexeme, empty when the document lacks it.
double rank_of(const std::vector<const std::vector<Occurrence>*>& found);

}  // namespace ki::query
