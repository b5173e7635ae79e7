// The figures of a ranked cohort that winner maps and traces add up: of each implementation its
// best ranked run, in the order of the ranking. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/model_common.h"
#include "query/request.h"
#include "query/rows.h"

namespace ki::query {

struct RankedFigure {
  std::size_t implementation = 0;  // position in the snapshot
  std::size_t run = 0;             // the same
  std::string run_id;
  std::uint32_t rank = 0;
  double value = 0;
};

std::vector<RankedFigure> best_of_each(const RowSource& rows, const CohortInfo& cohort);

// How many times better the first value is than the second: of a metric that is better low the
// second over the first. Under 1 where the two share a rank and stand in the order of their
// evidence. nullopt where that is no number, or where nobody knows which end of the metric is good.
std::optional<double> times_better(const Primary& first, double second);

// What to say where the hardware asked for means several products, which are never ranked together
// but may answer different points; "" where it does not.
std::string ambiguity_note(const Facets& facets);

}  // namespace ki::query
