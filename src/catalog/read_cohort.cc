#include "catalog/read_cohort.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kRowsMax = 10'000'000;

// Served by run_by_cohort, which holds all that is read of runs, standing_by_cohort and the primary
// key of run_trust, which has a row for few runs.
constexpr db::Sql kRuns{
    "eligible_runs_of_cohort",
    "SELECT id, implementation_id, source_id, observed_at, primary_metric, primary_statistic, "
    "primary_unit, primary_value, sample_count, uncertainty_low, uncertainty_high, spread_low, "
    "spread_high, source_available, has_raw_evidence, source_native, "
    "COALESCE((SELECT t.runners FROM run_trust t WHERE t.run_id = run.id), 0) FROM run "
    "WHERE comparison_key = $1 AND id IN (SELECT run_id FROM standing WHERE comparison_key = $1) "
    "LIMIT $2"};

// The same.
constexpr db::Sql kTallies{
    "tallies_of_cohort",
    "SELECT implementation_id, source_available, has_raw_evidence, "
    "COALESCE((SELECT t.runners FROM run_trust t WHERE t.run_id = run.id), 0) AS runners, "
    "COUNT(*) FROM run "
    "WHERE comparison_key = $1 AND id IN (SELECT run_id FROM standing WHERE comparison_key = $1) "
    "GROUP BY implementation_id, source_available, has_raw_evidence, runners "
    "ORDER BY implementation_id, source_available, has_raw_evidence, runners LIMIT $2"};

// Served by standing_by_cohort (comparison_key, primary_value, run_id) and the primary key of run.
constexpr db::Sql kBest{
    "best_runs_of_cohort",
    "SELECT /* joined as written */ r.id, r.implementation_id, r.observed_at, r.source_available, "
    "r.has_raw_evidence, "
    "COALESCE((SELECT t.runners FROM run_trust t WHERE t.run_id = s.run_id), 0) "
    "FROM standing s JOIN run r ON r.id = s.run_id "
    "WHERE s.comparison_key = $1 AND s.primary_value = $2 LIMIT $3"};

// Served by standing_by_implementation, which holds all that is read.
constexpr db::Sql kPlaced{"runs_of_implementation",
                          "SELECT comparison_key, run_id FROM standing "
                          "WHERE implementation_id = $1 AND operation_id = $2 "
                          "ORDER BY comparison_key, run_id LIMIT $3"};

// Served by the primary key.
constexpr db::Sql kShown{
    "shown_run",
    "SELECT run_digest, source_id, observed_at, published_at, primary_metric, primary_statistic, "
    "primary_unit, primary_value, sample_count, uncertainty_low, uncertainty_high, spread_low, "
    "spread_high, hardware_model, hardware_architecture, sol_score, "
    "(SELECT COUNT(*) FROM attestation WHERE run_id = $1) FROM run WHERE id = $1"};

}  // namespace

Result<std::vector<RunLine>> read_cohort_runs(db::Connection& connection,
                                              std::string_view comparison_key) {
  std::vector<RunLine> out;
  auto rows = TRY(connection.query(kRuns, comparison_key, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .implementation_id = row.string(1),
                   .source_id = row.string(2),
                   .observed_at = row.string(3),
                   .metric = row.string(4),
                   .statistic = row.string(5),
                   .unit = row.string(6),
                   .value = row.maybe_real(7),
                   .sample_count = row.maybe_integer(8),
                   .uncertainty_low = row.maybe_real(9),
                   .uncertainty_high = row.maybe_real(10),
                   .spread_low = row.maybe_real(11),
                   .spread_high = row.maybe_real(12),
                   .source_available = row.flag(13),
                   .has_raw_evidence = row.flag(14),
                   .source_native = row.flag(15),
                   .approved_runners = row.integer(16)});
  }));
  return out;
}

Result<std::vector<TallyLine>> read_cohort_tallies(db::Connection& connection,
                                                   std::string_view comparison_key) {
  std::vector<TallyLine> out;
  auto rows = TRY(connection.query(kTallies, comparison_key, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.implementation_id = row.string(0),
                   .source_available = row.flag(1),
                   .has_raw_evidence = row.flag(2),
                   .approved_runners = row.integer(3),
                   .runs = row.integer(4)});
  }));
  return out;
}

Result<std::vector<BestLine>> read_best_runs(db::Connection& connection,
                                             std::string_view comparison_key, double value) {
  std::vector<BestLine> out;
  auto rows = TRY(connection.query(kBest, comparison_key, value, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .implementation_id = row.string(1),
                   .observed_at = row.string(2),
                   .source_available = row.flag(3),
                   .has_raw_evidence = row.flag(4),
                   .approved_runners = row.integer(5)});
  }));
  return out;
}

Result<std::vector<PlacedRun>> read_runs_of_implementation(db::Connection& connection,
                                                           std::string_view implementation_id,
                                                           std::string_view operation_id) {
  std::vector<PlacedRun> out;
  auto rows = TRY(connection.query(kPlaced, implementation_id, operation_id, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.comparison_key = row.string(0), .run_id = row.string(1)});
  }));
  return out;
}

Result<std::optional<ShownLine>> read_shown_run(db::Connection& connection,
                                                std::string_view run_id) {
  auto rows = TRY(connection.query(kShown, run_id));
  const bool found = TRY(rows.next());
  if (!found) return std::optional<ShownLine>();
  return std::optional(ShownLine{.digest = rows.string(0),
                                 .source_id = rows.string(1),
                                 .observed_at = rows.string(2),
                                 .published_at = rows.string(3),
                                 .metric = rows.string(4),
                                 .statistic = rows.string(5),
                                 .unit = rows.string(6),
                                 .value = rows.maybe_real(7),
                                 .sample_count = rows.maybe_integer(8),
                                 .uncertainty_low = rows.maybe_real(9),
                                 .uncertainty_high = rows.maybe_real(10),
                                 .spread_low = rows.maybe_real(11),
                                 .spread_high = rows.maybe_real(12),
                                 .hardware_model = rows.string(13),
                                 .hardware_architecture = rows.string(14),
                                 .sol_score = rows.maybe_real(15),
                                 .attestations = rows.integer(16)});
}

}  // namespace ki::catalog
