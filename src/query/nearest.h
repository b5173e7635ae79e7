// Measured neighbours of a case that nobody measured. What is shown was measured; nothing is ever
// interpolated. Pure but for the rows it shows.
#pragma once

#include <optional>

#include "query/request.h"
#include "query/rows.h"

namespace ki::query {

inline constexpr std::size_t kNearCasesMax = 5;

// `axis`, `below` and `above` are the neighbours in one axis, everything else as asked for: the
// axis (or dimension of the shape) with most measured cases. `cases` are the closest over all axes,
// each axis counting |log2(observed / requested)|. Only cases that hold the requested dtypes and
// have a run that satisfies the other facets are offered. nullopt when the request names no case,
// or none is near.
std::optional<Nearest> nearest_cases(const Request& request, const RowSource& rows);

}  // namespace ki::query
