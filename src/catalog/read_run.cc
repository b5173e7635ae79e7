#include "catalog/read_run.h"

#include "catalog/read_operation.h"
#include "catalog/update.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kRowsMax = 10'000;

// Served by the unique index of the id and by the primary key.
constexpr db::Sql kPendingById{"pending_run_by_id", "WHERE id = $1"};
// A scan: evidence waits seldom and not long.
constexpr db::Sql kPendingNames{
    "pending_names",
    "SELECT external_id, run_digest FROM pending_run WHERE external_id IS NOT NULL "
    "ORDER BY run_digest LIMIT $1"};
// Ids ascend with the time they were given out.
constexpr db::Sql kPendingIds{"pending_run_ids",
                              "SELECT id FROM pending_run WHERE $1 = '' OR id < $1 "
                              "ORDER BY id DESC LIMIT $2"};
constexpr db::Sql kPendingByDigest{"pending_run_by_digest", "WHERE run_digest = $1"};

// Served by the unique index (run_id, metric, statistic).
constexpr db::Sql kMeasurements{"measurements_of_run", "WHERE run_id = $1 ORDER BY ordinal, id"};

// Served by artifact_link's primary key and by artifact's.
constexpr db::Sql kArtifacts{
    "artifacts_of_entity",
    "SELECT l.role, a.id, a.content_digest, a.kind, a.media_type, a.size_bytes, a.storage, a.uri, "
    "a.license FROM artifact_link l JOIN artifact a ON a.id = l.artifact_id "
    "WHERE l.entity_kind = $1 AND l.entity_id = $2 ORDER BY l.role, a.content_digest LIMIT $3"};

// Served by the primary keys.
constexpr db::Sql kSource{"source_by_id", "WHERE id = $1"};
constexpr db::Sql kSnapshot{"snapshot_by_id", "WHERE id = $1"};

// Served by source_link_by_entity (entity_kind, entity_id).
constexpr db::Sql kLink{"link_of_entity",
                        "WHERE entity_kind = $1 AND entity_id = $2 "
                        "ORDER BY created_at, source_id, external_id LIMIT 1"};

// Served by the unique indexes of the digests.
constexpr db::Sql kImplementationKnown{
    "implementation_known", "SELECT 1 FROM implementation WHERE implementation_digest = $1"};
constexpr db::Sql kWorkloadKnown{"workload_known",
                                 "SELECT 1 FROM workload WHERE workload_digest = $1"};

bool is_digest(std::string_view key) { return key.starts_with("sha256:"); }

Result<bool> exists(db::Connection& connection, const db::Sql& sql, std::string_view key) {
  auto rows = TRY(connection.query(sql, key));
  return rows.next();
}

Status read_settings(db::Connection& connection, std::string_view protocol_key,
                     std::string_view environment_key, std::string& protocol,
                     std::string& environment) {
  protocol = TRY(read_protocol(connection, protocol_key)).value_or("null");
  environment = TRY(read_environment(connection, environment_key)).value_or("null");
  return {};
}

}  // namespace

Result<std::vector<LinkedArtifact>> read_artifacts(db::Connection& connection,
                                                   std::string_view entity_kind,
                                                   std::string_view entity_id) {
  std::vector<LinkedArtifact> out;
  auto rows = TRY(connection.query(kArtifacts, entity_kind, entity_id, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    LinkedArtifact& linked = out.emplace_back();
    linked.role = row.string(0);
    linked.artifact.id = row.string(1);
    linked.artifact.content_digest = row.string(2);
    linked.artifact.kind = row.string(3);
    linked.artifact.media_type = row.string(4);
    linked.artifact.size_bytes = row.maybe_integer(5);
    linked.artifact.storage = row.string(6);
    linked.artifact.uri = row.maybe_string(7);
    linked.artifact.license = row.maybe_string(8);
  }));
  return out;
}

Result<Origin> read_origin(db::Connection& connection, std::string_view entity_kind,
                           std::string_view entity_id,
                           const std::optional<std::string>& source_id) {
  Origin out;
  out.link = TRY(find<SourceLinkRow>(connection, kLink, entity_kind, entity_id));
  std::optional<std::string> source = source_id;
  if (!source && out.link) source = out.link->source_id;
  if (source) out.source = TRY(find<SourceRow>(connection, kSource, *source));
  if (out.link && out.link->snapshot_id) {
    out.snapshot = TRY(find<SourceSnapshotRow>(connection, kSnapshot, *out.link->snapshot_id));
  }
  return out;
}

namespace {

// Follows what was done and undone, oldest first.
Status add_corrections(db::Connection& connection, const std::string& run_id, RunRecord& out) {
  out.corrections = TRY(corrections_of(connection, run_id));
  const RunState state = state_of(run_id, out.corrections);
  if (!state.superseded_by.empty()) out.superseded_by = state.superseded_by;
  for (const CorrectionRow& row : out.corrections) {
    if (row.action == kRetract && row.run_id == run_id && state.retracted) out.retraction = row;
    if (row.action == kHold && row.run_id == run_id && state.held) out.hold = row;
    if (row.action != kSupersede || row.run_id != run_id) continue;
    const auto others = TRY(corrections_of(connection, *row.superseded_run_id));
    if (state_of(*row.superseded_run_id, others).superseded_by == run_id) {
      out.supersedes = row.superseded_run_id;
    }
  }
  return {};
}

}  // namespace

Result<RunRecord> read_run(db::Connection& connection, RunRow run) {
  const auto snapshot = TRY(connection.snapshot());
  RunRecord out;
  TRY(read_settings(connection, run.protocol_key, run.environment_key, out.protocol,
                    out.environment));
  TRY(select<MeasurementRow>(
      connection, kMeasurements,
      [&](const MeasurementRow& row) { out.measurements.push_back(row); }, run.id));
  out.artifacts = TRY(read_artifacts(connection, "run", run.id));
  out.origin = TRY(read_origin(connection, "run", run.id, run.source_id));
  TRY(add_corrections(connection, run.id, out));
  out.attestations = TRY(attestations_of(connection, run.id, kAttestationsMax));
  out.signatures = TRY(signatures_of(connection, run.run_digest));
  out.trust = TRY(trust_of(connection, run.id));
  out.run = std::move(run);
  return out;
}

Result<std::optional<PendingRecord>> find_pending_run(db::Connection& connection,
                                                      std::string_view key) {
  const auto snapshot = TRY(connection.snapshot());
  auto run =
      TRY(find<PendingRunRow>(connection, is_digest(key) ? kPendingByDigest : kPendingById, key));
  if (!run) return std::optional<PendingRecord>();
  PendingRecord out;
  TRY(read_settings(connection, run->protocol_key, run->environment_key, out.protocol,
                    out.environment));
  if (run->source_id)
    out.origin.source = TRY(find<SourceRow>(connection, kSource, *run->source_id));
  if (run->snapshot_id) {
    out.origin.snapshot = TRY(find<SourceSnapshotRow>(connection, kSnapshot, *run->snapshot_id));
  }
  out.implementation_known =
      TRY(exists(connection, kImplementationKnown, run->implementation_digest));
  out.workload_known = TRY(exists(connection, kWorkloadKnown, run->workload_digest));
  out.run = std::move(*run);
  return std::optional(std::move(out));
}

Result<std::vector<PendingName>> list_pending_names(db::Connection& connection,
                                                    std::int64_t limit) {
  std::vector<PendingName> out;
  auto rows = TRY(connection.query(kPendingNames, limit));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.external_id = row.string(0), .run_digest = row.string(1)});
  }));
  return out;
}

Result<std::vector<std::string>> list_pending(db::Connection& connection,
                                              std::string_view before_id, std::int64_t limit) {
  std::vector<std::string> out;
  auto rows = TRY(connection.query(kPendingIds, before_id, limit));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

}  // namespace ki::catalog
