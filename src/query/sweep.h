// How values grow along one axis, everything else equal. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "catalog/run_samples.h"
#include "query/model_operation.h"
#include "query/rows.h"

namespace ki::query {

inline constexpr std::int64_t kSweepSeriesMax = 8;  // `overflow` counts the others

// The measured cases that share everything with the ranked cohort (protocol, environment, metric,
// dtypes, the other axes) but one axis; the axis with most of them. nullopt when there is none.
// Each point is the implementation's best ranked run of that case.
std::optional<Sweep> sweep_of(const RowSource& rows, std::size_t ranked);

// What the evidence of its runs states of the work of its cases.
Status add_work(db::Connection& connection, Sweep& sweep);

}  // namespace ki::query
