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

struct SourceEntry {
  std::string slug;         // "liger-kernel-bench"
  std::string kind;         // leaderboard, benchmark, submission, illustrative
  std::string name;         // "Liger-Kernel benchmarks"
  std::string policy_json;  // {license, attribution, url, terms, verified, freshnessDays} or ""
};

// An input file as it was read, immutable, digest over its bytes.
struct SnapshotEntry {
  std::string locator;  // file name without folders, or URL
  Digest content_digest;
  std::string media_type;
  std::int64_t size_bytes = 0;
  std::string parser_name;     // "liger"
  std::string parser_version;  // "liger/1"
};

struct ProjectEntry {
  manifest::Manifest manifest;
  std::string slug;
};

struct OperationEntry {
  manifest::Manifest manifest;
  std::string slug;
  std::vector<std::string> aliases;
  std::vector<std::string> tags;
  std::string external_id;  // "" = none; becomes a source link
};

struct WorkloadEntry {  // WorkloadCase or WorkloadSuite
  manifest::Manifest manifest;
  std::string external_id;
};

struct ArtifactEntry {
  std::string role;  // raw_samples, logs, source, licence, ...
  std::string kind;
  std::string media_type;
  Digest digest;
  std::int64_t size_bytes = 0;
  std::string uri;      // "" = none
  std::string license;  // "" = none
  std::string content;  // inline bytes; "" when only referenced
};

struct ImplementationEntry {
  manifest::Manifest manifest;
  std::string slug;
  std::string project_slug;
  std::string external_id;
  std::vector<ArtifactEntry> artifacts;
};

struct RunEntry {
  manifest::Manifest run;
  // Empty when the catalog is expected to hold them already, by digest.
  std::optional<manifest::Manifest> protocol;
  std::optional<manifest::Manifest> environment;
  std::string external_id;
  std::vector<ArtifactEntry> artifacts;
  std::int64_t source_row = 0;   // record number in the snapshot, 0 = unknown
  std::int64_t source_line = 0;  // line number in the snapshot, 0 = unknown
};

// A manifest of a serving kind: kept, identified, listed; its policies come with the serving work.
struct ServingEntry {
  manifest::Manifest manifest;
};

struct Bundle {
  SourceEntry source;
  std::vector<SnapshotEntry> snapshots;
  std::vector<ProjectEntry> projects;
  std::vector<OperationEntry> operations;
  std::vector<WorkloadEntry> workloads;
  std::vector<ImplementationEntry> implementations;
  std::vector<RunEntry> runs;
  std::vector<ServingEntry> serving;
};

}  // namespace ki::publish
