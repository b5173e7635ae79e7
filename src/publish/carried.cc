// What comes from another catalog with its objects: corrections, settings, links, record events.

#include <algorithm>

#include "catalog/rows_derived.h"
#include "catalog/update.h"
#include "publish/attestations.h"
#include "publish/corrections.h"
#include "publish/session.h"

namespace ki::publish {
namespace {

// Served by the unique index of record_event.
constexpr db::Sql kEvent{"stated_event",
                         "WHERE comparison_key = $1 AND run_id = $2 AND cause = $3"};

bool is_same(const catalog::CorrectionRow& stored, const catalog::CorrectionRow& row,
             bool any_time) {
  return stored.action == row.action && stored.run_id == row.run_id &&
         stored.superseded_run_id == row.superseded_run_id && (any_time || stored.at == row.at);
}

std::string named(const CorrectionEntry& entry) {
  return entry.action + " of " + to_string(entry.run) + (entry.at.empty() ? "" : " at " + entry.at);
}

}  // namespace

// In the order in which they were made; those without a time are news.
Status Session::insert_corrections() {
  std::vector<const CorrectionEntry*> order;
  for (const CorrectionEntry& entry : bundle_.corrections) order.push_back(&entry);
  std::ranges::stable_sort(order, [](const CorrectionEntry* a, const CorrectionEntry* b) {
    return std::tuple(a->at.empty(), std::string_view(a->at), std::string_view(a->id)) <
           std::tuple(b->at.empty(), std::string_view(b->at), std::string_view(b->id));
  });
  for (const CorrectionEntry* entry : order) {
    TRY(take_over(*entry));
  }
  return {};
}

Status Session::take_over(const CorrectionEntry& entry) {
  TRY(check_justification({.actor = entry.actor, .reason = entry.reason}));
  const auto at = entry.at.empty() ? std::optional(instant_) : parse_instant(entry.at);
  const bool pair = entry.action == catalog::kSupersede;
  if (!at || pair != entry.superseded.has_value() ||
      (!pair && entry.action != catalog::kRetract && entry.action != catalog::kRestore &&
       entry.action != catalog::kHold && entry.action != catalog::kRelease)) {
    return fail(Code::invalid, "is no correction", named(entry));
  }
  const auto refuse = [&](const std::string& why) -> Status {
    report.ambiguities.push_back("the correction is not taken over: " + named(entry) + ": " + why);
    return {};
  };
  constexpr std::chrono::hours kFastClock{24};
  if (*at > instant_ + kFastClock) return refuse("it is dated in the future");
  const auto run = TRY(catalog::find_run(connection_, to_string(entry.run)));
  if (!run) return refuse("there is no such run");
  std::optional<catalog::RunRow> older;
  if (pair) older = TRY(catalog::find_run(connection_, to_string(*entry.superseded)));
  if (pair && !older) return refuse("there is no run " + to_string(*entry.superseded));
  const catalog::CorrectionRow row{
      .id = entry.id.empty() ? uuid_v7(*at) : entry.id,
      .action = entry.action,
      .run_id = run->id,
      .superseded_run_id = older ? std::optional(older->id) : std::nullopt,
      .actor = entry.actor,
      .reason = entry.reason,
      .at = to_iso(*at)};
  const auto corrections = TRY(catalog::corrections_of(connection_, run->id));
  for (const catalog::CorrectionRow& stored : corrections) {
    const bool known =
        entry.id.empty() ? is_same(stored, row, entry.at.empty()) : stored.id == row.id;
    if (known) return {};
  }
  const bool taken = TRY(catalog::has_correction(connection_, row.id));
  if (taken) {
    return refuse("another correction has the id " + row.id);
  }
  const Status applies = check_applies(connection_, row.action, *run, older ? &*older : nullptr);
  if (!applies && applies.error().code == Code::unavailable) return applies;
  if (!applies) return refuse(applies.error().message);
  TRY(record_correction(ledger_, row));
  cohorts.insert(run->comparison_key);
  if (older) cohorts.insert(older->comparison_key);
  ++report.corrections;
  changed = true;
  return {};
}

Status Session::insert_carried_settings() {
  for (const SettingEntry& entry : bundle_.carried.settings) {
    if (entry.manifest.kind() == manifest::Kind::benchmark_protocol) {
      TRY(insert_protocol(entry.manifest, entry.created_at));
    } else {
      TRY(insert_environment(entry.manifest, entry.created_at));
    }
  }
  return {};
}

Result<catalog::Id> Session::entity_id(std::string_view kind, const Digest& digest) {
  const std::string text = to_string(digest);
  if (kind == "operation") return catalog::operation_id(connection_, text);
  if (kind == "workload") return catalog::workload_id(connection_, text);
  if (kind == "implementation") return catalog::implementation_id(connection_, text);
  auto id = TRY(catalog::run_id(connection_, text));
  if (id) return id;
  return catalog::pending_run_id(connection_, text);
}

Status Session::insert_carried_links() {
  for (const LinkEntry& entry : bundle_.carried.links) {
    const auto entity = TRY(entity_id(entry.entity_kind, entry.entity));
    const auto source = TRY(source_of(entry.source_slug));
    if (!entity || !source) continue;  // the reader saw both
    catalog::SourceLinkRow link{.source_id = *source,
                                .entity_kind = entry.entity_kind,
                                .external_id = entry.external_id,
                                .entity_id = *entity,
                                .snapshot_id = {},
                                .source_row = entry.source_row,
                                .source_line = entry.source_line,
                                .created_at = entry.created_at};
    if (entry.snapshot) link.snapshot_id = snapshots_.at(*entry.snapshot);
    const bool added = TRY(catalog::add_link(connection_, link));
    if (added) ledger_.add(link);
    changed = changed || added;
  }
  for (const ArtifactLinkEntry& entry : bundle_.carried.artifact_links) {
    const auto entity = TRY(entity_id(entry.entity_kind, entry.entity));
    const auto artifact = TRY(catalog::artifact_id(connection_, to_string(entry.artifact)));
    if (!entity || !artifact) continue;
    const catalog::ArtifactLinkRow link{.entity_kind = entry.entity_kind,
                                        .entity_id = *entity,
                                        .role = entry.role,
                                        .artifact_id = *artifact};
    const bool added = TRY(catalog::add_link(connection_, link));
    if (added) ledger_.add(link);
    changed = changed || added;
  }
  return {};
}

// Those that are here already, by id, stay as they are.
Status Session::insert_carried_attestations() {
  for (const AttestationEntry& entry : bundle_.carried.attestations) {
    catalog::AttestationRow row = entry.row;
    TRY(check_attestation(row));
    const bool known = TRY(catalog::has_attestation(connection_, row.id));
    if (known) continue;
    const auto run = TRY(entity_id("run", entry.run));
    if (!run) {
      report.ambiguities.push_back("attestation " + row.id + " is not taken over: no run " +
                                   to_string(entry.run));
      continue;
    }
    row.run_id = *run;
    TRY(record_attestation(ledger_, row));
    changed = true;
  }
  return {};
}

Status Session::check_record_events() {
  constexpr std::size_t kListed = 20;
  std::size_t differing = 0;
  for (const RecordEventPreset& entry : bundle_.record_events) {
    if (entry.comparison_key.empty()) continue;  // only an id and a time
    const auto run = TRY(entity_id("run", entry.run));
    std::optional<std::string> previous;
    if (entry.previous) previous = TRY(entity_id("run", *entry.previous));
    const auto derived = TRY(catalog::find<catalog::RecordEventRow>(
        connection_, kEvent, entry.comparison_key, run.value_or(""), entry.cause));
    std::string why;
    if (!derived) {
      why = "the evidence here gives no such event";
    } else if (derived->at != entry.at) {
      why = "at is stated as " + entry.at + " and follows as " + derived->at;
    } else if (derived->previous_run_id != previous) {
      why = "previousRunId is stated as " + previous.value_or("null") + " and follows as " +
            derived->previous_run_id.value_or("null");
    }
    if (why.empty() || ++differing > kListed) continue;
    report.ambiguities.push_back("record event " + entry.row.id + " is not taken over: " + why);
  }
  if (differing > kListed) {
    report.ambiguities.push_back("and " + std::to_string(differing - kListed) +
                                 " more record events are not taken over");
  }
  return {};
}

}  // namespace ki::publish
