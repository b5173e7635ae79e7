#include "query/similarity.h"

#include <algorithm>
#include <bit>

namespace ki::query {
namespace {

bool is_word(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

// The next character of valid UTF-8; a stray byte counts as one character.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length && at + i < text.size(); ++i) {
    code = code << 6U | (byte(at + i) & 0x3FU);
  }
  at = std::min(at + length, text.size());
  return code;
}

Trigram pack(char32_t a, char32_t b, char32_t c) {
  return Trigram{a} << 42U | Trigram{b} << 21U | Trigram{c};
}

}  // namespace

std::vector<Trigram> trigrams_of(std::string_view text) {
  std::vector<Trigram> out;
  out.reserve(text.size() + text.size() / 2 + 1);  // of one-letter words the most
  char32_t a = ' ';
  char32_t b = ' ';
  const auto add = [&](char32_t c) {
    out.push_back(pack(a, b, c));
    a = b;
    b = c;
  };
  const auto end_word = [&] {
    if (b == ' ') return;
    add(' ');
    a = ' ';
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_word(c)) {
      add(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    } else {
      end_word();
    }
  }
  end_word();
  return out;
}

std::vector<Trigram> trigram_set_of(std::string_view text) {
  auto out = trigrams_of(text);
  std::ranges::sort(out);
  const auto [first, last] = std::ranges::unique(out);
  out.erase(first, last);
  return out;
}

double best_stretch(std::span<const std::uint8_t> marks, std::span<const std::int32_t> previous,
                    std::size_t term_size) {
  double best = 0;
  // A best stretch starts and ends at a trigram of the term: anything else only widens the union.
  for (std::size_t start = 0; start < marks.size(); ++start) {
    if (marks[start] == 0) continue;
    std::uint64_t common = 0;
    std::size_t others = 0;
    for (std::size_t i = start; i < marks.size(); ++i) {
      if (marks[i] == 0) {
        if (previous[i] < static_cast<std::int32_t>(start)) ++others;
        continue;
      }
      common |= std::uint64_t{1} << (marks[i] - 1U);
      const double share =
          static_cast<double>(std::popcount(common)) / static_cast<double>(term_size + others);
      best = std::max(best, share);
    }
  }
  return best;
}

double word_similarity(std::span<const Trigram> term, const std::vector<Trigram>& text) {
  term = term.first(std::min(term.size(), kTermTrigramsMax));
  std::vector<std::uint8_t> marks(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto found = std::ranges::lower_bound(term, text[i]);
    if (found == term.end() || *found != text[i]) continue;
    marks[i] = static_cast<std::uint8_t>(found - term.begin() + 1);
  }
  return best_stretch(marks, previous_places(text), term.size());
}

}  // namespace ki::query
