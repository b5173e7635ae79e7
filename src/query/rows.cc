#include "query/rows.h"

#include <algorithm>
#include <array>

#include "policy/names.h"
#include "policy/ranking.h"
#include "query/describe.h"
#include "query/heap_bytes.h"

namespace ki::query {

Row RowSource::finished(std::size_t at) const {
  const auto shown = read.row(at);
  Row row = shown->row;
  row.stale = policy::is_stale(now, shown->observed);
  return row;
}

const RunInfo& RowSource::run(std::size_t at) const {
  const CohortInfo& cohort = snapshot.cohort_of_run(at);
  return runs(cohort).runs[at - cohort.runs.front()];
}

std::optional<std::size_t> RowSource::run_at(std::string_view comparison_key,
                                             std::string_view run_id) const {
  const auto at = snapshot.cohort_at(comparison_key);
  if (!at) return std::nullopt;
  const CohortInfo& cohort = snapshot.cohorts[*at];
  const auto& all = runs(cohort).runs;
  const auto found = std::ranges::find(all, run_id, &RunInfo::id);
  if (found == all.end()) return std::nullopt;
  return cohort.runs.front() + static_cast<std::size_t>(found - all.begin());
}

std::optional<Head> RowSource::head(const CohortInfo& cohort) const {
  if (!cohort.is_ranked()) return std::nullopt;
  return *read.head(snapshot.position_of(cohort));
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
  row.operation = snapshot.operations[line.operation].ref;
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
std::vector<Reason> reasons_of(const CohortInfo& cohort, const RankedRuns& ranked,
                               const RunInfo& run, const catalog::ShownLine& line) {
  std::array<policy::RankedRun, 1 + std::tuple_size_v<decltype(Why::others)>> runs;
  runs[0] = {.id = run.id,
             .value = line.value,
             .confidence = policy::stated_interval(line.uncertainty_low, line.uncertainty_high),
             .spread = policy::stated_interval(line.spread_low, line.spread_high),
             .sample_count = line.sample_count,
             .evidence = run.level,
             .observed_at = line.observed_at,
             .ineligible = {}};
  policy::Place place;
  for (std::size_t i = 0; i < run.why.count; ++i) {
    const auto code = static_cast<policy::ReasonCode>(run.why.codes.at(i));
    policy::PlaceReason& reason = place.reasons.emplace_back(code, std::nullopt);
    if (run.why.others.at(i) == kNoRun) continue;
    const RunInfo& other = ranked.runs[run.why.others.at(i)];
    if (other.has_value) runs.at(i + 1).value = other.value;
    reason.other = i + 1;
  }
  std::vector<Reason> out;
  for (auto& reason : policy::explain(place, runs, cohort.ranking_options())) {
    out.push_back({.code = std::move(reason.code), .text = std::move(reason.text)});
  }
  return out;
}

}  // namespace

Row row_of(const OperationSnapshot& snapshot, const RankedRuns& ranked, std::size_t place,
           const catalog::ShownLine& line) {
  const RunInfo& run = ranked.runs[place];
  const CohortInfo& cohort = snapshot.cohorts[run.cohort];
  const ImplementationInfo& implementation = snapshot.implementations[run.implementation];
  Row row = row_of(snapshot, implementation);
  row.operation = snapshot.operations[snapshot.workloads[run.workload].operation].ref;
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
  row.rank_reasons = reasons_of(cohort, ranked, run, line);
  if (cohort.setting->pass) row.pass = std::string(policy::name_of(*cohort.setting->pass));
  if (run.rank == 0) return row;
  row.rank = run.rank;
  row.cohort_size = cohort.ranked();
  const double best = ranked.runs.front().value;
  if (best != 0) row.relative = run.value / best;
  return row;
}

std::size_t bytes_of(const Row& row) { return sizeof(Row) + heap_bytes(row); }

std::size_t bytes_of(const RankedRuns& runs) {
  return sizeof(RankedRuns) + runs.ids_bytes + runs.runs.capacity() * sizeof(RunInfo) +
         runs.unclear.capacity() * sizeof(policy::PlaceReason);
}

}  // namespace ki::query
