#include "publish/trust.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/trust.h"
#include "json/write.h"
#include "publish/derive.h"
#include "signing/statement.h"

namespace ki::publish {
namespace {

constexpr std::string_view kSuffix = "_runner";

Status check_key(std::string_view key_id) {
  if (parse_digest(key_id)) return {};
  return fail(Code::invalid, "a runner is named by the digest of its public key, sha256:...",
              "keyId");
}

// After the event that stands, whose clock may have been ahead.
Instant moment_after(const std::optional<catalog::RunnerEventRow>& state, Instant now) {
  const auto at = state ? parse_instant(state->at) : std::nullopt;
  return at && *at >= now ? *at + std::chrono::milliseconds(1) : now;
}

Result<RunnerReport> decide(catalog::Catalog& catalog, std::string_view action,
                            std::string_view key_id, const Justification& why, const Clock& clock) {
  TRY(check_key(key_id));
  TRY(check_justification(why));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const auto state = TRY(catalog::runner_state(connection, key_id));
  const bool approved = state && state->action == catalog::kApprove;
  if (approved == (action == catalog::kApprove)) {
    return fail(Code::conflict,
                approved ? "this runner is approved already" : "there is no approval to revoke",
                std::string(key_id));
  }
  const Instant at = moment_after(state, clock.now());
  const catalog::RunnerEventRow row{.id = uuid_v7(at),
                                    .action = std::string(action),
                                    .key_id = std::string(key_id),
                                    .actor = why.actor,
                                    .reason = std::string(trim(why.reason)),
                                    .at = to_iso(at)};
  catalog::Ledger ledger = TRY(catalog::Ledger::open(connection));
  TRY(record_runner_event(ledger, row));
  const auto cohorts = TRY(catalog::cohorts_signed_by(connection, key_id));
  TRY(refresh_cohorts(ledger, cohorts, {.now = at, .actor = row.actor}));
  TRY(ledger.write());
  TRY(transaction.commit());
  return RunnerReport{.event_id = row.id, .key_id = row.key_id, .cohorts = std::ssize(cohorts)};
}

}  // namespace

Result<RunnerReport> approve_runner(catalog::Catalog& catalog, std::string_view key_id,
                                    const Justification& why, const Clock& clock) {
  return decide(catalog, catalog::kApprove, key_id, why, clock);
}

Result<RunnerReport> revoke_runner(catalog::Catalog& catalog, std::string_view key_id,
                                   const Justification& why, const Clock& clock) {
  return decide(catalog, catalog::kRevoke, key_id, why, clock);
}

Status check_runner_event(const catalog::RunnerEventRow& row) {
  TRY(check_key(row.key_id));
  TRY(check_justification({.actor = row.actor, .reason = row.reason}));
  if (row.action == catalog::kApprove || row.action == catalog::kRevoke) return {};
  return fail(Code::invalid, "is approve or revoke", "action");
}

catalog::AuditRow audit_row(const catalog::RunnerEventRow& row) {
  std::string detail;
  json::Writer out(detail);
  out.begin_object().key("eventId").string(row.id).key("reason").string(row.reason).end_object();
  return {.id = row.id,
          .at = row.at,
          .actor = row.actor,
          .action = row.action + std::string(kSuffix),
          .entity_kind = "runner",
          .entity_id = row.key_id,
          .detail = std::move(detail)};
}

Status record_runner_event(catalog::Ledger& ledger, const catalog::RunnerEventRow& row) {
  TRY(ledger.insert(row));
  ledger.note(audit_row(row));
  return {};
}

Result<StatementRows> statement_rows(std::string_view envelope) {
  const signing::Opened opened = TRY(signing::open_statement(envelope));
  const auto& predicate = opened.statement.predicate;
  StatementRows out;
  out.statement = {.digest = to_string(opened.digest),
                   .key_id = predicate.runner.key_id,
                   .machine = predicate.runner.machine,
                   .protocol = predicate.protocol,
                   .envelope = std::string(envelope),
                   .created_at = {}};
  std::vector<std::string> runs = predicate.runs;
  std::ranges::sort(runs);
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  for (std::string& run : runs) {
    out.runs.push_back({.run_digest = std::move(run), .statement_digest = out.statement.digest});
  }
  return out;
}

}  // namespace ki::publish
