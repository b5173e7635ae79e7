#include <algorithm>

#include "base/given.h"
#include "catalog/update.h"
#include "publish/corrections.h"
#include "publish/rows.h"
#include "publish/session.h"

namespace ki::publish {
namespace {

using manifest::Kind;
using manifest::Manifest;

// Runs are inserted in the order of observation, so that time-ordered ids, and the events that are
// ordered by them, do not depend on the order of the entries.
std::vector<const RunEntry*> in_order(const std::vector<RunEntry>& entries) {
  struct Key {
    std::optional<Instant> observed;
    const RunEntry* entry;
  };
  std::vector<Key> keys;
  for (const RunEntry& entry : entries) {
    const json::Value* observed = entry.run.spec().find("observedAt");
    keys.push_back({.observed = observed != nullptr && observed->is_string()
                                    ? parse_instant(observed->string())
                                    : std::nullopt,
                    .entry = &entry});
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    if (a.observed != b.observed) return a.observed < b.observed;
    return a.entry->run.digest() < b.entry->run.digest();
  });
  std::vector<const RunEntry*> order;
  for (const Key& key : keys) order.push_back(key.entry);
  return order;
}

std::optional<std::int64_t> known_number(std::int64_t number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

Status require_digest(const Manifest& run, std::string_view member,
                      const std::optional<Manifest>& given) {
  const Digest named = digest_at(run.spec(), member);
  if (!given || given->digest() == named) return {};
  return fail(Code::invalid,
              "its " + std::string(member) + " is " + to_string(named) +
                  ", but the manifest given with it has " + to_string(given->digest()),
              std::string(run.name()));
}

Error within(Error error, const Manifest& run) {
  error.where = std::string(run.name()) + (error.where.empty() ? "" : " " + error.where);
  return error;
}

}  // namespace

Status Session::insert_runs() {
  for (const RunEntry& entry : bundle_.runs) bundle_runs_.insert(to_string(entry.run.digest()));
  const std::vector<const RunEntry*> order = in_order(bundle_.runs);
  // First all protocols and environments: another run of the bundle may bring those of this one.
  for (const RunEntry* entry : order) {
    TRY(blame(entry->run, insert_settings(*entry)));
  }
  for (const RunEntry* entry : order) {
    TRY(blame(entry->run, insert_entry(*entry)));
  }
  return note_fallen_runs();
}

// Who publishes a run again may mean that it holds again: nothing ranks it, and that is said.
Status Session::note_fallen_runs() {
  const bool any = TRY(catalog::any_correction(connection_));
  if (!any || bundle_.carried.states_links) return {};  // an export brings its corrections
  std::size_t fallen = 0;
  std::string first;
  for (const auto& [id, digest] : known_runs_) {
    const auto corrections = TRY(catalog::corrections_of(connection_, id));
    const catalog::RunState state = catalog::state_of(id, corrections);
    if (!state.retracted && state.superseded_by.empty()) continue;
    if (fallen++ == 0) {
      first = digest +
              (state.retracted ? " is retracted" : " is superseded by run " + state.superseded_by);
    }
  }
  if (fallen > 0) {
    report.ambiguities.push_back(
        "runs that are known already, no longer stand and are not ranked "
        "again: " +
        std::to_string(fallen) + "; " + first);
  }
  return {};
}

Status Session::insert_settings(const RunEntry& entry) {
  TRY(require_digest(entry.run, "protocolDigest", entry.protocol));
  TRY(require_digest(entry.run, "environmentDigest", entry.environment));
  if (entry.protocol) {
    TRY(insert_protocol(*entry.protocol));
  }
  if (entry.environment) {
    TRY(insert_environment(*entry.environment));
  }
  return {};
}

Status Session::insert_entry(const RunEntry& entry) {
  const Manifest& run = entry.run;
  if (run.kind() != Kind::benchmark_run) {
    return fail(Code::invalid, "is no BenchmarkRun", std::string(run.name()));
  }
  const std::string digest = to_string(run.digest());
  RunOrigin origin = TRY(origin_of(entry));
  const auto known = TRY(catalog::run_id(connection_, digest));
  if (known) {
    note("run", run.name(), digest, Action::exists);
    known_runs_.emplace_back(*known, digest);
    return link_source("run", *known, origin);
  }
  const auto pending = TRY(catalog::pending_run_id(connection_, digest));
  if (pending) {
    note("run", run.name(), digest, Action::pending);
    return {};
  }
  const KnownWorkload* for_workload = TRY(workload(digest_at(run.spec(), "workloadDigest")));
  const KnownImplementation* by =
      TRY(implementation(digest_at(run.spec(), "implementationDigest")));
  const bool complete = for_workload != nullptr && by != nullptr;
  note("run", run.name(), digest, complete ? Action::insert : Action::pending);
  changed = true;
  TRY(link_artifacts("run", origin.id, entry.artifacts));
  if (!complete) return keep_pending(entry, origin);
  return insert_run(run, origin, *for_workload, *by);
}

Result<RunOrigin> Session::origin_of(const RunEntry& entry) {
  RunOrigin origin;
  origin.source_id = TRY(source_of(entry.source_slug));
  origin.external_id = entry.external_id;
  origin.row = known_number(entry.source_row);
  origin.line = known_number(entry.source_line);
  origin.linked = !bundle_.carried.states_links;
  if (entry.snapshot < snapshots_.size() && !snapshots_[entry.snapshot].empty())
    origin.snapshot_id = snapshots_[entry.snapshot];
  if (entry.preset) {
    origin.id = entry.preset->row.id;
    origin.created_at = entry.preset->row.created_at;
    origin.published_at = entry.preset->published_at;
    origin.measurements = &entry.preset->measurements;
  } else {
    origin.id = new_id();
    origin.created_at = now_;
    origin.published_at = now_;
  }
  return origin;
}

Status Session::insert_protocol(const Manifest& protocol, std::string_view created_at) {
  if (protocols_.contains(protocol.digest())) return {};
  if (protocol.kind() != Kind::benchmark_protocol) {
    return fail(Code::invalid, "is no BenchmarkProtocol", std::string(protocol.name()));
  }
  const std::string digest = to_string(protocol.digest());
  const bool known = TRY(catalog::has_protocol(connection_, digest));
  note("protocol", protocol.name(), digest, known ? Action::exists : Action::insert);
  protocols_.try_emplace(protocol.digest(), KnownSetting{.spec = &protocol.spec(), .stored = {}});
  if (known) return {};
  catalog::ProtocolRow row = protocol_row(protocol);
  row.created_at = created_at.empty() ? std::string_view(now_) : created_at;
  changed = true;
  return ledger_.insert(row);
}

Status Session::insert_environment(const Manifest& environment, std::string_view created_at) {
  if (environments_.contains(environment.digest())) return {};
  if (environment.kind() != Kind::execution_environment) {
    return fail(Code::invalid, "is no ExecutionEnvironment", std::string(environment.name()));
  }
  const std::string digest = to_string(environment.digest());
  const bool known = TRY(catalog::has_environment(connection_, digest));
  note("environment", environment.name(), digest, known ? Action::exists : Action::insert);
  environments_.try_emplace(environment.digest(),
                            KnownSetting{.spec = &environment.spec(), .stored = {}});
  if (known) return {};
  catalog::EnvironmentRow row = environment_row(environment);
  row.created_at = created_at.empty() ? std::string_view(now_) : created_at;
  changed = true;
  return ledger_.insert(row);
}

Status Session::require_settings(const Manifest& run) {
  const Digest protocol_digest = digest_at(run.spec(), "protocolDigest");
  const json::Value* known_protocol = TRY(protocol(protocol_digest));
  if (known_protocol == nullptr) return unknown("protocol", to_string(protocol_digest), run);
  const Digest environment_digest = digest_at(run.spec(), "environmentDigest");
  const json::Value* known_environment = TRY(environment(environment_digest));
  if (known_environment == nullptr) {
    return unknown("environment", to_string(environment_digest), run);
  }
  return {};
}

Status Session::keep_pending(const RunEntry& entry, const RunOrigin& origin) {
  const json::Value& spec = entry.run.spec();
  TRY(require_settings(entry.run));
  // What the run itself states must hold now: later it would stop the bundle that completes it.
  const json::Value* with_protocol = TRY(protocol(digest_at(spec, "protocolDigest")));
  const json::Value* in_environment = TRY(environment(digest_at(spec, "environmentDigest")));
  const auto facts = policy::derive_run_facts(spec, *with_protocol, *in_environment, {}, {});
  if (!facts) return std::unexpected(within(facts.error(), entry.run));
  return ledger_.insert(catalog::PendingRunRow{
      .run_digest = to_string(entry.run.digest()),
      .id = origin.id,
      .implementation_digest = to_string(digest_at(spec, "implementationDigest")),
      .workload_digest = to_string(digest_at(spec, "workloadDigest")),
      .protocol_key = to_string(digest_at(spec, "protocolDigest")),
      .environment_key = to_string(digest_at(spec, "environmentDigest")),
      .source_id = origin.source_id,
      .snapshot_id = origin.snapshot_id,
      .source_row = origin.row,
      .source_line = origin.line,
      .external_id = given(origin.external_id),
      .manifest = entry.run.to_json(),
      .created_at = origin.created_at});
}

Status Session::insert_run(const Manifest& run, const RunOrigin& origin,
                           const KnownWorkload& for_workload, const KnownImplementation& by) {
  TRY(require_settings(run));
  const json::Value* with_protocol = TRY(protocol(digest_at(run.spec(), "protocolDigest")));
  const json::Value* in_environment = TRY(environment(digest_at(run.spec(), "environmentDigest")));
  auto facts = policy::derive_run_facts(run.spec(), *with_protocol, *in_environment,
                                        for_workload.facts, by.facts);
  if (!facts) return std::unexpected(within(std::move(facts).error(), run));
  catalog::RunRow row = run_row(run, *facts);
  row.id = origin.id;
  // The workload's, as in the comparison key: an implementation may be written for an equivalent
  // operation that has a name of its own.
  row.operation_id = for_workload.operation_id;
  row.workload_id = for_workload.id;
  row.implementation_id = by.id;
  row.source_id = origin.source_id;
  row.published_at = origin.published_at;
  row.created_at = origin.created_at;
  TRY(ledger_.insert(row));
  TRY(insert_measurements(row.id, *facts, origin.measurements));
  TRY(link_source("run", row.id, origin));
  cohorts.insert(row.comparison_key);
  return supersede_older(row, origin);
}

Status Session::insert_measurements(const std::string& run_id, const policy::RunFacts& facts,
                                    const std::vector<MeasurementPreset>* presets) {
  for (catalog::MeasurementRow& row : measurement_rows(facts)) {
    row.run_id = run_id;
    row.id.clear();
    if (presets != nullptr) {
      const auto preset = std::ranges::find_if(*presets, [&](const MeasurementPreset& p) {
        return p.metric == row.metric && p.statistic == row.statistic;
      });
      if (preset != presets->end()) row.id = preset->id;
    }
    if (row.id.empty()) row.id = new_id();
    TRY(ledger_.insert(row));
  }
  return {};
}

// One upstream observation under a new revision supersedes what the catalog held of it. A bundle
// is one state of its source, so its own runs stand beside each other; and an external id that two
// mappings restate under different operations is two different claims.
Status Session::supersede_older(const catalog::RunRow& run, const RunOrigin& origin) {
  if (!origin.source_id || origin.external_id.empty() || !run.published_at) return {};
  const auto same =
      TRY(catalog::runs_of_observation(connection_, *origin.source_id, origin.external_id));
  for (const catalog::ObservedRun& other : same) {
    if (other.id == run.id || other.operation_id != run.operation_id || !other.published ||
        bundle_runs_.contains(other.run_digest)) {
      continue;
    }
    const auto corrections = TRY(catalog::corrections_of(connection_, other.id));
    if (!catalog::state_of(other.id, corrections).superseded_by.empty()) continue;
    const bool newer = run.observed_at >= other.observed_at;
    const Supersession pair{.run_id = newer ? run.id : other.id,
                            .older_run_id = newer ? other.id : run.id};
    TRY(record_supersession(
        ledger_, pair, instant_,
        {.actor = "import",
         .reason = "newer revision of the same upstream observation, " + origin.external_id}));
    cohorts.insert(other.comparison_key);
    ++report.superseded;
    if (!newer) return {};  // it is superseded itself; the rest is the newer one's business
  }
  return {};
}

Status Session::promote_pending() {
  if (new_workloads_.empty() && new_implementations_.empty()) return {};
  const bool any = TRY(catalog::any_pending(connection_));
  if (!any) return {};
  std::vector<catalog::PendingRunRow> waiting;
  for (const Digest& digest : new_workloads_) {
    const auto rows = TRY(catalog::pending_for_workload(connection_, to_string(digest)));
    waiting.insert(waiting.end(), rows.begin(), rows.end());
  }
  for (const Digest& digest : new_implementations_) {
    const auto rows = TRY(catalog::pending_for_implementation(connection_, to_string(digest)));
    waiting.insert(waiting.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(waiting, {}, &catalog::PendingRunRow::id);
  const auto same = [](const auto& a, const auto& b) { return a.id == b.id; };
  waiting.erase(std::unique(waiting.begin(), waiting.end(), same), waiting.end());
  for (const catalog::PendingRunRow& pending : waiting) {
    TRY(promote(pending));
  }
  return {};
}

Status Session::promote(const catalog::PendingRunRow& pending) {
  const Manifest run = TRY(decode_stored(pending.manifest, pending.run_digest));
  const KnownWorkload* for_workload = TRY(workload(digest_at(run.spec(), "workloadDigest")));
  const KnownImplementation* by =
      TRY(implementation(digest_at(run.spec(), "implementationDigest")));
  if (for_workload == nullptr || by == nullptr) return {};  // still waits for the other
  RunOrigin origin;
  origin.id = pending.id;
  origin.created_at = pending.created_at;
  origin.published_at = now_;
  origin.source_id = pending.source_id;
  origin.snapshot_id = pending.snapshot_id;
  origin.external_id = pending.external_id.value_or("");
  origin.row = pending.source_row;
  origin.line = pending.source_line;
  TRY(insert_run(run, origin, *for_workload, *by));
  TRY(catalog::remove_pending(connection_, pending.run_digest));
  ledger_.remove(pending);
  ++report.completed;
  // One that this bundle brought as well was noted as waiting before its object was there.
  const auto noted = std::ranges::find_if(report.outcomes, [&](const Outcome& outcome) {
    return outcome.action == Action::pending && outcome.digest == pending.run_digest;
  });
  if (noted != report.outcomes.end()) {
    noted->action = Action::exists;
    --report.pending;
    ++report.existing;
  }
  changed = true;
  return {};
}

}  // namespace ki::publish
