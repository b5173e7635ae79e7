#include "publish/corrections.h"

#include <set>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/update.h"
#include "json/write.h"
#include "publish/derive.h"

namespace ki::publish {
namespace {

using catalog::RunRow;
using catalog::RunState;

Status check(const Justification& why) {
  if (trim(why.actor).empty() || why.actor.size() > kActorMax) {
    return fail(Code::invalid, "a correction needs the name of who makes it, up to 200 bytes",
                "actor");
  }
  const std::size_t length = trim(why.reason).size();
  if (length < kReasonMin || length > kReasonMax) {
    return fail(Code::invalid, "a correction needs a reason of 3 to 2000 bytes", "reason");
  }
  return {};
}

Result<RunRow> require_run(db::Connection& connection, std::string_view id_or_digest) {
  auto run = TRY(catalog::find_run(connection, id_or_digest));
  if (run) return std::move(*run);
  return fail(Code::not_found, "there is no such run", std::string(id_or_digest));
}

Result<RunState> state(db::Connection& connection, std::string_view run_id) {
  const auto corrections = TRY(catalog::corrections_of(connection, run_id));
  return catalog::state_of(run_id, corrections);
}

// The correction and its audit row.
Status record(db::Connection& connection, const catalog::CorrectionRow& row) {
  TRY(catalog::insert(connection, row));
  std::string detail;
  json::Writer out(detail);
  out.begin_object().key("correctionId").string(row.id).key("reason").string(row.reason);
  if (row.superseded_run_id) out.key("supersededRunId").string(*row.superseded_run_id);
  out.end_object();
  return catalog::insert(connection, catalog::AuditRow{.id = row.id,
                                                       .at = row.at,
                                                       .actor = row.actor,
                                                       .action = row.action,
                                                       .entity_kind = "run",
                                                       .entity_id = row.run_id,
                                                       .detail = std::move(detail)});
}

catalog::CorrectionRow correction(std::string_view action, const std::string& run_id, Instant at,
                                  const Justification& why) {
  return {.id = uuid_v7(at),
          .action = std::string(action),
          .run_id = run_id,
          .superseded_run_id = std::nullopt,
          .actor = why.actor,
          .reason = std::string(trim(why.reason)),
          .at = to_iso(at)};
}

// Records it, rebuilds what follows for the cohorts it touches, and commits.
Result<CorrectionReport> apply(db::Connection& connection, db::Transaction& transaction,
                               const catalog::CorrectionRow& row, const RunRow& run,
                               std::set<std::string> cohorts) {
  const Instant at = *parse_instant(row.at);
  TRY(record(connection, row));
  cohorts.insert(run.comparison_key);
  TRY(refresh_cohorts(connection, cohorts, {.now = at, .actor = row.actor}));
  const auto holder = TRY(holder_of(connection, run.comparison_key));
  TRY(transaction.commit());
  return CorrectionReport{.correction_id = row.id,
                          .run_id = run.id,
                          .comparison_key = run.comparison_key,
                          .holder_run_id = holder.value_or("")};
}

Status check_pair(const RunRow& newer, const RunRow& older) {
  if (newer.id == older.id) {
    return fail(Code::invalid, "a run cannot supersede itself", newer.id);
  }
  if (newer.operation_id != older.operation_id) {
    return fail(Code::invalid, "a run cannot supersede a run of another operation", newer.id);
  }
  if (!newer.published_at) {
    return fail(Code::conflict, "an unpublished run cannot supersede another", newer.id);
  }
  return {};
}

// Following who supersedes whom from `newer` must not lead to `older`.
Status check_circle(db::Connection& connection, const RunRow& newer, const RunRow& older) {
  std::set<std::string> seen;
  std::string at = newer.id;
  while (!at.empty() && seen.insert(at).second) {
    if (at == older.id) {
      return fail(Code::conflict, "it is itself superseded by the run it would supersede",
                  newer.id);
    }
    const RunState now = TRY(state(connection, at));
    at = now.superseded_by;
  }
  return {};
}

// Whether `newer` supersedes some run in force; a restored one does not count.
Status check_supersedes_nothing(db::Connection& connection, const RunRow& newer) {
  const auto corrections = TRY(catalog::corrections_of(connection, newer.id));
  for (const auto& row : corrections) {
    if (row.action != catalog::kSupersede || row.run_id != newer.id) continue;
    const RunState other = TRY(state(connection, *row.superseded_run_id));
    if (other.superseded_by == newer.id) {
      return fail(Code::conflict, "it supersedes " + *row.superseded_run_id + " already", newer.id);
    }
  }
  return {};
}

}  // namespace

Result<CorrectionReport> retract(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock) {
  TRY(check(why));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const RunRow row = TRY(require_run(connection, run));
  if (!row.published_at) {
    return fail(Code::conflict, "an unpublished run cannot be retracted", row.id);
  }
  const RunState before = TRY(state(connection, row.id));
  if (before.retracted) return fail(Code::conflict, "it is retracted already", row.id);
  const auto made = correction(catalog::kRetract, row.id, clock.now(), why);
  return apply(connection, transaction, made, row, {});
}

Result<CorrectionReport> restore(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock) {
  TRY(check(why));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const RunRow row = TRY(require_run(connection, run));
  const RunState before = TRY(state(connection, row.id));
  if (!before.retracted && before.superseded_by.empty()) {
    return fail(Code::conflict, "it is neither retracted nor superseded", row.id);
  }
  const auto made = correction(catalog::kRestore, row.id, clock.now(), why);
  return apply(connection, transaction, made, row, {});
}

Result<CorrectionReport> supersede(catalog::Catalog& catalog, const Supersession& pair,
                                   const Justification& why, const Clock& clock) {
  TRY(check(why));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const RunRow newer = TRY(require_run(connection, pair.run_id));
  const RunRow older = TRY(require_run(connection, pair.older_run_id));
  TRY(check_pair(newer, older));
  const RunState newer_state = TRY(state(connection, newer.id));
  if (newer_state.retracted) {
    return fail(Code::conflict, "a retracted run cannot supersede another", newer.id);
  }
  TRY(check_circle(connection, newer, older));
  const RunState older_state = TRY(state(connection, older.id));
  if (!older_state.superseded_by.empty()) {
    return fail(Code::conflict, "it is superseded by " + older_state.superseded_by + " already",
                older.id);
  }
  TRY(check_supersedes_nothing(connection, newer));
  auto made = correction(catalog::kSupersede, newer.id, clock.now(), why);
  made.superseded_run_id = older.id;
  return apply(connection, transaction, made, newer, {older.comparison_key});
}

Status record_supersession(db::Connection& connection, const Supersession& pair, Instant at,
                           const Justification& why) {
  auto made = correction(catalog::kSupersede, pair.run_id, at, why);
  made.superseded_run_id = pair.older_run_id;
  return record(connection, made);
}

}  // namespace ki::publish
