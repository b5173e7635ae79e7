#include "publish/session.h"

#include "base/given.h"
#include "catalog/update.h"
#include "json/write.h"
#include "publish/rows.h"

namespace ki::publish {

Session::Session(catalog::Ledger& ledger, const Bundle& bundle, const Clock& clock,
                 const Options& options)
    : ledger_(ledger),
      connection_(ledger.connection()),
      bundle_(bundle),
      options_(options),
      instant_(clock.now()),
      now_(to_iso(instant_)),
      copies_(ledger.is_continued_by(bundle.carried.log)) {}

std::string Session::new_id() { return uuid_v7(instant_); }

std::string Session::id_of(const std::optional<Preset>& preset) {
  return preset ? preset->id : new_id();
}

std::string Session::time_of(const std::optional<Preset>& preset) const {
  return preset ? preset->created_at : now_;
}

void Session::note(std::string_view entity, std::string_view name, std::string digest,
                   Action action) {
  switch (action) {
    case Action::insert:
      ++report.inserted;
      break;
    case Action::exists:
      ++report.existing;
      break;
    case Action::pending:
      ++report.pending;
      break;
  }
  report.outcomes.push_back({.entity = std::string(entity),
                             .name = std::string(name),
                             .digest = std::move(digest),
                             .action = action});
}

Status Session::blame(const manifest::Manifest& object, Status done) const {
  const bool its_own =
      !done && (done.error().code == Code::invalid || done.error().code == Code::conflict);
  if (its_own && options_.at_fault != nullptr) *options_.at_fault = object.digest();
  return done;
}

Status Session::insert_all() {
  if (!copies_) {
    TRY(insert_source(bundle_.source));
  }
  for (const SourceEntry& entry : bundle_.more_sources) {
    TRY(insert_source(entry));
  }
  if (!copies_) source_id_ = TRY(source_of(""));
  TRY(insert_snapshots());
  for (const ProjectEntry& entry : bundle_.projects) {
    TRY(blame(entry.manifest, insert_project(entry)));
  }
  for (const OperationEntry& entry : bundle_.operations) {
    TRY(blame(entry.manifest, insert_operation(entry)));
  }
  for (const WorkloadEntry& entry : bundle_.workloads) {
    TRY(blame(entry.manifest, insert_workload(entry)));
  }
  for (const ImplementationEntry& entry : bundle_.implementations) {
    TRY(blame(entry.manifest, insert_implementation(entry)));
  }
  for (const ArtifactEntry& entry : bundle_.artifacts) {
    std::string id;
    TRY(insert_artifact(entry, id));
  }
  TRY(insert_carried_settings());
  TRY(insert_runs());
  TRY(insert_carried_links());
  TRY(insert_corrections());
  TRY(insert_carried_attestations());
  TRY(insert_all_serving());
  TRY(promote_pending());
  TRY(insert_statements());
  TRY(insert_holds());
  return insert_carried_trust();  // last: it wants to know what the log will count
}

Status Session::insert_source(const SourceEntry& entry) {
  if (entry.slug.empty()) return {};
  const auto known = TRY(catalog::find_source(connection_, entry.slug));
  if (known) {
    sources_.emplace(entry.slug, known->id);
    if (entry.policy_json.empty() || known->policy == entry.policy_json) return {};
    changed = true;
    catalog::SourceRow now = *known;
    now.policy = entry.policy_json;
    ledger_.remove(*known);
    ledger_.add(now);
    return catalog::replace_source_policy(connection_, known->id, entry.policy_json);
  }
  const catalog::SourceRow row{.id = id_of(entry.preset),
                               .slug = entry.slug,
                               .kind = entry.kind,
                               .name = entry.name,
                               .policy = given(entry.policy_json),
                               .created_at = time_of(entry.preset)};
  TRY(ledger_.insert(row));
  changed = true;
  sources_.emplace(entry.slug, row.id);
  return {};
}

Result<std::optional<std::string>> Session::source_of(std::string_view slug) const {
  if (slug == kNoSource || (slug.empty() && bundle_.source.slug.empty())) return std::nullopt;
  const auto found = sources_.find(slug.empty() ? bundle_.source.slug : std::string(slug));
  if (found != sources_.end()) return found->second;
  return fail(Code::invalid, "names a source that the bundle does not describe", std::string(slug));
}

Status Session::insert_snapshots() {
  for (const SnapshotEntry& entry : bundle_.snapshots) {
    std::string& id = snapshots_.emplace_back();
    if (copies_ && !entry.preset) continue;  // the file that the copy comes in
    TRY(insert_snapshot(entry, id));
  }
  return {};
}

Status Session::insert_snapshot(const SnapshotEntry& entry, std::string& id) {
  const auto source = TRY(source_of(entry.source_slug));
  if (!source) {
    return fail(Code::invalid, "an input file needs the source it belongs to", entry.locator);
  }
  const catalog::SourceSnapshotRow row{.id = id_of(entry.preset),
                                       .source_id = *source,
                                       .locator = entry.locator,
                                       .content_digest = to_string(entry.content_digest),
                                       .media_type = entry.media_type,
                                       .size_bytes = entry.size_bytes,
                                       .parser_name = entry.parser_name,
                                       .parser_version = entry.parser_version,
                                       .fetched_at = time_of(entry.preset)};
  const auto known = TRY(catalog::snapshot_id(connection_, row));
  id = known.value_or(row.id);
  if (known) return {};
  changed = true;
  return ledger_.insert(row);
}

Status Session::insert_artifact(const ArtifactEntry& entry, std::string& id) {
  const std::string digest = to_string(entry.digest);
  if (!entry.content.empty() && sha256(entry.content) != entry.digest) {
    return fail(Code::invalid, "the content of an artifact does not have its digest", digest);
  }
  const auto known = TRY(catalog::artifact_id(connection_, digest));
  if (known) {
    id = *known;
    return {};
  }
  const std::string_view storage = entry.content.empty() ? "upstream" : "inline";
  const catalog::ArtifactRow row{
      .id = id_of(entry.preset),
      .content_digest = digest,
      .kind = entry.kind,
      .media_type = entry.media_type,
      .size_bytes = entry.size_bytes,
      .storage = entry.storage.empty() ? std::string(storage) : entry.storage,
      .uri = given(entry.uri),
      .license = given(entry.license),
      .content = given(entry.content),
      .created_at = time_of(entry.preset)};
  TRY(ledger_.insert(row));
  changed = true;
  id = row.id;
  return {};
}

Status Session::link_artifacts(std::string_view kind, const std::string& id,
                               const std::vector<ArtifactEntry>& entries) {
  for (const ArtifactEntry& entry : entries) {
    catalog::ArtifactLinkRow link{
        .entity_kind = std::string(kind), .entity_id = id, .role = entry.role, .artifact_id = {}};
    TRY(insert_artifact(entry, link.artifact_id));
    const bool added = TRY(catalog::add_link(connection_, link));
    if (!added) continue;
    ledger_.add(link);
    changed = true;
  }
  return {};
}

Status Session::link_source(std::string_view kind, const std::string& id, const RunOrigin& origin) {
  if (!origin.linked || !origin.source_id || origin.external_id.empty()) return {};
  const catalog::SourceLinkRow link{.source_id = *origin.source_id,
                                    .entity_kind = std::string(kind),
                                    .external_id = origin.external_id,
                                    .entity_id = id,
                                    .snapshot_id = origin.snapshot_id,
                                    .source_row = origin.row,
                                    .source_line = origin.line,
                                    .created_at = now_};
  const bool added = TRY(catalog::add_link(connection_, link));
  if (added) ledger_.add(link);
  changed = changed || added;
  return {};
}

Status Session::link_object(std::string_view kind, const std::string& id,
                            std::string_view external_id) {
  RunOrigin origin;
  origin.source_id = source_id_;
  origin.external_id = external_id;
  if (!snapshots_.empty()) origin.snapshot_id = snapshots_.front();
  return link_source(kind, id, origin);
}

Status Session::write_log() {
  if (copies_) {
    const bool written = TRY(ledger_.write_rest_of(bundle_.carried.log));
    if (written) return {};
    report.ambiguities.emplace_back(
        "the audit log of the export is not taken over: it counts other evidence than the export "
        "gave; something was changed in it, or left out");
    copies_ = false;
    if (!changed) return {};
    TRY(insert_source(bundle_.source));
    source_id_ = TRY(source_of(""));
    std::string id;
    for (const SnapshotEntry& entry : bundle_.snapshots) {
      if (entry.preset) continue;
      TRY(insert_snapshot(entry, id));
    }
  }
  if (!changed) return {};
  note_publication();
  return ledger_.write();
}

void Session::note_publication() {
  std::string detail;
  json::Writer out(detail);
  out.begin_object();
  out.key("inserted").integer(report.inserted).key("existing").integer(report.existing);
  out.key("pending").integer(report.pending).key("completed").integer(report.completed);
  out.key("superseded").integer(report.superseded);
  out.key("corrections").integer(report.corrections);
  out.key("recordEvents").integer(report.record_events);
  out.key("snapshots").begin_array();
  for (const SnapshotEntry& entry : bundle_.snapshots) {
    if (!entry.preset) out.string(to_string(entry.content_digest));
  }
  out.end_array().end_object();
  ledger_.note({.id = new_id(),
                .at = now_,
                .actor = options_.actor,
                .action = "publish",
                .entity_kind = "source",
                .entity_id = source_id_.value_or(""),
                .detail = std::move(detail)});
}

}  // namespace ki::publish
