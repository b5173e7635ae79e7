// Where the lines of a sweep change order. Pure.
#pragma once

#include <span>
#include <vector>

#include "query/model_operation.h"

namespace ki::query {

inline constexpr std::size_t kCrossingsMax = 64;  // of one sweep, the first ones along its axis

// Of each two lines, every pair of values that both have, neighbours among those, between which
// their order turns round; equal values keep the order before them. Points ascend by x; `cases` are
// the values of the axis that exist, ascending. Sorted by where they begin, then by the order of
// the lines. O(lines² x points).
std::vector<SweepCrossing> crossings_of(std::span<const SweepSeries> lines,
                                        std::span<const double> cases);

}  // namespace ki::query
