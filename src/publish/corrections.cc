#include "publish/corrections.h"

#include <set>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_operation.h"
#include "catalog/rows_object.h"
#include "catalog/update.h"
#include "json/write.h"
#include "policy/facts.h"
#include "publish/derive.h"
#include "publish/rows.h"

namespace ki::publish {
namespace {

using catalog::RunRow;
using catalog::RunState;

Result<RunRow> require_run(db::Connection& connection, std::string_view id_or_digest) {
  auto run = TRY(catalog::find_run(connection, id_or_digest));
  if (run) return std::move(*run);
  return fail(Code::not_found, "there is no such run", std::string(id_or_digest));
}

Result<RunState> state(db::Connection& connection, std::string_view run_id) {
  const auto corrections = TRY(catalog::corrections_of(connection, run_id));
  return catalog::state_of(run_id, corrections);
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
  catalog::Ledger ledger = TRY(catalog::Ledger::open(connection));
  TRY(record_correction(ledger, row));
  cohorts.insert(run.comparison_key);
  TRY(refresh_cohorts(ledger, cohorts, {.now = at, .actor = row.actor}));
  TRY(ledger.write());
  const auto holder = TRY(holder_of(connection, run.comparison_key));
  TRY(transaction.commit());
  return CorrectionReport{.correction_id = row.id,
                          .run_id = run.id,
                          .comparison_key = run.comparison_key,
                          .holder_run_id = holder.value_or("")};
}

// What must agree for two runs to be one observation made twice. A provider is its slug in its
// project: a later revision of it has another digest.
struct Observed {
  std::string workload;
  std::string implementation;
  std::string hardware;
  std::string family;  // of protocols
  std::string pass;
};

Result<Observed> observed(db::Connection& connection, const RunRow& run) {
  const auto by = TRY(catalog::find<catalog::ImplementationRow>(
      connection, {.name = "implementation_by_id", .text = "WHERE id = $1"},
      run.implementation_id));
  if (!by) return fail(Code::internal, "the run's implementation is missing", run.id);
  const auto workload = TRY(catalog::find<catalog::WorkloadRow>(
      connection, {.name = "workload_by_id", .text = "WHERE id = $1"}, run.workload_id));
  if (!workload) return fail(Code::internal, "the run's workload is missing", run.id);
  const auto project = TRY(catalog::find<catalog::ProjectRow>(
      connection, {.name = "project_by_id", .text = "WHERE id = $1"}, by->project_id));
  if (!project) return fail(Code::internal, "the run's project is missing", run.id);
  const auto protocol = TRY(catalog::read_protocol(connection, run.protocol_key));
  if (!protocol) return fail(Code::internal, "the run's protocol is missing", run.id);
  const auto manifest = TRY(decode_stored(*protocol, run.protocol_key));
  const json::Value* const comparability = manifest.spec().find("comparability");
  const json::Value* const family =
      comparability == nullptr ? nullptr : comparability->find("family");
  const auto pass = policy::timed_pass(manifest.root());
  return Observed{.workload = workload->workload_digest,
                  .implementation = by->slug + " of " + project->slug,
                  .hardware = run.hardware_model,
                  .family = std::string(family == nullptr ? "unstated" : family->string()),
                  .pass = pass ? std::string(policy::name_of(*pass)) : "unstated"};
}

// Errors: Code::invalid, saying what differs.
Status check_same_observation(db::Connection& connection, const RunRow& newer,
                              const RunRow& older) {
  const Observed a = TRY(observed(connection, newer));
  const Observed b = TRY(observed(connection, older));
  std::vector<std::string> differs;
  const auto compare = [&](const char* what, const std::string& one, const std::string& other) {
    if (one != other) differs.push_back(std::string(what) + " (" + one + ", not " + other + ")");
  };
  compare("workload", a.workload, b.workload);
  compare("implementation", a.implementation, b.implementation);
  compare("hardware", a.hardware, b.hardware);
  compare("protocol family", a.family, b.family);
  compare("timed pass", a.pass, b.pass);
  if (differs.empty()) return {};
  return fail(Code::invalid,
              "a run supersedes an older one of the same observation only; it differs in " +
                  join(differs, ", ") + "; retract the older one if it is wrong",
              newer.id);
}

// What another catalog or an importer put in the place of an older run: also a run that their
// source names as the older one, when a mended mapping has changed what was read.
Status check_observation(db::Connection& connection, const RunRow& newer, const RunRow& older) {
  const bool named_alike = TRY(catalog::share_external_id(connection, newer.id, older.id));
  if (named_alike) return {};
  return check_same_observation(connection, newer, older);
}

Status check_pair(db::Connection& connection, const RunRow& newer, const RunRow& older) {
  if (newer.id == older.id) {
    return fail(Code::invalid, "a run cannot supersede itself", newer.id);
  }
  if (newer.operation_id != older.operation_id) {
    return fail(Code::invalid, "a run cannot supersede a run of another operation", newer.id);
  }
  TRY(check_observation(connection, newer, older));
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

Status check_actor(std::string_view actor) {
  if (!is_utf8(actor)) return fail(Code::invalid, "must be text in UTF-8", "actor");
  if (!trim(actor).empty() && actor.size() <= kActorMax) return {};
  return fail(Code::invalid, "must be the name of who does this, up to 200 bytes", "actor");
}

catalog::AuditRow audit_row(const catalog::CorrectionRow& row) {
  std::string detail;
  json::Writer out(detail);
  out.begin_object().key("correctionId").string(row.id).key("reason").string(row.reason);
  if (row.superseded_run_id) out.key("supersededRunId").string(*row.superseded_run_id);
  out.end_object();
  return {.id = row.id,
          .at = row.at,
          .actor = row.actor,
          .action = row.action,
          .entity_kind = "run",
          .entity_id = row.run_id,
          .detail = std::move(detail)};
}

Status check_justification(const Justification& why) {
  TRY(check_actor(why.actor));
  if (!is_utf8(why.reason)) return fail(Code::invalid, "must be text in UTF-8", "reason");
  const std::size_t length = utf16_length(trim(why.reason));
  if (length >= kReasonMin && length <= kReasonMax) return {};
  return fail(Code::invalid, "a correction needs a reason of 3 to 2000 characters", "reason");
}

Status check_applies(db::Connection& connection, std::string_view action, const RunRow& run,
                     const RunRow* older) {
  const RunState now = TRY(state(connection, run.id));
  if (action == catalog::kRetract) {
    if (!run.published_at) {
      return fail(Code::conflict, "an unpublished run cannot be retracted", run.id);
    }
    if (now.retracted) return fail(Code::conflict, "it is retracted already", run.id);
    return {};
  }
  if (action == catalog::kRestore) {
    if (now.retracted || !now.superseded_by.empty()) return {};
    return fail(Code::conflict, "it is neither retracted nor superseded", run.id);
  }
  if (action == catalog::kHold) {
    if (now.held) return fail(Code::conflict, "it is held already", run.id);
    return {};
  }
  if (action == catalog::kRelease) {
    if (now.held && !now.retracted) return {};
    return fail(Code::conflict, now.held ? "it was rejected" : "it is not held for review", run.id);
  }
  KI_CHECK(action == catalog::kSupersede && older != nullptr);
  TRY(check_pair(connection, run, *older));
  TRY(check_circle(connection, run, *older));
  const RunState older_state = TRY(state(connection, older->id));
  if (older_state.superseded_by.empty()) return {};
  return fail(Code::conflict, "it is superseded by " + older_state.superseded_by + " already",
              older->id);
}

Status record_correction(catalog::Ledger& ledger, const catalog::CorrectionRow& row) {
  TRY(ledger.insert(row));
  ledger.note(audit_row(row));
  return {};
}

namespace {

// The moment of a new correction of a run: after those that it has, whose clock may have been
// ahead.
Result<Instant> moment_after(db::Connection& connection, std::string_view run_id, Instant now) {
  const auto corrections = TRY(catalog::corrections_of(connection, run_id));
  for (const catalog::CorrectionRow& one : corrections) {
    const auto at = parse_instant(one.at);
    if (at && *at >= now) now = *at + std::chrono::milliseconds(1);
  }
  return now;
}

Result<CorrectionReport> correct_one(catalog::Catalog& catalog, std::string_view action,
                                     std::string_view run, const Justification& why,
                                     const Clock& clock) {
  TRY(check_justification(why));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const RunRow row = TRY(require_run(connection, run));
  TRY(check_applies(connection, action, row, nullptr));
  const Instant at = TRY(moment_after(connection, row.id, clock.now()));
  const auto made = correction(action, row.id, at, why);
  return apply(connection, transaction, made, row, {});
}

}  // namespace

Result<CorrectionReport> retract(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock) {
  return correct_one(catalog, catalog::kRetract, run, why, clock);
}

Result<CorrectionReport> restore(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock) {
  return correct_one(catalog, catalog::kRestore, run, why, clock);
}

Result<CorrectionReport> release(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock) {
  return correct_one(catalog, catalog::kRelease, run, why, clock);
}

Result<CorrectionReport> reject(catalog::Catalog& catalog, std::string_view run,
                                const Justification& why, const Clock& clock) {
  const RunRow held = TRY(require_run(catalog.connection(), run));
  const RunState now = TRY(state(catalog.connection(), held.id));
  if (!now.held) return fail(Code::conflict, "it is not held for review", held.id);
  return correct_one(catalog, catalog::kRetract, held.id, why, clock);
}

Result<CorrectionReport> supersede(catalog::Catalog& catalog, const Supersession& pair,
                                   const Justification& why, const Clock& clock) {
  TRY(check_justification(why));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const RunRow newer = TRY(require_run(connection, pair.run_id));
  const RunRow older = TRY(require_run(connection, pair.older_run_id));
  TRY(check_applies(connection, catalog::kSupersede, newer, &older));
  TRY(check_same_observation(connection, newer, older));
  const RunState newer_state = TRY(state(connection, newer.id));
  if (newer_state.retracted) {
    return fail(Code::conflict, "a retracted run cannot supersede another", newer.id);
  }
  TRY(check_supersedes_nothing(connection, newer));
  auto made = correction(catalog::kSupersede, newer.id, clock.now(), why);
  made.superseded_run_id = older.id;
  return apply(connection, transaction, made, newer, {older.comparison_key});
}

Status record_supersession(catalog::Ledger& ledger, const Supersession& pair, Instant at,
                           const Justification& why) {
  auto made = correction(catalog::kSupersede, pair.run_id, at, why);
  made.superseded_run_id = pair.older_run_id;
  return record_correction(ledger, made);
}

}  // namespace ki::publish
