#include "catalog/read_project.h"

namespace ki::catalog {
namespace {

// Served by implementation_by_project (project_id, id).
constexpr db::Sql kImplementations{
    "implementations_of_project",
    "SELECT id, slug, title, operation_id, language, framework, license_declared, "
    "license_expression, source_available, installable FROM implementation "
    "WHERE project_id = $1 ORDER BY id LIMIT $2"};
constexpr db::Sql kImplementationCount{"count_implementations_of_project",
                                       "SELECT COUNT(*) FROM implementation WHERE project_id = $1"};

// Served by implementation_by_project (project_id, id), standing_by_implementation
// (implementation_id, ...) and run's primary key; then the runs of each are sorted.
constexpr db::Sql kRuns{
    "runs_of_project",
    "SELECT /* joined as written */ i.id, s.hardware_model, s.source_id, s.observed_at, "
    "r.primary_metric, r.primary_unit, "
    "r.primary_statistic, r.primary_value, r.sample_count, r.uncertainty_low, r.uncertainty_high, "
    "r.spread_low, r.spread_high, r.source_available, r.has_raw_evidence, "
    "COALESCE((SELECT t.runners FROM run_trust t WHERE t.run_id = s.run_id), 0) "
    "FROM implementation i "
    "JOIN standing s ON s.implementation_id = i.id JOIN run r ON r.id = s.run_id "
    "WHERE i.project_id = $1 ORDER BY i.id, s.primary_value, s.run_id"};

// The same, and the primary key of holder; then sorted.
constexpr db::Sql kHolders{
    "holders_of_project",
    "SELECT /* joined as written */ h.comparison_key, h.run_id, h.since, h.indexed_at, "
    "r.operation_id, r.workload_id, "
    "r.environment_summary FROM implementation i "
    "JOIN standing s ON s.implementation_id = i.id "
    "JOIN holder h ON h.comparison_key = s.comparison_key AND h.run_id = s.run_id "
    "JOIN run r ON r.id = h.run_id WHERE i.project_id = $1 "
    "AND ($2 = '' OR h.indexed_at < $2 OR (h.indexed_at = $2 AND (h.since < $3 "
    "OR (h.since = $3 AND h.comparison_key > $4)))) "
    "ORDER BY h.indexed_at DESC, h.since DESC, h.comparison_key LIMIT $5"};
constexpr db::Sql kHolderCount{
    "count_holders_of_project",
    "SELECT /* joined as written */ COUNT(*) FROM implementation i JOIN standing s ON "
    "s.implementation_id = i.id "
    "JOIN holder h ON h.comparison_key = s.comparison_key AND h.run_id = s.run_id "
    "WHERE i.project_id = $1"};

Result<std::int64_t> count(db::Connection& connection, const db::Sql& sql, std::string_view id) {
  auto rows = TRY(connection.query(sql, id));
  TRY(rows.next());
  return rows.integer(0);
}

}  // namespace

Result<std::vector<ProjectImplementation>> list_implementations(db::Connection& connection,
                                                                std::string_view project_id,
                                                                std::int64_t limit) {
  std::vector<ProjectImplementation> out;
  auto rows = TRY(connection.query(kImplementations, project_id, limit));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .slug = row.string(1),
                   .title = row.maybe_string(2),
                   .operation_id = row.string(3),
                   .language = row.string(4),
                   .framework = row.maybe_string(5),
                   .license_declared = row.maybe_string(6),
                   .license_expression = row.maybe_string(7),
                   .source_available = row.flag(8),
                   .installable = row.flag(9)});
  }));
  return out;
}

Result<std::int64_t> count_implementations(db::Connection& connection,
                                           std::string_view project_id) {
  return count(connection, kImplementationCount, project_id);
}

Status each_project_run(db::Connection& connection, std::string_view project_id,
                        const std::function<void(const ProjectRun&)>& visit) {
  auto rows = TRY(connection.query(kRuns, project_id));
  return rows.each([&](const db::Rows& row) {
    visit({.implementation_id = row.string(0),
           .hardware_model = row.string(1),
           .source_id = row.string(2),
           .observed_at = row.string(3),
           .metric = row.string(4),
           .unit = row.string(5),
           .statistic = row.string(6),
           .value = row.maybe_real(7),
           .sample_count = row.maybe_integer(8),
           .uncertainty_low = row.maybe_real(9),
           .uncertainty_high = row.maybe_real(10),
           .spread_low = row.maybe_real(11),
           .spread_high = row.maybe_real(12),
           .source_available = row.flag(13),
           .has_raw_evidence = row.flag(14),
           .approved_runners = row.integer(15)});
  });
}

Result<std::vector<HolderListing>> list_project_holders(db::Connection& connection,
                                                        std::string_view project_id,
                                                        const HolderPosition& after,
                                                        std::int64_t limit) {
  std::vector<HolderListing> out;
  auto rows = TRY(connection.query(kHolders, project_id, after.indexed_at, after.since,
                                   after.comparison_key, limit));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(holder_listing(row)); }));
  return out;
}

Result<std::int64_t> count_project_holders(db::Connection& connection,
                                           std::string_view project_id) {
  return count(connection, kHolderCount, project_id);
}

}  // namespace ki::catalog
