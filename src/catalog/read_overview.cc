#include "catalog/read_overview.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kProjectsMax = 100'000;
constexpr std::int64_t kHoldersMax = 10'000'000;

// Served by implementation_by_project (project_id, id), standing_by_implementation
// (implementation_id, operation_id, comparison_key, run_id) and the primary keys of standing and
// holder.
constexpr db::Sql kProjects{
    "projects",
    "SELECT p.slug, p.name, p.kind, COUNT(DISTINCT i.id), COUNT(s.run_id), "
    "COUNT(DISTINCT s.hardware_model), COUNT(h.run_id), COALESCE(MAX(s.observed_at), '') "
    "FROM project p LEFT JOIN implementation i ON i.project_id = p.id "
    "LEFT JOIN standing s ON s.implementation_id = i.id "
    "LEFT JOIN holder h ON h.comparison_key = s.comparison_key AND h.run_id = s.run_id "
    "GROUP BY p.slug, p.name, p.kind ORDER BY p.slug LIMIT $1"};

// Served by cohort_by_hardware (hardware_model, operation_id, eligible_runs, last_observed_at) and
// the primary keys of holder and run; then sorted.
constexpr db::Sql kHolders{
    "holders_on_product",
    "SELECT /* joined as written */ h.comparison_key, h.run_id, h.since, h.indexed_at, "
    "r.operation_id, r.workload_id, r.environment_summary FROM cohort c "
    "JOIN holder h ON h.comparison_key = c.comparison_key JOIN run r ON r.id = h.run_id "
    "WHERE c.hardware_model = $1 "
    "AND ($2 = '' OR h.indexed_at < $2 OR (h.indexed_at = $2 AND (h.since < $3 "
    "OR (h.since = $3 AND h.comparison_key > $4)))) "
    "ORDER BY h.indexed_at DESC, h.since DESC, h.comparison_key LIMIT $5"};
constexpr db::Sql kHolderCount{
    "count_holders_on_product",
    "SELECT /* joined as written */ COUNT(*) FROM cohort c "
    "JOIN holder h ON h.comparison_key = c.comparison_key WHERE c.hardware_model = $1"};

// Served by holder_by_indexed (indexed_at, since, comparison_key), record_event_by_run (run_id) and
// the primary keys of run, implementation, project and environment.
constexpr db::Sql kHolderLines{
    "holder_lines",
    "SELECT h.comparison_key, h.run_id, h.since, h.indexed_at, r.operation_id, r.workload_id, "
    "r.environment_summary, r.hardware_model, i.slug, COALESCE(i.title, ''), p.name, "
    "COALESCE(r.primary_metric, ''), COALESCE(r.primary_unit, ''), r.primary_value, "
    "(SELECT q.primary_value FROM record_event e JOIN run q ON q.id = e.previous_run_id "
    "WHERE e.run_id = h.run_id AND e.comparison_key = h.comparison_key "
    "ORDER BY e.at DESC, e.id DESC LIMIT 1) "
    "FROM holder h JOIN run r ON r.id = h.run_id "
    "JOIN implementation i ON i.id = r.implementation_id JOIN project p ON p.id = i.project_id "
    "WHERE ($1 = '' OR r.hardware_model = $1) "
    "AND ($2 = '' OR EXISTS (SELECT 1 FROM environment n WHERE n.digest = r.environment_key AND "
    "REPLACE($2, '\n' || n.hardware_model || '\t' || n.hardware_form_factor || '\n', '') <> $2)) "
    "AND ($3 = 0 OR r.source_available = 1) "
    "AND ($4 = 0 OR EXISTS (SELECT 1 FROM run_trust t WHERE t.run_id = h.run_id "
    "AND t.runners >= $4)) "
    "AND ($5 = 0 OR COALESCE(i.role, '') <> 'baseline' OR EXISTS (SELECT 1 FROM record_event e "
    "WHERE e.run_id = h.run_id AND e.comparison_key = h.comparison_key "
    "AND e.previous_run_id IS NOT NULL)) "
    "ORDER BY h.indexed_at DESC, h.since DESC, h.comparison_key LIMIT $6"};

}  // namespace

Result<std::vector<ProjectLine>> list_projects(db::Connection& connection) {
  std::vector<ProjectLine> out;
  auto rows = TRY(connection.query(kProjects, kProjectsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.slug = row.string(0),
                   .name = row.string(1),
                   .kind = row.string(2),
                   .implementations = row.integer(3),
                   .runs = row.integer(4),
                   .products = row.integer(5),
                   .records = row.integer(6),
                   .last_observed_at = row.string(7)});
  }));
  return out;
}

Result<std::vector<HolderListing>> list_product_holders(db::Connection& connection,
                                                        std::string_view hardware_model,
                                                        const HolderPosition& after,
                                                        std::int64_t limit) {
  std::vector<HolderListing> out;
  auto rows = TRY(connection.query(kHolders, hardware_model, after.indexed_at, after.since,
                                   after.comparison_key, limit));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(holder_listing(row)); }));
  return out;
}

Result<std::vector<HolderLine>> list_holder_lines(db::Connection& connection,
                                                  const HolderChoice& choice) {
  std::vector<HolderLine> out;
  auto rows =
      TRY(connection.query(kHolderLines, choice.hardware_model, lines_of(choice.hardware_names),
                           std::int64_t{choice.with_source}, choice.approved_runners,
                           std::int64_t{choice.without_baselines}, kHoldersMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.listing = holder_listing(row),
                   .hardware_model = row.string(7),
                   .implementation_slug = row.string(8),
                   .implementation_title = row.string(9),
                   .project_name = row.string(10),
                   .metric = row.string(11),
                   .unit = row.string(12),
                   .value = row.maybe_real(13),
                   .previous_value = row.maybe_real(14)});
  }));
  return out;
}

Result<std::int64_t> count_product_holders(db::Connection& connection,
                                           std::string_view hardware_model) {
  auto rows = TRY(connection.query(kHolderCount, hardware_model));
  TRY(rows.next());
  return rows.integer(0);
}

}  // namespace ki::catalog
