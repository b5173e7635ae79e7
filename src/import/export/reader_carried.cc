// The tables that only this program's exports have: with them a catalog can be made again as it
// was.

#include <fmt/format.h>

#include "catalog/ledger.h"
#include "import/export/columns.h"
#include "import/export/comparison.h"
#include "import/export/reader.h"
#include "json/write.h"
#include "publish/attestations.h"
#include "publish/trust.h"

namespace ki::importer {
namespace {

std::string missing(std::string_view column, std::string_view what) {
  return fmt::format("{}: its {} is not here or was not taken", column, what);
}

std::optional<std::int64_t> number(const json::Value& row, std::string_view column) {
  if (is_null(row, column)) return std::nullopt;
  return static_cast<std::int64_t>(row.find(column)->number());
}

std::string compact(const json::Value& row, std::string_view column) {
  std::string out;
  json::append_compact(out, *row.find(column));
  return out;
}

}  // namespace

std::optional<std::size_t> ExportReader::snapshot_of(const json::Value& row) const {
  if (is_null(row, "snapshotId")) return kNoSnapshot;
  const auto found = snapshots_.find(std::string(text(row, "snapshotId")));
  return found == snapshots_.end() ? std::nullopt : std::optional(found->second);
}

const Digest* ExportReader::digest_of(std::string_view kind, const std::string& id) const {
  if (kind == "operation") {
    const auto found = operations_.find(id);
    return found == operations_.end() ? nullptr
                                      : &bundle_.operations[found->second].manifest.digest();
  }
  if (kind == "workload") {
    const auto found = workloads_.find(id);
    return found == workloads_.end() ? nullptr : &found->second.digest;
  }
  if (kind == "implementation") {
    const auto found = implementations_.find(id);
    return found == implementations_.end() ? nullptr : &found->second.digest;
  }
  if (const Digest* run = digest_of_run(id)) return run;
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : &found->second;
}

// Relations follow from the operations, so a row is only held against them.
std::string ExportReader::add_relation(Row row) {
  const auto first = operations_.find(std::string(text(row.value, "operationId")));
  if (first == operations_.end()) return missing("operationId", "operation");
  const auto other = operations_.find(std::string(text(row.value, "relatedId")));
  if (other == operations_.end()) return missing("relatedId", "operation");
  const publish::OperationEntry& operation = bundle_.operations[first->second];
  const publish::OperationEntry& related = bundle_.operations[other->second];
  if (operation.slug >= related.slug) return "relatedId: the smaller slug comes first, once";
  const auto key = [](const publish::OperationEntry& entry) {
    return policy::equivalence_key(entry.slug, entry.manifest.spec());
  };
  if (key(operation) != key(related)) {
    return fmt::format("relatedId: {} and {} are not equivalent: their specs or slugs differ",
                       excerpt(operation.slug), excerpt(related.slug));
  }
  if (!slugs_.insert("relations " + operation.slug + ' ' + related.slug).second) {
    return "relatedId: an earlier row is the same relation";
  }
  return "";
}

std::string ExportReader::add_snapshot(Row row) {
  const json::Value& value = row.value;
  const auto source = sources_.find(text(value, "sourceId"));
  if (source == sources_.end()) return missing("sourceId", "source");
  publish::SnapshotEntry entry{.locator = std::string(text(value, "locator")),
                               .content_digest = *parse_digest(text(value, "contentDigest")),
                               .media_type = std::string(text(value, "mediaType")),
                               .size_bytes = *number(value, "sizeBytes"),
                               .parser_name = std::string(text(value, "parserName")),
                               .parser_version = std::string(text(value, "parserVersion")),
                               .source_slug = source->second};
  if (!slugs_
           .insert(fmt::format("snapshots {} {} {} {}", source->second, entry.locator,
                               to_string(entry.content_digest), entry.parser_version))
           .second) {
    return "contentDigest: an earlier row is the same file";
  }
  entry.preset = publish::Preset{.id = std::string(text(value, "id")),
                                 .created_at = std::string(text(value, "fetchedAt"))};
  snapshots_.emplace(entry.preset->id, bundle_.snapshots.size());
  bundle_.snapshots.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_protocol(Row row) {
  return add_setting(row, manifest::Kind::benchmark_protocol);
}
std::string ExportReader::add_environment(Row row) {
  return add_setting(row, manifest::Kind::execution_environment);
}

std::string ExportReader::add_setting(Row row, manifest::Kind kind) {
  auto manifest = take_manifest(row, {&kind, 1}, "digest");
  if (!manifest) return manifest.error();
  taken_.insert(manifest->digest());
  bundle_.carried.settings.push_back(
      {.manifest = std::move(*manifest), .created_at = std::string(text(row.value, "createdAt"))});
  return "";
}

std::string ExportReader::add_pending(Row row) {
  const json::Value& value = row.value;
  constexpr manifest::Kind kRun[] = {manifest::Kind::benchmark_run};
  auto manifest = take_manifest(row, kRun, "runDigest");
  if (!manifest) return manifest.error();
  const auto source = source_of(value);
  if (!source) return missing("sourceId", "source");
  const auto snapshot = snapshot_of(value);
  if (!snapshot) return missing("snapshotId", "input file");
  for (const std::string_view setting : {"protocolDigest", "environmentDigest"}) {
    const auto digest = parse_digest(text(manifest->spec(), setting));
    if (!digest || !taken_.contains(*digest)) {
      return fmt::format("manifest: its {} is not here or was not taken", setting);
    }
  }
  std::string stated;
  if (const json::Value* native = manifest->spec().find("sourceNative")) {
    stated = text(*native, "externalId");
  }
  if (!is_null(value, "externalId") && text(value, "externalId") != stated) {
    return stored_as("externalId", text(value, "externalId"), stated);
  }
  publish::RunEntry entry{.run = std::move(*manifest)};
  entry.external_id = text(value, "externalId");
  entry.source_row = number(value, "sourceRow").value_or(0);
  entry.source_line = number(value, "sourceLine").value_or(0);
  entry.snapshot = *snapshot;
  entry.source_slug = *source;
  publish::RunPreset& preset = entry.preset.emplace();
  preset.row.id = text(value, "id");
  preset.row.created_at = text(value, "createdAt");
  preset.published_at = preset.row.created_at;  // counts only where its objects are there already
  taken_.insert(entry.run.digest());
  pending_.emplace(preset.row.id, entry.run.digest());
  bundle_.runs.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_artifact_link(Row row) {
  const json::Value& value = row.value;
  const std::string_view kind = text(value, "entityKind");
  const Digest* const entity = digest_of(kind, std::string(text(value, "entityId")));
  if (entity == nullptr) return missing("entityId", kind);
  const auto artifact = artifacts_.find(std::string(text(value, "artifactId")));
  if (artifact == artifacts_.end()) return missing("artifactId", "artifact");
  publish::ArtifactLinkEntry entry{.entity_kind = std::string(kind),
                                   .entity = *entity,
                                   .role = std::string(text(value, "role")),
                                   .artifact = artifact->second};
  if (!slugs_
           .insert(fmt::format("artifact_links {} {} {} {}", kind, to_string(*entity), entry.role,
                               to_string(entry.artifact)))
           .second) {
    return "artifactId: an earlier row is the same link";
  }
  bundle_.carried.artifact_links.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_attestation(Row row) {
  const json::Value& value = row.value;
  const Digest* const run = digest_of_run(std::string(text(value, "runId")));
  if (run == nullptr) return missing("runId", "run");
  const auto maybe_text = [&](std::string_view column) {
    return is_null(value, column) ? std::nullopt : std::optional(std::string(text(value, column)));
  };
  catalog::AttestationRow entry{.id = std::string(text(value, "id")),
                                .run_id = {},
                                .type = std::string(text(value, "type")),
                                .body = std::string(text(value, "body")),
                                .evidence_url = maybe_text("evidenceUrl"),
                                .observed_ns = {},
                                .environment_summary = maybe_text("environmentSummary"),
                                .author = std::string(text(value, "author")),
                                .at = std::string(text(value, "at"))};
  if (!is_null(value, "observedNs")) entry.observed_ns = value.find("observedNs")->number();
  if (const Status sound = publish::check_attestation(entry); !sound) {
    return sound.error().where + ": " + sound.error().message;
  }
  bundle_.carried.attestations.push_back({.run = *run, .row = std::move(entry)});
  return "";
}

std::string ExportReader::add_statement(Row row) {
  publish::StatementEntry entry{.envelope = compact(row.value, "envelope"),
                                .created_at = std::string(text(row.value, "createdAt"))};
  const auto rows = publish::statement_rows(entry.envelope);
  if (!rows) return "envelope: " + to_string(rows.error());
  const std::string_view stated = text(row.value, "digest");
  if (stated != rows->statement.digest) {
    return stored_as("digest", stated, rows->statement.digest);
  }
  if (!slugs_.insert("statements " + rows->statement.digest).second) {
    return "digest: an earlier row is the same statement";
  }
  bundle_.carried.statements.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_runner_event(Row row) {
  const json::Value& value = row.value;
  catalog::RunnerEventRow entry{.id = std::string(text(value, "id")),
                                .action = std::string(text(value, "action")),
                                .key_id = std::string(text(value, "keyId")),
                                .actor = std::string(text(value, "actor")),
                                .reason = std::string(text(value, "reason")),
                                .at = std::string(text(value, "at"))};
  if (const Status sound = publish::check_runner_event(entry); !sound) {
    return sound.error().where + ": " + sound.error().message;
  }
  bundle_.carried.runner_events.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_source_link(Row row) {
  const json::Value& value = row.value;
  const auto source = sources_.find(text(value, "sourceId"));
  if (source == sources_.end()) return missing("sourceId", "source");
  const std::string_view kind = text(value, "entityKind");
  const std::string id(text(value, "entityId"));
  const Digest* const entity = digest_of(kind, id);
  if (entity == nullptr) return missing("entityId", kind);
  const auto snapshot = snapshot_of(value);
  if (!snapshot) return missing("snapshotId", "input file");
  const std::string external_id(text(value, "externalId"));
  if (const auto run = runs_.find(id); kind == "run" && run != runs_.end()) {
    const std::string& stated = bundle_.runs[run->second.index].external_id;
    if (external_id != stated) return stored_as("externalId", external_id, stated);
  }
  if (!slugs_.insert(fmt::format("source_links {} {} {} {}", source->second, kind, external_id, id))
           .second) {
    return "externalId: an earlier row is the same link";
  }
  bundle_.carried.links.push_back({.source_slug = source->second,
                                   .entity_kind = std::string(kind),
                                   .entity = *entity,
                                   .external_id = external_id,
                                   .snapshot = *snapshot == kNoSnapshot ? std::nullopt : snapshot,
                                   .source_row = number(value, "sourceRow"),
                                   .source_line = number(value, "sourceLine"),
                                   .created_at = std::string(text(value, "createdAt"))});
  return "";
}

std::string ExportReader::add_audit(Row row) {
  const json::Value& value = row.value;
  auto& log = bundle_.carried.log;
  catalog::AuditRow entry{.sequence = *number(value, "sequence"),
                          .id = std::string(text(value, "id")),
                          .at = std::string(text(value, "at")),
                          .actor = std::string(text(value, "actor")),
                          .action = std::string(text(value, "action")),
                          .entity_kind = std::string(text(value, "entityKind")),
                          .entity_id = std::string(text(value, "entityId")),
                          .detail = compact(value, "detail"),
                          .tally = compact(value, "tally"),
                          .digest = std::string(text(value, "digest"))};
  if (entry.sequence != static_cast<std::int64_t>(log.size()) + 1) {
    return fmt::format("sequence: it is {}, and the row before has {}", entry.sequence, log.size());
  }
  const std::string digest = catalog::chain_digest(entry, log.empty() ? "" : log.back().digest);
  if (entry.digest != digest) return stored_as("digest", entry.digest, digest);
  if (!catalog::parse_tallies(entry.tally)) return "tally: it is no rows and sum of each table";
  log.push_back(std::move(entry));
  return "";
}

}  // namespace ki::importer
