// Full-text rank as docs/method/search.md defines it: PostgreSQL's ts_rank over a document of
// weighted parts, restated so that an operation found here ranks as it does in the public index.
#pragma once

#include <cstdint>
#include <span>
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

// A document is made of parts in order; positions are counted through them.
struct Part {
  std::string_view text;
  float weight = 0;
};
struct WeightedLexeme {
  std::string text;
  Occurrence occurrence;
};
// Those of one lexeme ascend by position.
std::vector<WeightedLexeme> lexemes_of(std::span<const Part> document);

// The distinct lexemes a phrase asks for, in ascending order.
std::vector<std::string> query_lexemes(std::string_view phrase);

// `found[i]` are the occurrences of the i-th query lexeme, empty when the document lacks it.
double rank_of(std::span<const std::span<const Occurrence>> found);

}  // namespace ki::query
