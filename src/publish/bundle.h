// What an importer, the API or the CLI hands to publish(): manifests already decoded, with the
// editorial facts that stand beside them. Objects refer to each other by digest (projects by slug).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "manifest/manifest.h"

namespace ki::publish {

// Identity and time of a row that comes from another catalog and keeps them. An entry without one
// gets a new id and the time of publication. When the catalog already holds the object, by digest
// (sources and projects by slug), the object stays as it is and the preset is not used.
struct Preset {
  std::string id{};          // a UUID no other row has, else Code::conflict
  std::string created_at{};  // ISO 8601, UTC, milliseconds
};

struct SourceEntry {
  std::string slug{};         // "liger-kernel-bench"
  std::string kind{};         // leaderboard, benchmark, submission, illustrative
  std::string name{};         // "Liger-Kernel benchmarks"
  std::string policy_json{};  // {license, attribution, url, terms, verified, freshnessDays} or ""
  std::optional<Preset> preset{};
};

// An input file as it was read, immutable, digest over its bytes.
struct SnapshotEntry {
  std::string locator{};  // file name without folders, or URL
  Digest content_digest{};
  std::string media_type{};
  std::int64_t size_bytes = 0;
  std::string parser_name{};     // "liger"
  std::string parser_version{};  // "liger/1"
};

struct ProjectEntry {
  manifest::Manifest manifest;
  std::string slug{};
  std::optional<Preset> preset{};
};

struct OperationEntry {
  manifest::Manifest manifest;
  std::string slug{};
  std::vector<std::string> aliases{};
  std::vector<std::string> tags{};
  std::string external_id{};  // "" = none; becomes a source link
  std::optional<Preset> preset{};
};

struct WorkloadEntry {  // WorkloadCase or WorkloadSuite
  manifest::Manifest manifest;
  std::string external_id{};
  std::optional<Preset> preset{};
};

struct ArtifactEntry {
  std::string role{};  // raw_samples, logs, source, licence, ...
  std::string kind{};
  std::string media_type{};
  Digest digest{};
  std::int64_t size_bytes = 0;
  std::string uri{};      // "" = none
  std::string license{};  // "" = none
  std::string content{};  // inline bytes, of this digest; "" when only referenced
  std::string storage{};  // "" = inline with content, else upstream; kept as given otherwise
  std::optional<Preset> preset{};
};

struct ImplementationEntry {
  manifest::Manifest manifest;
  std::string slug{};
  std::string project_slug{};
  std::string external_id{};
  std::vector<ArtifactEntry> artifacts{};
  std::optional<Preset> preset{};
};

struct MeasurementPreset {
  std::string metric{};
  std::string statistic{};
  std::string id{};
};

// What a run keeps besides its id and time.
struct RunPreset {
  Preset row{};
  std::optional<std::string> published_at{};  // nullopt: kept unpublished, so never ranked
  std::vector<MeasurementPreset> measurements{};
};

struct RunEntry {
  manifest::Manifest run;
  // Empty when the catalog is expected to hold them already, by digest.
  std::optional<manifest::Manifest> protocol{};
  std::optional<manifest::Manifest> environment{};
  std::string external_id{};
  std::vector<ArtifactEntry> artifacts{};
  std::int64_t source_row = 0;   // record number in the snapshot, 0 = unknown
  std::int64_t source_line = 0;  // line number in the snapshot, 0 = unknown
  std::size_t snapshot = 0;      // index into Bundle::snapshots, where there are any
  std::string source_slug{};     // "" = Bundle::source, else one of Bundle::more_sources
  std::optional<RunPreset> preset{};
};

// A manifest of a serving kind: kept, identified, listed; its policies come with the serving work.
struct ServingEntry {
  manifest::Manifest manifest;
  std::string source_slug{};  // as in RunEntry
  std::optional<Preset> preset{};
};

// The id and time of a record event, known by its run and cause, that the evidence gives anyway:
// events are derived, so one that does not follow from the runs is not made.
struct RecordEventPreset {
  std::string run_id{};
  std::string cause{};
  std::string policy_version{};  // "" = the current policy
  Preset row{};
};

// A correction that was made elsewhere and keeps who made it, why and when. It is taken over where
// it can be applied; else Report::ambiguities says why not.
struct CorrectionEntry {
  std::string action{};  // retract, restore, supersede
  Digest run{};
  std::optional<Digest> superseded{};  // supersede: the older run
  std::string actor{};                 // as check_justification() wants it, and so the reason
  std::string reason{};
  std::string id{};  // a UUID, or "": whoever states it knows no id, so it is taken over only once
  std::string at{};  // ISO 8601, UTC, milliseconds, or "": the time of publication
};

struct Bundle {
  SourceEntry source{};                     // slug "" = none
  std::vector<SourceEntry> more_sources{};  // when runs come from several
  std::vector<SnapshotEntry> snapshots{};
  std::vector<ProjectEntry> projects{};
  std::vector<OperationEntry> operations{};
  std::vector<WorkloadEntry> workloads{};
  std::vector<ImplementationEntry> implementations{};
  std::vector<RunEntry> runs{};
  std::vector<ServingEntry> serving{};
  std::vector<ArtifactEntry> artifacts{};  // of no object in particular; their role is not used
  std::vector<CorrectionEntry> corrections{};
  std::vector<RecordEventPreset> record_events{};
};

}  // namespace ki::publish
