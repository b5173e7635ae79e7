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

// Served by run_by_operation, which holds all that is read of runs, the primary key of operation
// and that of run_trust.
constexpr db::Sql kOfOperation{
    "measured_runs_of_operation",
    "SELECT /* joined as written */ r.id, r.implementation_id, r.primary_metric, "
    "r.primary_statistic, r.primary_unit, r.primary_value, r.sample_count, r.uncertainty_low, "
    "r.uncertainty_high, r.spread_low, r.spread_high, r.source_available, r.has_raw_evidence, "
    "COALESCE((SELECT t.runners FROM run_trust t WHERE t.run_id = r.id), 0) "
    "FROM operation o JOIN run r ON r.operation_id = o.id WHERE o.slug = $1 LIMIT $2"};

constexpr db::Sql kCountOf{"count_runs_of_operation",
                           "SELECT COUNT(*) FROM operation o JOIN run r ON r.operation_id = o.id "
                           "WHERE o.slug = $1"};

// Served by standing_by_operation (operation_id, observed_at, run_id).
constexpr db::Sql kStandingOf{"standing_runs_of_operation",
                              "SELECT s.run_id FROM operation o JOIN standing s ON "
                              "s.operation_id = o.id WHERE o.slug = $1 LIMIT $2"};

// Served as the first.
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

Result<std::int64_t> count_runs_of(db::Connection& connection, std::string_view operation_slug) {
  auto rows = TRY(connection.query(kCountOf, operation_slug));
  TRY(rows.next());
  return rows.integer(0);
}

Result<std::unordered_set<std::string>> read_standing_of(db::Connection& connection,
                                                         std::string_view operation_slug) {
  std::unordered_set<std::string> out;
  auto rows = TRY(connection.query(kStandingOf, operation_slug, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) { out.insert(row.string(0)); }));
  return out;
}

Status each_run_of(db::Connection& connection, std::string_view operation_slug,
                   const std::function<void(const RunLine&)>& visit) {
  RunLine line;  // one for all, so that its texts keep their memory
  auto rows = TRY(connection.query(kOfOperation, operation_slug, kRowsMax));
  return rows.each([&](const db::Rows& row) {
    line.id = row.text(0);
    line.implementation_id = row.text(1);
    line.metric = row.text(2);
    line.statistic = row.text(3);
    line.unit = row.text(4);
    line.value = row.maybe_real(5);
    line.sample_count = row.maybe_integer(6);
    line.uncertainty_low = row.maybe_real(7);
    line.uncertainty_high = row.maybe_real(8);
    line.spread_low = row.maybe_real(9);
    line.spread_high = row.maybe_real(10);
    line.source_available = row.flag(11);
    line.has_raw_evidence = row.flag(12);
    line.approved_runners = row.integer(13);
    visit(line);
  });
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
