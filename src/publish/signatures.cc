// Signed statements, of this bundle's evidence or of a catalog that is copied, and with a copy its
// decisions about runners.

#include <algorithm>

#include "catalog/trust.h"
#include "catalog/update.h"
#include "publish/corrections.h"
#include "publish/session.h"

namespace ki::publish {

Status Session::insert_statement(const StatementRows& rows, bool counted) {
  if (counted) {
    TRY(catalog::insert(connection_, rows.statement));
  } else {
    TRY(ledger_.insert(rows.statement));
  }
  for (const catalog::SignedRunRow& row : rows.runs) {
    TRY(catalog::insert(connection_, row));
    const auto cohort = TRY(catalog::cohort_of_run(connection_, row.run_digest));
    if (cohort) cohorts.insert(*cohort);
  }
  changed = true;
  return {};
}

Status Session::insert_statements() {
  for (const std::string& envelope : bundle_.statements) {
    StatementRows rows = TRY(statement_rows(envelope));
    const bool known = TRY(catalog::has_statement(connection_, rows.statement.digest));
    if (known) continue;
    rows.statement.created_at = now_;
    TRY(insert_statement(rows, false));
  }
  return {};
}

Status Session::insert_holds() {
  constexpr std::string_view kActor = "plausibility";
  for (const HoldEntry& entry : bundle_.holds) {
    const auto run = TRY(catalog::find_run(connection_, to_string(entry.run)));
    if (!run)
      return fail(Code::invalid, "a run to hold is not in its bundle", to_string(entry.run));
    const auto corrections = TRY(catalog::corrections_of(connection_, run->id));
    const bool reviewed = std::ranges::any_of(corrections, [](const catalog::CorrectionRow& row) {
      return row.action == catalog::kHold;
    });
    if (reviewed) continue;
    TRY(check_justification({.actor = std::string(kActor), .reason = entry.reason}));
    TRY(record_correction(ledger_, {.id = new_id(),
                                    .action = std::string(catalog::kHold),
                                    .run_id = run->id,
                                    .superseded_run_id = {},
                                    .actor = std::string(kActor),
                                    .reason = entry.reason,
                                    .at = now_}));
    report.ambiguities.push_back("run " + to_string(entry.run) +
                                 " is held for review and not ranked: " + entry.reason);
    cohorts.insert(run->comparison_key);
    changed = true;
  }
  return {};
}

Status Session::insert_carried_trust() {
  std::vector<StatementRows> statements;
  for (const StatementEntry& entry : bundle_.carried.statements) {
    StatementRows rows = TRY(statement_rows(entry.envelope));
    rows.statement.created_at = entry.created_at;
    const bool known = TRY(catalog::has_statement(connection_, rows.statement.digest));
    if (!known) statements.push_back(std::move(rows));
  }
  std::vector<catalog::RunnerEventRow> events;
  for (const catalog::RunnerEventRow& row : bundle_.carried.runner_events) {
    TRY(check_runner_event(row));
    const bool known = TRY(catalog::has_runner_event(connection_, row.id));
    if (!known) events.push_back(row);
  }
  if (statements.empty() && events.empty()) return {};
  // Counted before any is there: whether this is a copy shows in the count of all evidence.
  for (const StatementRows& rows : statements) ledger_.add(rows.statement);
  for (const catalog::RunnerEventRow& row : events) ledger_.add(row);
  if (!copies_ || !ledger_.ends_as(bundle_.carried.log)) {
    for (const StatementRows& rows : statements) ledger_.remove(rows.statement);
    for (const catalog::RunnerEventRow& row : events) ledger_.remove(row);
    report.ambiguities.push_back(
        std::to_string(statements.size()) + " signed statements and " +
        std::to_string(events.size()) +
        " decisions about runners are not taken over: this is no copy of that catalog. `ki "
        "publish` takes statements with their evidence, `ki runner approve` decides here");
    return {};
  }
  for (const StatementRows& rows : statements) {
    TRY(insert_statement(rows, true));
  }
  for (const catalog::RunnerEventRow& row : events) {
    TRY(catalog::insert(connection_, row));
    const auto signed_by = TRY(catalog::cohorts_signed_by(connection_, row.key_id));
    cohorts.insert(signed_by.begin(), signed_by.end());
  }
  changed = changed || !events.empty();
  return {};
}

}  // namespace ki::publish
