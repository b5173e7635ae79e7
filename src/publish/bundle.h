// What an importer, the API or the CLI hands to publish(): manifests already decoded, with the
// editorial facts that stand beside them. Objects refer to each other by digest (projects by slug).
// The parts of another catalog's export stand in bundle_carried.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "manifest/manifest.h"
#include "publish/bundle_carried.h"

namespace ki::publish {

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
  std::string source_slug{};     // "" = Bundle::source
  std::optional<Preset> preset{};
};

struct ProjectEntry {
  manifest::Manifest manifest;
  std::string slug{};
  std::string name{};  // as it is shown; "" = as the manifest names it
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
  std::optional<std::int64_t> size_bytes{};
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

inline constexpr std::string_view kNoSource = "-";  // in the place of a slug

struct RunEntry {
  manifest::Manifest run;
  // Empty when the catalog is expected to hold them already, by digest.
  std::optional<manifest::Manifest> protocol{};
  std::optional<manifest::Manifest> environment{};
  std::string external_id{};
  std::vector<ArtifactEntry> artifacts{};
  std::int64_t source_row = 0;   // record number in the snapshot, 0 = unknown
  std::int64_t source_line = 0;  // line number in the snapshot, 0 = unknown
  std::size_t snapshot = 0;      // index into Bundle::snapshots; one that is not there: none
  // "" = Bundle::source, kNoSource, else one of Bundle::more_sources.
  std::string source_slug{};
  std::optional<RunPreset> preset{};
};

// A manifest of one of the five serving kinds, in any order.
struct ServingEntry {
  manifest::Manifest manifest;
  std::string source_slug{};  // as in RunEntry
  // Names that its importer gives it, "" = those of the manifest: a slug of a model, stack or
  // workload; the name of one of these, or the summary of a configuration.
  std::string slug{};
  std::string name{};
  std::optional<Preset> preset{};
  std::optional<ServingRunPreset> run{};  // what a run keeps besides
};

// A run of the bundle that is faster than its machine could be, and why that is thought.
struct HoldEntry {
  Digest run{};
  std::string reason{};  // the arithmetic, as check_justification() wants it
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
  // Envelopes (JSON) of signed statements about runs, from evidence of which every claim was
  // computed again; the signature is checked here once more.
  std::vector<std::string> statements{};
  // These enter held for review: listed as such, ranked nowhere. One that was ever held or released
  // here is not held again.
  std::vector<HoldEntry> holds{};
  std::vector<ArtifactEntry> artifacts{};  // of no object in particular; their role is not used
  std::vector<CorrectionEntry> corrections{};
  std::vector<RecordEventPreset> record_events{};
  Carried carried{};
};

}  // namespace ki::publish
