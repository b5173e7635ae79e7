// The layout of a snapshot file, as it lies in memory. docs/formats/snapshot.md describes it for
// others. Little-endian; every section starts at a multiple of 8 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace ki::embed {

inline constexpr std::array<char, 8> kMagic = {'K', 'I', 'S', 'N', 'A', 'P', '\r', '\n'};
inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kAlignment = 8;

// A text is an offset into the section `text`, where it ends with NUL; 0 is "".
using Text = std::uint32_t;

struct Name {  // sorted by the bytes of the text, each once
  Text text;
  std::uint32_t id;  // from 1
};

struct Axis {
  Text name;
  std::uint32_t unused;
  std::int64_t value;
};

struct Case {
  std::uint64_t hash;
  Text operation;  // its slug
  std::uint32_t operation_id;
  Text dtype;
  std::uint32_t dtype_id;  // 0: not stated
  Text hardware;
  std::uint32_t hardware_id;  // 0: not stated
  Text pass;
  std::uint32_t axes_begin;
  std::uint32_t axes_count;
  std::uint32_t answer;
};

struct Answer {
  Text comparison_key;
  Text hardware;
  Text metric;
  Text unit;
  Text statistic;
  Text verdict;
  std::uint32_t candidates_begin;
  std::uint32_t candidates_count;
};

enum Flag : std::uint32_t { shares_rank = 1, source_available = 2, deployable = 4 };

struct Candidate {
  double value;
  double low;  // NaN: unknown
  double high;
  Text implementation;
  Text name;
  Text project;
  Text run;
  Text language;
  Text framework;
  Text install;
  Text license;
  std::int32_t rank;       // 0: none
  std::uint32_t evidence;  // 1 to 4
  std::uint32_t flags;
  std::uint32_t unused;
};

enum Section : std::size_t {
  texts,
  operations,
  dtypes,
  hardware,
  axes,
  cases,
  buckets,  // index of a case + 1, 0 for none; open addressing over a power of two
  answers,
  candidates,
};
inline constexpr std::size_t kSections = Section::candidates + 1;
inline constexpr std::array<std::size_t, kSections> kStride = {
    1,
    sizeof(Name),
    sizeof(Name),
    sizeof(Name),
    sizeof(Axis),
    sizeof(Case),
    sizeof(std::uint32_t),
    sizeof(Answer),
    sizeof(Candidate),
};

struct Extent {
  std::uint64_t offset;  // from the start of the file
  std::uint64_t count;   // of items
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t file_bytes;
  std::array<std::uint8_t, 32> digest;  // SHA-256 of all that follows this field
  Text catalog;
  Text policy;
  std::array<Extent, kSections> sections;
};
inline constexpr std::size_t kDigestedFrom = offsetof(Header, catalog);

static_assert(sizeof(Name) == 8 && sizeof(Axis) == 16 && sizeof(Case) == 48 &&
              sizeof(Answer) == 32 && sizeof(Candidate) == 72 && sizeof(Header) == 208);

// ---- the hash of a case: the same whatever order its axes come in

constexpr std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

constexpr std::uint64_t hash_of_text(std::string_view text) {  // FNV-1a, 64 bits
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

constexpr std::uint64_t hash_of_axis(std::string_view name, std::int64_t value) {
  return mixed(hash_of_text(name) ^ mixed(static_cast<std::uint64_t>(value)));
}

constexpr std::uint64_t hash_of_case(std::uint32_t operation, std::uint32_t dtype,
                                     std::uint32_t hardware, std::string_view pass,
                                     std::uint64_t axes_sum) {
  const std::uint64_t names = mixed(std::uint64_t{operation} << 32 | dtype);
  return mixed(names ^ mixed(std::uint64_t{hardware} ^ hash_of_text(pass)) ^ mixed(axes_sum));
}

}  // namespace ki::embed
