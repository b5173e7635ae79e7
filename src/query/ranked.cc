#include "query/ranked.h"

#include <cmath>

#include "policy/metrics.h"

namespace ki::query {

std::vector<RankedFigure> best_of_each(const RowSource& rows, const CohortInfo& cohort) {
  const std::vector<RunInfo>& runs = rows.runs(cohort).runs;
  std::vector<RankedFigure> out;
  std::vector<bool> seen(rows.snapshot.implementations.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunInfo& run = runs[i];
    if (run.rank == 0 || !run.has_value || seen[run.implementation]) continue;
    seen[run.implementation] = true;
    out.push_back({.implementation = run.implementation,
                   .run = cohort.runs.front() + i,
                   .run_id = std::string(run.id),
                   .rank = run.rank,
                   .value = run.value});
  }
  return out;
}

std::optional<double> times_better(const Primary& first, double second) {
  const auto metric = policy::find_metric(first.metric, first.unit);
  if (!metric) return std::nullopt;
  const bool lower = metric->direction == policy::Direction::lower;
  const double ratio = lower ? second / first.value : first.value / second;
  return std::isfinite(ratio) && ratio > 0 ? std::optional(ratio) : std::nullopt;
}

std::string ambiguity_note(const Facets& facets) {
  if (!facets.hardware || !facets.hardware->gpu || !facets.hardware->gpu->ambiguous()) return {};
  return "'" + facets.hardware->requested +
         "' names several products; each answer says which one it was measured on";
}

}  // namespace ki::query
