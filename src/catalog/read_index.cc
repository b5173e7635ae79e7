#include "catalog/read_index.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace ki::catalog {
namespace {

constexpr std::int64_t kOperationsMax = 1'000'000;

// Every operation; a scan of operation_lines, which spares the rows with their manifests.
constexpr db::Sql kOperations{"all_operations",
                              "SELECT id, slug, family, name, semantic_digest, created_at "
                              "FROM operation ORDER BY id LIMIT $1"};

// Served by cohort_by_operation, which holds all that is read.
constexpr db::Sql kRuns{"eligible_runs_by_operation",
                        "SELECT operation_id, SUM(eligible_runs), MAX(last_observed_at), "
                        "SUM(reproducible_runs), COUNT(*) FROM cohort GROUP BY operation_id ORDER "
                        "BY operation_id LIMIT $1"};

// Served by implementation_by_language (language), of which one entry a language is read.
constexpr db::Sql kLanguages{
    "all_languages",
    "WITH RECURSIVE used (language) AS (SELECT MIN(language) FROM implementation UNION ALL "
    "SELECT (SELECT MIN(i.language) FROM implementation i WHERE i.language > used.language) "
    "FROM used WHERE used.language IS NOT NULL) "
    "SELECT language FROM used WHERE language <> 'unknown' ORDER BY language LIMIT $1"};

// Served by operation_alias_by_operation (operation_id).
constexpr db::Sql kAliases{"all_aliases",
                           "SELECT operation_id, alias FROM operation_alias "
                           "ORDER BY operation_id, alias LIMIT $1"};

// Served by the primary key (operation_id, tag).
constexpr db::Sql kTags{"all_tags",
                        "SELECT operation_id, tag FROM operation_tag "
                        "ORDER BY operation_id, ordinal, tag LIMIT $1"};

// Served by operation_equivalence_by_key (equivalence_key, operation_id), which is read whole, and
// by the primary key.
constexpr db::Sql kEquivalences{
    "shared_equivalence_keys",
    "SELECT operation_id, equivalence_key FROM operation_equivalence WHERE equivalence_key IN "
    "(SELECT equivalence_key FROM operation_equivalence GROUP BY equivalence_key "
    "HAVING COUNT(*) > 1) ORDER BY operation_id LIMIT $1"};

// Served by the unique index of audit's ids.
constexpr db::Sql kKnown{"known_audit", "SELECT sequence FROM audit WHERE id = $1"};

// Served by audit_by_time (at, id).
constexpr db::Sql kVersion{"newest_audit",
                           "SELECT id FROM audit ORDER BY at DESC, id DESC LIMIT 1"};

// Scans of the smallest index of each table. The last two are looked at only so that it fails where
// a table is gone that answers rest on.
constexpr db::Sql kCounts{"catalog_counts",
                          "SELECT (SELECT COUNT(*) FROM workload), "
                          "(SELECT COUNT(*) FROM implementation), (SELECT COUNT(*) FROM run), "
                          "(SELECT COUNT(*) FROM pending_run), "
                          "(SELECT COUNT(*) FROM run_trust), "
                          "EXISTS (SELECT 1 FROM standing), EXISTS (SELECT 1 FROM cohort)"};

// Served by workload_by_operation (operation_id, id, ...).
constexpr db::Sql kWorkloadCounts{"workloads_by_operation",
                                  "SELECT operation_id, COUNT(*) FROM workload "
                                  "GROUP BY operation_id ORDER BY operation_id LIMIT $1"};

// Served by standing_by_operation (operation_id, observed_at, run_id) and primary keys.
constexpr db::Sql kFacets{
    "facets_of_operation",
    "SELECT r.hardware_model, r.hardware_architecture, r.cuda_major, w.dtypes, i.source_available, "
    "r.primary_metric, r.primary_unit, r.primary_value, e.hardware_form_factor FROM standing s "
    "JOIN run r ON r.id = s.run_id JOIN workload w ON w.id = s.workload_id "
    "JOIN environment e ON e.digest = r.environment_key "
    "JOIN implementation i ON i.id = s.implementation_id "
    "WHERE s.operation_id = $1 ORDER BY s.run_id LIMIT $2"};

// All rows of cohort, as they lie; environments by primary key, and of workloads only the index
// workload_by_operation (operation_id, id, dtypes). Those without an eligible run are left out by
// the reader, as in read_operation.cc.
constexpr db::Sql kMeasured{
    "measured_groups",
    "SELECT /* joined as written */ c.operation_id, c.hardware_model, e.hardware_form_factor, "
    "c.hardware_architecture, c.cuda_major, w.dtypes, c.eligible_runs FROM cohort c "
    "JOIN environment e ON e.digest = c.environment_key "
    "JOIN workload w ON w.operation_id = c.operation_id AND w.id = c.workload_id"};
constexpr db::Sql kCohortsOf{
    "cohort_facts_of_operation",
    "SELECT /* joined as written */ c.operation_id, c.hardware_model, e.hardware_form_factor, "
    "c.hardware_architecture, c.cuda_major, w.dtypes, c.eligible_runs, c.sourced_runs, "
    "c.primary_metric, c.primary_unit, c.best_value FROM cohort c "
    "JOIN environment e ON e.digest = c.environment_key JOIN workload w ON w.id = c.workload_id "
    "WHERE c.operation_id = $1 ORDER BY c.comparison_key LIMIT $2"};

Result<std::vector<CohortFacts>> facts_of(db::Rows rows) {
  std::vector<CohortFacts> out;
  TRY(rows.each([&](const db::Rows& row) {
    if (row.integer(6) == 0) return;
    out.push_back({.operation_id = row.string(0),
                   .hardware_model = row.string(1),
                   .hardware_form_factor = row.string(2),
                   .hardware_architecture = row.string(3),
                   .cuda_major = row.maybe_integer(4),
                   .dtypes = row.string(5),
                   .runs = row.integer(6),
                   .sourced = row.integer(7),
                   .metric = row.string(8),
                   .unit = row.string(9),
                   .best_value = row.maybe_real(10)});
  }));
  return out;
}

// Calls `visit` with the line a row is about. Rows and lines both ascend by operation id.
template <class Visit>
Status merge(db::Connection& connection, const db::Sql& sql, std::vector<OperationLine>& lines,
             Visit visit) {
  auto rows = TRY(connection.query(sql, kOperationsMax * 100));
  auto line = lines.begin();
  return rows.each([&](const db::Rows& row) {
    while (line != lines.end() && line->id < row.text(0)) ++line;
    if (line != lines.end() && line->id == row.text(0)) visit(*line, row);
  });
}

}  // namespace

Result<std::vector<OperationLine>> read_operation_lines(db::Connection& connection) {
  std::vector<OperationLine> lines;
  auto rows = TRY(connection.query(kOperations, kOperationsMax));
  TRY(rows.each([&](const db::Rows& row) {
    lines.push_back({.id = row.string(0),
                     .slug = row.string(1),
                     .family = row.string(2),
                     .name = row.string(3),
                     .semantic_digest = row.string(4),
                     .created_at = row.string(5),
                     .runs = 0,
                     .reproducible = 0,
                     .cohorts = 0,
                     .last_observed_at = {},
                     .aliases = {},
                     .tags = {},
                     .equivalence = {}});
  }));
  TRY(merge(connection, kRuns, lines, [](OperationLine& line, const db::Rows& row) {
    line.runs = row.integer(1);
    line.last_observed_at = row.maybe_string(2);
    line.reproducible = row.integer(3);
    line.cohorts = row.integer(4);
  }));
  TRY(merge(connection, kAliases, lines, [](OperationLine& line, const db::Rows& row) {
    line.aliases.push_back(row.string(1));
  }));
  TRY(merge(connection, kTags, lines,
            [](OperationLine& line, const db::Rows& row) { line.tags.push_back(row.string(1)); }));
  TRY(merge(connection, kEquivalences, lines,
            [](OperationLine& line, const db::Rows& row) { line.equivalence = row.string(1); }));
  return lines;
}

Result<std::vector<std::string>> read_languages(db::Connection& connection) {
  constexpr std::int64_t kLanguagesMax = 1000;
  std::vector<std::string> out;
  auto rows = TRY(connection.query(kLanguages, kLanguagesMax));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

Result<std::string> read_catalog_version(db::Connection& connection) {
  auto rows = TRY(connection.query(kVersion));
  const bool any = TRY(rows.next());
  return any ? rows.string(0) : std::string();
}

Result<bool> knows_catalog_version(db::Connection& connection, std::string_view version) {
  auto rows = TRY(connection.query(kKnown, version));
  const bool known = TRY(rows.next());
  return known;
}

Result<Counts> read_counts(db::Connection& connection) {
  auto rows = TRY(connection.query(kCounts));
  TRY(rows.next());
  return Counts{.workloads = rows.integer(0),
                .implementations = rows.integer(1),
                .runs = rows.integer(2),
                .pending_runs = rows.integer(3),
                .verified_runs = rows.integer(4)};
}

Result<std::vector<OperationCount>> read_workload_counts(db::Connection& connection) {
  std::vector<OperationCount> out;
  auto rows = TRY(connection.query(kWorkloadCounts, kOperationsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.operation_id = row.string(0), .count = row.integer(1)});
  }));
  return out;
}

Result<std::vector<FacetLine>> read_facet_lines(db::Connection& connection,
                                                std::string_view operation_id) {
  std::vector<FacetLine> out;
  auto rows = TRY(connection.query(kFacets, operation_id, kOperationsMax * 10));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.hardware_model = row.string(0),
                   .hardware_form_factor = row.string(8),
                   .hardware_architecture = row.string(1),
                   .cuda_major = row.maybe_integer(2),
                   .dtypes = row.string(3),
                   .source_available = row.flag(4),
                   .metric = row.string(5),
                   .unit = row.string(6),
                   .value = row.maybe_real(7)});
  }));
  return out;
}

// Added up here and not by GROUP BY, which would sort all cohorts first.
Result<std::vector<MeasuredLine>> read_measured(db::Connection& connection) {
  std::vector<MeasuredLine> out;
  std::unordered_map<std::string, std::size_t> at;
  std::string key;
  auto rows = TRY(connection.query(kMeasured));
  TRY(rows.each([&](const db::Rows& row) {
    if (row.integer(6) == 0) return;
    key.clear();
    for (const int column : {0, 1, 2, 3, 5}) key.append(row.text(column)) += '\0';
    const auto cuda_major = row.maybe_integer(4);
    if (cuda_major) key += std::to_string(*cuda_major);
    const auto [known, added] = at.try_emplace(key, out.size());
    if (added) {
      out.push_back({.operation_id = row.string(0),
                     .hardware_model = row.string(1),
                     .hardware_form_factor = row.string(2),
                     .hardware_architecture = row.string(3),
                     .cuda_major = cuda_major,
                     .dtypes = row.string(5)});
    }
    out[known->second].runs += row.integer(6);
  }));
  return out;
}

Result<std::vector<CohortFacts>> read_cohort_facts(db::Connection& connection,
                                                   std::string_view operation_id) {
  auto rows = TRY(connection.query(kCohortsOf, operation_id, kOperationsMax * 10));
  return facts_of(std::move(rows));
}

}  // namespace ki::catalog
