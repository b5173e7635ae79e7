// One run with everything that stands beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/rows_correction.h"
#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "catalog/rows_source.h"
#include "catalog/trust.h"
#include "db/connection.h"

namespace ki::catalog {

struct LinkedArtifact {
  std::string role;
  ArtifactRow artifact;  // without its content
};

// Where evidence came from, as far as it is known.
struct Origin {
  std::optional<SourceRow> source;
  std::optional<SourceLinkRow> link;
  std::optional<SourceSnapshotRow> snapshot;
};

inline constexpr std::int64_t kAttestationsMax = 100;  // of one run that are read

struct RunRecord {
  RunRow run;
  std::string protocol;  // manifests
  std::string environment;
  std::vector<MeasurementRow> measurements;  // in their order
  std::vector<LinkedArtifact> artifacts;     // by role
  Origin origin;
  std::vector<CorrectionRow> corrections;    // all that name the run, oldest first
  std::vector<AttestationRow> attestations;  // newest first, at most kAttestationsMax
  std::optional<CorrectionRow> retraction;   // in force
  std::optional<CorrectionRow> hold;         // in force
  std::optional<std::string> supersedes;     // ids of runs, in force
  std::optional<std::string> superseded_by;
  std::vector<RunSignature> signatures;  // by statement
  std::optional<RunTrustRow> trust;      // when it stands and an approved runner signed it
};

// What belongs to a run that find_run (catalog/lookup.h) found.
Result<RunRecord> read_run(db::Connection& connection, RunRow run);

// Evidence that waits for an object, by id or digest.
struct PendingRecord {
  PendingRunRow run;
  std::string protocol;
  std::string environment;
  Origin origin;
  bool implementation_known = false;
  bool workload_known = false;
};
Result<std::optional<PendingRecord>> find_pending_run(db::Connection& connection,
                                                      std::string_view key);

// Ids of pending runs before `before_id` ("" = from the start), newest first, at most `limit`.
Result<std::vector<std::string>> list_pending(db::Connection& connection,
                                              std::string_view before_id, std::int64_t limit);

// The names by which sources know evidence that waits, at most `limit`.
struct PendingName {
  std::string external_id;
  std::string run_digest;
};
Result<std::vector<PendingName>> list_pending_names(db::Connection& connection, std::int64_t limit);

// Artifacts of an implementation or a run, by role; `entity_kind` is "implementation" or "run".
Result<std::vector<LinkedArtifact>> read_artifacts(db::Connection& connection,
                                                   std::string_view entity_kind,
                                                   std::string_view entity_id);
Result<Origin> read_origin(db::Connection& connection, std::string_view entity_kind,
                           std::string_view entity_id, const std::optional<std::string>& source_id);

}  // namespace ki::catalog
