// Measured neighbours of a case that nobody measured. What is shown was measured; nothing is ever
// interpolated. Pure but for the rows it shows.
#pragma once

#include <optional>

#include "query/request.h"
#include "query/rows.h"

namespace ki::query {

inline constexpr std::size_t kNearCasesMax = 5;
inline constexpr std::size_t kNearAxesMax = 8;

// `axes` are the neighbours in each single axis (or dimension of the shape), everything else as
// asked for, those with most measured cases first; `axis`, `below` and `above` are the first of
// them. `cases` are the closest over all axes,
// each axis counting |log2(observed / requested)|. Only cases that hold the requested dtypes and
// have a run that satisfies the other facets are offered. nullopt when the request names no case,
// or none is near.
std::optional<Nearest> nearest_cases(const Request& request, const RowSource& rows);

}  // namespace ki::query
