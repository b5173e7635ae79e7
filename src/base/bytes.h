// Texts as numbers, for code that compares or copies many short ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ki {

static_assert(std::endian::native == std::endian::little, "bytes are read as they stand in memory");

template <class Word>
std::uint64_t load_bytes(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The first eight bytes of a text, the first one lowest, with zeros behind a shorter text.
constexpr std::uint64_t first_bytes(std::string_view text) {
  constexpr std::size_t kBytes = sizeof(std::uint64_t);
  const std::size_t size = text.size();
  if consteval {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size && i < kBytes; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << 8 * i;
    }
    return word;
  } else {
    // Overlapping reads of a fixed size cost less than a copy of a size that varies.
    const char* from = text.data();
    if (size >= kBytes) return load_bytes<std::uint64_t>(from);
    if (size >= 4) {
      return load_bytes<std::uint32_t>(from) | load_bytes<std::uint32_t>(from + size - 4)
                                                   << 8 * (size - 4);
    }
    if (size == 0) return 0;
    const std::size_t middle = size / 2;
    return load_bytes<std::uint8_t>(from) | load_bytes<std::uint8_t>(from + middle) << 8 * middle |
           load_bytes<std::uint8_t>(from + size - 1) << 8 * (size - 1);
  }
}

// Equal for equal texts, different for most others: the first bytes and the length.
constexpr std::uint64_t mark_of(std::string_view text) {
  return first_bytes(text) ^ static_cast<std::uint64_t>(text.size()) << 56;
}

// a == b without a library call, for names: they are short and mostly differ in length already.
inline bool same_bytes(std::string_view a, std::string_view b) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::size_t size = a.size();
  if (size != b.size() || first_bytes(a) != first_bytes(b)) return false;
  const auto same_at = [&](std::size_t at) {
    return load_bytes<std::uint64_t>(a.data() + at) == load_bytes<std::uint64_t>(b.data() + at);
  };
  for (std::size_t at = kWord; at + kWord < size; at += kWord) {
    if (!same_at(at)) return false;
  }
  return size <= kWord || same_at(size - kWord);
}

}  // namespace ki
