// What two texts differ in, line by line. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "query/model_implementation.h"

namespace ki::query {

inline constexpr std::size_t kDiffLinesMax = 1'200;       // of a difference
inline constexpr std::size_t kDiffContext = 3;            // unchanged lines around a change
inline constexpr std::size_t kDiffTextLinesMax = 10'000;  // of each text; the rest is not looked at
inline constexpr std::size_t kDiffChangesMax = 1'000;     // lines; with more all counts as changed

// The changes from `before` to `after` with the lines around them; what is left out between two
// changes, and behind kDiffLinesMax lines, is said by a line of context. Empty: they are the same.
// Time and memory grow with the number of changes, of which there are at most kDiffChangesMax.
std::vector<DiffLine> difference(std::string_view before, std::string_view after);

}  // namespace ki::query
