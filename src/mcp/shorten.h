// Making an answer small enough for a reader whose attention is bounded. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "json/value.h"

namespace ki::mcp {

// `answer`, an object, as compact JSON of at most `bytes_max` bytes where that is possible: long
// lists lose their last items, long texts their ends, then the items of the longest list are made
// small each, and at last whole members go, the largest first. A cursor is never cut. Then a member
// "omitted" tells what: [{pointer, kind: items | text | member, shown, total}], the first
// kOmissionsListed of them. Texts of up to kTextKept bytes, so ids and digests, stay whole. An
// answer that fits is returned as it is.
std::string shorten(const json::Value& answer, std::size_t bytes_max);

inline constexpr std::size_t kTextKept = 160;
inline constexpr std::size_t kOmissionsListed = 12;

}  // namespace ki::mcp
