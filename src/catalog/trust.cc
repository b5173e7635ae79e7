#include "catalog/trust.h"

#include <algorithm>
#include <tuple>

namespace ki::catalog {
namespace {

using db::Connection;
using db::Sql;

// Served by the primary keys.
constexpr Sql kHasStatement{"has_statement", "SELECT 1 FROM signed_statement WHERE digest = $1"};
constexpr Sql kHasEvent{"has_runner_event", "SELECT 1 FROM runner_event WHERE id = $1"};
constexpr Sql kCohortOfRun{"cohort_of_run", "SELECT comparison_key FROM run WHERE run_digest = $1"};
constexpr Sql kTrust{"trust_of_run", "WHERE run_id = $1"};
// Served by signed_run_by_statement.
constexpr Sql kSignedRuns{"signed_runs",
                          "SELECT run_digest FROM signed_run WHERE statement_digest = $1 "
                          "ORDER BY run_digest"};
// Served by runner_event_by_key (key_id, at, id).
constexpr Sql kState{"runner_state", "WHERE key_id = $1 ORDER BY at DESC, id DESC LIMIT 1"};
// Served by signed_statement_by_key, signed_run_by_statement and the unique index of run.
constexpr Sql kCohorts{"cohorts_signed_by",
                       "SELECT DISTINCT r.comparison_key FROM signed_statement s "
                       "JOIN signed_run x ON x.statement_digest = s.digest "
                       "JOIN run r ON r.run_digest = x.run_digest WHERE s.key_id = $1"};
// Served by the primary keys of signed_run and signed_statement, and by runner_event_by_key.
constexpr Sql kSignatures{
    "signatures_of_run",
    "SELECT s.digest, s.key_id, s.machine, s.protocol, COALESCE((SELECT e.action "
    "FROM runner_event e WHERE e.key_id = s.key_id ORDER BY e.at DESC, e.id DESC LIMIT 1), '') "
    "FROM signed_run x JOIN signed_statement s ON s.digest = x.statement_digest "
    "WHERE x.run_digest = $1 ORDER BY s.digest"};
// Served by run_by_cohort and the primary keys of run, signed_run and signed_statement, and by
// runner_event_by_key; a catalog without statements ends at the first condition.
constexpr Sql kCohortSignatures{
    "cohort_signatures",
    "SELECT r.id, s.digest, s.key_id, s.machine, s.protocol, COALESCE((SELECT e.action "
    "FROM runner_event e WHERE e.key_id = s.key_id ORDER BY e.at DESC, e.id DESC LIMIT 1), '') "
    "FROM run r JOIN signed_run x ON x.run_digest = r.run_digest "
    "JOIN signed_statement s ON s.digest = x.statement_digest "
    "WHERE EXISTS (SELECT 1 FROM signed_statement) AND r.comparison_key = $1 "
    "ORDER BY r.id, s.digest"};
// Scans of both tables by their indexes of keys: there are few runners.
constexpr Sql kRunners{
    "runners",
    "SELECT k.key_id, COALESCE((SELECT MIN(machine) || CASE WHEN MIN(machine) < MAX(machine) "
    "THEN ',' || MAX(machine) ELSE '' END FROM signed_statement WHERE key_id = k.key_id), ''), "
    "(SELECT COUNT(DISTINCT x.run_digest) FROM signed_statement s JOIN signed_run x "
    "ON x.statement_digest = s.digest WHERE s.key_id = k.key_id), "
    "COALESCE((SELECT e.action FROM runner_event e WHERE e.key_id = k.key_id "
    "ORDER BY e.at DESC, e.id DESC LIMIT 1), '') "
    "FROM (SELECT key_id FROM signed_statement UNION SELECT key_id FROM runner_event) k "
    "ORDER BY k.key_id LIMIT $1"};
// Scan of a table that a person fills.
constexpr Sql kEvents{"runner_events", "ORDER BY at DESC, id DESC LIMIT $1"};

Result<bool> any(Connection& connection, const Sql& sql, std::string_view key) {
  auto rows = TRY(connection.query(sql, key));
  return rows.next();
}

}  // namespace

Result<bool> has_statement(Connection& connection, std::string_view digest) {
  return any(connection, kHasStatement, digest);
}

Result<bool> has_runner_event(Connection& connection, std::string_view id) {
  return any(connection, kHasEvent, id);
}

Result<std::optional<RunnerEventRow>> runner_state(Connection& connection,
                                                   std::string_view key_id) {
  return find<RunnerEventRow>(connection, kState, key_id);
}

Result<std::set<std::string>> cohorts_signed_by(Connection& connection, std::string_view key_id) {
  std::set<std::string> out;
  auto rows = TRY(connection.query(kCohorts, key_id));
  TRY(rows.each([&](const db::Rows& row) { out.insert(row.string(0)); }));
  return out;
}

Result<std::optional<std::string>> cohort_of_run(Connection& connection,
                                                 std::string_view run_digest) {
  auto rows = TRY(connection.query(kCohortOfRun, run_digest));
  const bool found = TRY(rows.next());
  return found ? std::optional(rows.string(0)) : std::nullopt;
}

Result<std::vector<std::string>> signed_runs(Connection& connection,
                                             std::string_view statement_digest) {
  std::vector<std::string> out;
  auto rows = TRY(connection.query(kSignedRuns, statement_digest));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

Result<std::vector<RunSignature>> signatures_of(Connection& connection,
                                                std::string_view run_digest) {
  std::vector<RunSignature> out;
  auto rows = TRY(connection.query(kSignatures, run_digest));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.statement_digest = row.string(0),
                   .key_id = row.string(1),
                   .machine = row.string(2),
                   .protocol = row.string(3),
                   .action = row.string(4)});
  }));
  return out;
}

Result<std::vector<CohortSignature>> cohort_signatures(Connection& connection,
                                                       std::string_view comparison_key) {
  std::vector<CohortSignature> out;
  auto rows = TRY(connection.query(kCohortSignatures, comparison_key));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.run_id = row.string(0),
                   .statement_digest = row.string(1),
                   .key_id = row.string(2),
                   .machine = row.string(3),
                   .protocol = row.string(4),
                   .approved = row.text(5) == kApprove});
  }));
  return out;
}

Result<std::optional<RunTrustRow>> trust_of(Connection& connection, std::string_view run_id) {
  return find<RunTrustRow>(connection, kTrust, run_id);
}

Result<std::int64_t> approved_runners(Connection& connection, std::string_view run_id) {
  const auto row = TRY(trust_of(connection, run_id));
  return row ? row->runners : 0;
}

Result<std::vector<RunnerLine>> list_runners(Connection& connection) {
  std::vector<RunnerLine> out;
  auto rows = TRY(connection.query(kRunners, kRunnersMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.key_id = row.string(0),
                   .machines = row.string(1),
                   .runs = row.integer(2),
                   .action = row.string(3)});
  }));
  return out;
}

Result<std::vector<RunnerEventRow>> runner_events(Connection& connection) {
  std::vector<RunnerEventRow> out;
  TRY(select<RunnerEventRow>(
      connection, kEvents, [&](const RunnerEventRow& row) { out.push_back(row); },
      kRunnerEventsMax));
  std::ranges::sort(out, {},
                    [](const RunnerEventRow& row) { return std::tie(row.key_id, row.at, row.id); });
  return out;
}

}  // namespace ki::catalog
