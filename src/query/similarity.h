// Word similarity by trigrams as docs/method/search.md defines it (PostgreSQL's pg_trgm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ki::query {

using Trigram = std::uint64_t;  // three code points

// The trigrams of a text in text order: each run of letters and digits, lower-cased and padded with
// two blanks in front and one behind, cut into windows of three characters.
std::vector<Trigram> trigrams_of(std::string_view text);

// The same as a set, ascending.
std::vector<Trigram> trigram_set_of(std::string_view text);

// For each element, the place of the nearest equal element before it, -1 for the first of a kind.
// Quadratic: texts here are names.
template <class T>
std::vector<std::int32_t> previous_places(const std::vector<T>& sequence) {
  std::vector<std::int32_t> previous(sequence.size(), -1);
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    for (std::size_t j = i; j-- > 0 && previous[i] < 0;) {
      if (sequence[j] == sequence[i]) previous[i] = static_cast<std::int32_t>(j);
    }
  }
  return previous;
}

// The largest share of common trigrams between a term and any contiguous stretch of a text, in
// [0, 1]. `marks[i]` is 0 when the term (of `term_size` distinct trigrams, at most
// kTermTrigramsMax) lacks the text's i-th trigram, else its number in the term counted from 1;
// `previous` as above.
double best_stretch(std::span<const std::uint8_t> marks, std::span<const std::int32_t> previous,
                    std::size_t term_size);
inline constexpr std::size_t kTermTrigramsMax = 64;  // longer terms are compared by their first 64

// The same for a term as a set (ascending): 1 when the text holds the term as a whole word.
double word_similarity(std::span<const Trigram> term, const std::vector<Trigram>& text);

}  // namespace ki::query
