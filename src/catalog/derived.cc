#include "catalog/derived.h"

#include <algorithm>
#include <map>

namespace ki::catalog {
namespace {

using db::Connection;
using db::Sql;

// Served by run_by_cohort.
constexpr Sql kCohortRuns{"cohort_runs", "WHERE comparison_key = $1 ORDER BY observed_at, id"};
// Served by run_by_cohort, correction_by_run and correction_by_superseded. Ids are time-ordered.
constexpr Sql kCohortCorrections{
    "cohort_corrections",
    "WHERE id IN (SELECT c.id FROM run r JOIN correction c ON c.run_id = r.id\n"
    "              WHERE r.comparison_key = $1\n"
    "             UNION SELECT c.id FROM run r JOIN correction c ON c.superseded_run_id = r.id\n"
    "              WHERE r.comparison_key = $1)\n"
    " ORDER BY at, id"};
// Served by the primary keys of cohort and holder, and the indexes by cohort of the others.
constexpr Sql kCohort{"cohort", "WHERE comparison_key = $1"};
constexpr Sql kStandings{"standings", "WHERE comparison_key = $1 ORDER BY run_id"};
constexpr Sql kTrust{"run_trust", "WHERE comparison_key = $1 ORDER BY run_id"};
constexpr Sql kEvents{"record_events", "WHERE comparison_key = $1 ORDER BY at, id"};
constexpr Sql kHolder{"holder", "WHERE comparison_key = $1"};
// Served by the primary key of operation_equivalence.
constexpr Sql kEquivalence{"equivalence_of_operation", "WHERE operation_id = $1"};
// Served by search_term_by_operation.
constexpr Sql kTerms{"search_terms", "WHERE operation_id = $1 ORDER BY term, field"};

constexpr Sql kDropCohort{"drop_cohort", "DELETE FROM cohort WHERE comparison_key = $1"};
constexpr Sql kDropStanding{"drop_standing", "DELETE FROM standing WHERE run_id = $1"};
constexpr Sql kDropTrust{"drop_run_trust", "DELETE FROM run_trust WHERE run_id = $1"};
constexpr Sql kDropEvent{"drop_record_event", "DELETE FROM record_event WHERE id = $1"};
constexpr Sql kDropHolder{"drop_holder", "DELETE FROM holder WHERE comparison_key = $1"};
constexpr Sql kDropTerms{"drop_search_terms", "DELETE FROM search_term WHERE operation_id = $1"};

// A full read of small indexes; for `ki verify` only.
constexpr Sql kKeys{"comparison_keys",
                    "SELECT comparison_key FROM run\n"
                    "UNION SELECT comparison_key FROM cohort\n"
                    "UNION SELECT comparison_key FROM standing\n"
                    "UNION SELECT comparison_key FROM run_trust\n"
                    "UNION SELECT comparison_key FROM record_event\n"
                    "UNION SELECT comparison_key FROM holder ORDER BY 1"};

// Drops the stored rows that are not wanted and inserts the wanted ones that are not stored.
template <class Row, class Key>
Status store_rows(Connection& connection, const std::vector<Row>& stored,
                  const std::vector<Row>& wanted, const Sql& drop, Key key) {
  if (stored.empty()) {  // the usual case, without comparing each with each
    for (const Row& row : wanted) {
      TRY(insert(connection, row));
    }
    return {};
  }
  std::map<std::string_view, const Row*> asked;
  for (const Row& row : wanted) asked.emplace(row.*key, &row);
  for (const Row& row : stored) {
    const auto same = asked.find(row.*key);
    if (same != asked.end() && differences(*same->second, row).empty()) {
      asked.erase(same);
    } else {
      TRY(connection.run(drop, row.*key));
    }
  }
  for (const Row& row : wanted) {
    if (!asked.contains(row.*key)) continue;
    TRY(insert(connection, row));
  }
  return {};
}

template <class Row>
Status store_row(Connection& connection, const std::optional<Row>& stored,
                 const std::optional<Row>& wanted, const Sql& drop, std::string_view key) {
  if (stored && wanted && differences(*stored, *wanted).empty()) return {};
  if (stored) {
    TRY(connection.run(drop, key));
  }
  if (!wanted) return {};
  return insert(connection, *wanted);
}

}  // namespace

Result<CohortEvidence> cohort_evidence(Connection& connection, std::string_view comparison_key) {
  CohortEvidence evidence;
  TRY(select<CohortRun>(
      connection, kCohortRuns, [&](const CohortRun& run) { evidence.runs.push_back(run); },
      comparison_key));
  TRY(select<CorrectionRow>(
      connection, kCohortCorrections,
      [&](const CorrectionRow& row) { evidence.corrections.push_back(row); }, comparison_key));
  evidence.signatures = TRY(cohort_signatures(connection, comparison_key));
  return evidence;
}

Result<CohortState> stored_cohort(Connection& connection, std::string_view comparison_key) {
  CohortState state;
  state.cohort = TRY(find<CohortRow>(connection, kCohort, comparison_key));
  TRY(select<StandingRow>(
      connection, kStandings, [&](const StandingRow& row) { state.standings.push_back(row); },
      comparison_key));
  TRY(select<RunTrustRow>(
      connection, kTrust, [&](const RunTrustRow& row) { state.trust.push_back(row); },
      comparison_key));
  TRY(select<RecordEventRow>(
      connection, kEvents, [&](const RecordEventRow& row) { state.events.push_back(row); },
      comparison_key));
  state.holder = TRY(find<HolderRow>(connection, kHolder, comparison_key));
  return state;
}

Status store_cohort(Connection& connection, std::string_view comparison_key,
                    const CohortState& stored, const CohortState& wanted) {
  TRY(store_row(connection, stored.cohort, wanted.cohort, kDropCohort, comparison_key));
  TRY(store_rows(connection, stored.standings, wanted.standings, kDropStanding,
                 &StandingRow::run_id));
  TRY(store_rows(connection, stored.trust, wanted.trust, kDropTrust, &RunTrustRow::run_id));
  TRY(store_rows(connection, stored.events, wanted.events, kDropEvent, &RecordEventRow::id));
  return store_row(connection, stored.holder, wanted.holder, kDropHolder, comparison_key);
}

Result<std::vector<std::string>> comparison_keys(Connection& connection) {
  std::vector<std::string> keys;
  auto rows = TRY(connection.query(kKeys));
  TRY(rows.each([&](const db::Rows& row) { keys.push_back(row.string(0)); }));
  return keys;
}

Result<std::optional<std::string>> equivalence_key_of(Connection& connection,
                                                      std::string_view operation_id) {
  auto row = TRY(find<OperationEquivalenceRow>(connection, kEquivalence, operation_id));
  return row ? std::optional(std::move(row->equivalence_key)) : std::nullopt;
}

Result<std::vector<SearchTermRow>> search_terms(Connection& connection,
                                                std::string_view operation_id) {
  std::vector<SearchTermRow> terms;
  TRY(select<SearchTermRow>(
      connection, kTerms, [&](const SearchTermRow& row) { terms.push_back(row); }, operation_id));
  return terms;
}

Status replace_search_terms(Connection& connection, std::string_view operation_id,
                            const std::vector<SearchTermRow>& terms) {
  TRY(connection.run(kDropTerms, operation_id));
  for (const SearchTermRow& term : terms) {
    TRY(insert(connection, term));
  }
  return {};
}

}  // namespace ki::catalog
