#include "query/rows.h"

#include <algorithm>
#include <array>

#include "policy/names.h"
#include "policy/ranking.h"
#include "query/describe.h"
#include "query/heap_bytes.h"

namespace ki::query {

RowCache::Held RowCache::find(std::size_t run) const {
  const std::scoped_lock lock(mutex_);
  const auto found = rows_.find(run);
  return found == rows_.end() ? nullptr : found->second;
}

RowCache::Held RowCache::keep(std::size_t run, Row row) {
  const std::size_t bytes = bytes_of(row);
  auto kept = std::make_shared<const Row>(std::move(row));
  const std::scoped_lock lock(mutex_);
  if (const auto known = rows_.find(run); known != rows_.end()) return known->second;
  if (bytes_ + bytes > kRowsBytesMax) {
    rows_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  rows_.emplace(run, kept);
  return kept;
}

Row RowSource::finished(std::size_t run) const {
  Row row = *of(run);
  row.stale = policy::is_stale(now, snapshot.runs[run].observed);
  return row;
}

std::optional<Head> RowSource::head(const CohortInfo& cohort) const {
  return cohort.head ? std::optional(head_of(*of(*cohort.head))) : std::nullopt;
}

Head head_of(const Row& row) {
  return {.run_id = row.run_id.value_or(""),
          .implementation = row.implementation,
          .primary = row.primary.value_or(Primary{})};
}

Row row_of(const OperationSnapshot& snapshot, const ImplementationInfo& implementation) {
  const catalog::ImplementationLine& line = implementation.line;
  Row row;
  row.implementation = implementation.ref;
  row.project = implementation.project;
  row.operation = snapshot.ref;
  if (line.install_command) {
    row.install =
        Install{.kind = line.install_kind.value_or("source"), .command = *line.install_command};
  }
  if (line.source_revision)
    row.revision = std::string(policy::short_revision(*line.source_revision));
  row.framework = line.framework;
  row.language = line.language;
  row.baseline = line.role == "baseline";
  row.source_available = line.source_available;
  row.installable = line.installable;
  row.license = {.declared = line.license_declared, .concluded = line.license_expression};
  row.deployability_reasons =
      policy::deployability({.source_available = line.source_available,
                             .installable = line.installable,
                             .licence_known = line.license_expression.has_value()});
  return row;
}

namespace {

// Why the run has its rank, in words. What is said of another run is its value.
std::vector<Reason> reasons_of(const OperationSnapshot& snapshot, const RunInfo& run,
                               const catalog::ShownLine& line) {
  const CohortInfo& cohort = snapshot.cohorts[run.cohort];
  std::array<policy::RankedRun, 1 + std::tuple_size_v<decltype(Why::others)>> runs;
  runs[0] = {.id = run.id,
             .value = line.value,
             .confidence = stated_interval(line.uncertainty_low, line.uncertainty_high),
             .spread = stated_interval(line.spread_low, line.spread_high),
             .sample_count = line.sample_count,
             .evidence = run.level,
             .observed_at = line.observed_at,
             .ineligible = {}};
  policy::Place place;
  for (std::size_t i = 0; i < run.why.count; ++i) {
    const auto code = static_cast<policy::ReasonCode>(run.why.codes.at(i));
    policy::PlaceReason& reason = place.reasons.emplace_back(code, std::nullopt);
    if (run.why.others.at(i) == kNoRun) continue;
    const RunInfo& other = snapshot.runs[run.why.others.at(i)];
    if (other.has_value) runs.at(i + 1).value = other.value;
    reason.other = i + 1;
  }
  std::vector<Reason> out;
  for (auto& reason : policy::explain(
           place, runs,
           {.metric = cohort.metric, .unit = cohort.unit, .resolution = cohort.resolution})) {
    out.push_back({.code = std::move(reason.code), .text = std::move(reason.text)});
  }
  return out;
}

}  // namespace

Row row_of(const OperationSnapshot& snapshot, std::size_t at, const catalog::ShownLine& line) {
  const RunInfo& run = snapshot.runs[at];
  const CohortInfo& cohort = snapshot.cohorts[run.cohort];
  const ImplementationInfo& implementation = snapshot.implementations[run.implementation];
  Row row = row_of(snapshot, implementation);
  row.run_id = std::string(run.id);
  row.run_digest = line.digest;
  row.workload_summary = snapshot.workloads[run.workload].summary;
  row.hardware = {.model = line.hardware_model, .architecture = line.hardware_architecture};
  row.primary = figure_of(line);
  row.sol_score = line.sol_score;
  row.evidence = std::string(policy::name_of(run.level));
  row.last_tested_at = line.observed_at;
  if (!line.published_at.empty()) row.indexed_at = line.published_at;
  row.comparison_key = cohort.comparison_key;
  row.match = "exact";
  const auto source =
      std::ranges::find(snapshot.source_lines, line.source_id, &catalog::SourceLine::id);
  row.caveats = policy::caveats(
      {.source_kind = source == snapshot.source_lines.end() ? std::string_view{}
                                                            : std::string_view(source->kind),
       .role = implementation.line.role ? std::string_view(*implementation.line.role)
                                        : std::string_view{},
       .level = run.level,
       .source_available = row.source_available,
       .licence_known = row.license.concluded.has_value()});
  row.attestations = line.attestations;
  row.tied_with_previous = run.tied_with_previous;
  row.shares_rank = run.shares_rank;
  row.rank_reasons = reasons_of(snapshot, run, line);
  if (cohort.pass) row.pass = std::string(policy::name_of(*cohort.pass));
  if (run.rank == 0) return row;
  row.rank = run.rank;
  row.cohort_size = cohort.ranked;
  const double best = snapshot.runs[*cohort.head].value;
  if (best != 0) row.relative = run.value / best;
  return row;
}

std::size_t bytes_of(const Row& row) { return sizeof(Row) + heap_bytes(row); }

}  // namespace ki::query
