#include "catalog/read_listing.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kRowsMax = 100'000;

// The columns and conditions that the six run listings share; they differ in where they start.
constexpr std::string_view kColumns =
    "SELECT r.id, r.run_digest, o.slug, i.slug, r.hardware_model, r.status, r.primary_metric, "
    "r.primary_unit, r.primary_statistic, r.primary_value, r.sample_count, r.uncertainty_low, "
    "r.uncertainty_high, r.spread_low, r.spread_high, r.source_available, r.has_raw_evidence, "
    "c.slug, r.observed_at, "
    "COALESCE((SELECT t.runners FROM run_trust t WHERE t.run_id = r.id), 0) ";
constexpr std::string_view kJoins =
    "JOIN operation o ON o.id = r.operation_id "
    "JOIN implementation i ON i.id = r.implementation_id LEFT JOIN source c ON c.id = r.source_id ";
constexpr std::string_view kStanding = "FROM standing s JOIN run r ON r.id = s.run_id ";

// $9: lines of model, a tab and form factor. Served by environment's primary key.
constexpr std::string_view kNamed =
    "($9 = '' OR EXISTS (SELECT 1 FROM environment e WHERE e.digest = r.environment_key AND "
    "REPLACE($9, '\n' || e.hardware_model || '\t' || e.hardware_form_factor || '\n', '') <> $9))";

std::string listing(std::string_view from, std::string_view where, std::string_view alias) {
  const std::string at = std::string(alias) + ".observed_at";
  const std::string id = alias == "s" ? "s.run_id" : "r.id";
  return std::string(kColumns) + std::string(from) + std::string(kJoins) + "WHERE " +
         std::string(where) + " AND " + std::string(kNamed) + " AND " + at +
         " >= $5 AND ($6 = '' OR " + at + " < $6 OR (" + at + " = $6 AND " + id +
         " < $7)) ORDER BY " + at + " DESC, " + id + " DESC LIMIT $8";
}

constexpr std::string_view kAnyOperation = "($1 = '' OR s.operation_id = $1)";
constexpr std::string_view kAnyHardware = "($2 = '' OR s.hardware_model = $2)";
constexpr std::string_view kAnySource = "($3 = '' OR s.source_id = $3)";

std::string all_of(std::string_view a, std::string_view b, std::string_view c) {
  return std::string(a) + " AND " + std::string(b) + " AND " + std::string(c) + " AND $4 = ''";
}

// Served by standing_by_operation (operation_id, observed_at, run_id).
const std::string& by_operation() {
  static const std::string kText =
      listing(kStanding, all_of("s.operation_id = $1", kAnyHardware, kAnySource), "s");
  return kText;
}

// Served by standing_by_hardware (hardware_model, observed_at, run_id).
const std::string& by_hardware() {
  static const std::string kText =
      listing(kStanding, all_of("s.hardware_model = $2", kAnyOperation, kAnySource), "s");
  return kText;
}

// Served by standing_by_source (source_id, observed_at, run_id).
const std::string& by_source() {
  static const std::string kText =
      listing(kStanding, all_of("s.source_id = $3", kAnyOperation, kAnyHardware), "s");
  return kText;
}

// Served by standing_by_time (observed_at, run_id).
const std::string& by_time() {
  static const std::string kText =
      listing(kStanding, all_of(kAnyOperation, kAnyHardware, kAnySource), "s");
  return kText;
}

// Served by the primary key of standing, for each row of run_trust, which has few.
const std::string& by_trust() {
  static const std::string kText =
      listing(kStanding,
              all_of(kAnyOperation, kAnyHardware, kAnySource) +
                  " AND s.run_id IN (SELECT t.run_id FROM run_trust t WHERE t.runners >= $10)",
              "s");
  return kText;
}

// Served by run_by_time (observed_at, id); retractions by correction_by_run (run_id, at).
const std::string& by_status() {
  static const std::string kText =
      listing("FROM run r ",
              "r.status = $4 AND r.published_at IS NOT NULL AND ($1 = '' OR r.operation_id = $1) "
              "AND ($2 = '' OR r.hardware_model = $2) AND ($3 = '' OR r.source_id = $3) "
              "AND COALESCE((SELECT k.action FROM correction k WHERE k.run_id = r.id "
              "AND k.action IN ('retract', 'restore') ORDER BY k.at DESC, k.id DESC LIMIT 1), '') "
              "<> 'retract'",
              "r");
  return kText;
}

db::Sql statement_for(const RunConditions& conditions) {
  if (!conditions.status.empty()) return {"runs_by_status", by_status()};
  if (!conditions.operation_id.empty()) return {"runs_by_operation", by_operation()};
  if (!conditions.hardware_model.empty()) return {"runs_by_hardware", by_hardware()};
  if (!conditions.source_id.empty()) return {"runs_by_source", by_source()};
  return {"runs_by_time", by_time()};
}

// Served by holder_by_indexed (indexed_at, since, comparison_key) and run's primary key.
constexpr db::Sql kHolders{
    "holders",
    "SELECT h.comparison_key, h.run_id, h.since, h.indexed_at, r.operation_id, r.workload_id, "
    "r.environment_summary FROM holder h JOIN run r ON r.id = h.run_id "
    "WHERE $1 = '' OR h.indexed_at < $1 OR (h.indexed_at = $1 AND (h.since < $2 "
    "OR (h.since = $2 AND h.comparison_key > $3))) "
    "ORDER BY h.indexed_at DESC, h.since DESC, h.comparison_key LIMIT $4"};

// Served by the primary keys of holder and run.
constexpr db::Sql kHolder{
    "holder_of_cohort",
    "SELECT h.comparison_key, h.run_id, h.since, h.indexed_at, r.operation_id, r.workload_id, "
    "r.environment_summary FROM holder h JOIN run r ON r.id = h.run_id "
    "WHERE h.comparison_key = $1"};

// Reads all of the table, which has a row for each environment that was ever measured in.
constexpr db::Sql kHardware{"hardware",
                            "SELECT DISTINCT hardware_model, hardware_form_factor "
                            "FROM environment ORDER BY hardware_model, hardware_form_factor "
                            "LIMIT 10000"};

constexpr db::Sql kHolderCount{"holder_count", "SELECT COUNT(*) FROM holder"};

// Served by standing_by_implementation (implementation_id, operation_id, comparison_key, run_id)
// and holder's primary key.
constexpr db::Sql kHoldersOf{
    "holders_of_implementation",
    "SELECT COUNT(*) FROM standing s JOIN holder h ON h.comparison_key = s.comparison_key "
    "AND h.run_id = s.run_id WHERE s.implementation_id = $1"};

// Served by standing_by_implementation (implementation_id, operation_id, ...).
constexpr db::Sql kOperationsOf{"operations_of_implementation",
                                "SELECT DISTINCT operation_id FROM standing "
                                "WHERE implementation_id = $1 ORDER BY operation_id LIMIT $2"};

// Served by record_event_by_cohort (comparison_key, at, id).
constexpr db::Sql kEvents{"record_events_of_cohort",
                          "SELECT at, run_id, cause FROM record_event WHERE comparison_key = $1 "
                          "ORDER BY at, id LIMIT $2"};

Result<std::int64_t> count(db::Connection& connection, const db::Sql& sql) {
  auto rows = TRY(connection.query(sql));
  TRY(rows.next());
  return rows.integer(0);
}

}  // namespace

std::string lines_of(const std::vector<HardwareName>& names) {
  std::string out;
  for (const HardwareName& name : names) {
    out += (out.empty() ? "\n" : "") + name.model + '\t' + name.form_factor + '\n';
  }
  return out;
}

Result<std::vector<RunListing>> list_runs(db::Connection& connection,
                                          const RunConditions& conditions) {
  std::vector<RunListing> out;
  const auto ask = [&](const db::Sql& sql, const auto&... more) {
    return connection.query(sql, conditions.operation_id, conditions.hardware_model,
                            conditions.source_id, conditions.status, conditions.since,
                            conditions.before_time, conditions.before_id, conditions.limit,
                            lines_of(conditions.hardware_names), more...);
  };
  auto rows = TRY(conditions.approved_runners > 0
                      ? ask({"runs_by_trust", by_trust()}, conditions.approved_runners)
                      : ask(statement_for(conditions)));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .digest = row.string(1),
                   .operation_slug = row.string(2),
                   .implementation_slug = row.string(3),
                   .hardware_model = row.string(4),
                   .status = row.string(5),
                   .metric = row.string(6),
                   .unit = row.string(7),
                   .statistic = row.string(8),
                   .value = row.maybe_real(9),
                   .sample_count = row.maybe_integer(10),
                   .uncertainty_low = row.maybe_real(11),
                   .uncertainty_high = row.maybe_real(12),
                   .spread_low = row.maybe_real(13),
                   .spread_high = row.maybe_real(14),
                   .source_available = row.flag(15),
                   .has_raw_evidence = row.flag(16),
                   .approved_runners = row.integer(19),
                   .source_slug = row.string(17),
                   .observed_at = row.string(18)});
  }));
  return out;
}

Result<std::vector<HardwareName>> list_hardware(db::Connection& connection) {
  std::vector<HardwareName> out;
  auto rows = TRY(connection.query(kHardware));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.model = row.string(0), .form_factor = row.string(1)});
  }));
  return out;
}

HolderListing holder_listing(const db::Rows& row) {
  return {.comparison_key = row.string(0),
          .run_id = row.string(1),
          .since = row.string(2),
          .indexed_at = row.string(3),
          .operation_id = row.string(4),
          .workload_id = row.string(5),
          .environment_summary = row.string(6)};
}

Result<std::vector<HolderListing>> list_holders(db::Connection& connection,
                                                const HolderPosition& after, std::int64_t limit) {
  std::vector<HolderListing> out;
  auto rows =
      TRY(connection.query(kHolders, after.indexed_at, after.since, after.comparison_key, limit));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(holder_listing(row)); }));
  return out;
}

Result<std::int64_t> count_holders(db::Connection& connection) {
  return count(connection, kHolderCount);
}

Result<std::optional<HolderListing>> find_holder(db::Connection& connection,
                                                 std::string_view comparison_key) {
  auto rows = TRY(connection.query(kHolder, comparison_key));
  const bool found = TRY(rows.next());
  return found ? std::optional(holder_listing(rows)) : std::nullopt;
}

Result<std::int64_t> count_holders_of(db::Connection& connection,
                                      std::string_view implementation_id) {
  auto rows = TRY(connection.query(kHoldersOf, implementation_id));
  TRY(rows.next());
  return rows.integer(0);
}

Result<std::vector<std::string>> list_operations_of(db::Connection& connection,
                                                    std::string_view implementation_id) {
  std::vector<std::string> out;
  auto rows = TRY(connection.query(kOperationsOf, implementation_id, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

Result<std::vector<EventListing>> list_record_events(db::Connection& connection,
                                                     std::string_view comparison_key) {
  std::vector<EventListing> out;
  auto rows = TRY(connection.query(kEvents, comparison_key, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.at = row.string(0), .run_id = row.string(1), .cause = row.string(2)});
  }));
  return out;
}

}  // namespace ki::catalog
