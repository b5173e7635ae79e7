// The parts of a bundle that come from another catalog: identities and times that are kept, and
// what only a whole catalog has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "catalog/rows_correction.h"
#include "catalog/rows_source.h"
#include "catalog/rows_trust.h"
#include "manifest/manifest.h"

namespace ki::publish {

// Identity and time of a row that comes from another catalog and keeps them. An entry without one
// gets a new id and the time of publication. When the catalog already holds the object, by digest
// (sources and projects by slug), the object stays as it is and the preset is not used.
struct Preset {
  std::string id{};          // a UUID no other row has, else Code::conflict
  std::string created_at{};  // ISO 8601, UTC, milliseconds
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

// The same of a serving run, which nothing here retracts: a retraction comes with it or never.
struct ServingRunPreset {
  std::optional<std::string> published_at{};
  std::optional<std::string> retracted_at{};
  std::vector<MeasurementPreset> measurements{};
};

// The id and time of a record event, known by its run and cause, that the evidence gives anyway:
// events are derived, so one that does not follow from the runs is not made, and
// Report::ambiguities says so.
struct RecordEventPreset {
  std::string run_id{};
  std::string cause{};
  std::string policy_version{};  // "" = the current policy
  Preset row{};
  std::string comparison_key{};
  Digest run{};
  std::optional<Digest> previous{};
  std::string at{};
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

// A protocol or environment, with the time at which the other catalog first had it.
struct SettingEntry {
  manifest::Manifest manifest;
  std::string created_at{};
};

// By which name a source knows an object.
struct LinkEntry {
  std::string source_slug{};
  std::string entity_kind{};  // operation, workload, implementation, run
  Digest entity{};
  std::string external_id{};
  std::optional<std::size_t> snapshot{};  // index into Bundle::snapshots
  std::optional<std::int64_t> source_row{};
  std::optional<std::int64_t> source_line{};
  std::string created_at{};
};

struct ArtifactLinkEntry {
  std::string entity_kind{};  // implementation, run (pending ones too)
  Digest entity{};
  std::string role{};
  Digest artifact{};
};

struct AttestationEntry {
  Digest run{};
  catalog::AttestationRow row{};  // as check_attestation() wants it; without the id of the run
};

// A signed statement, with the time at which the other catalog first had it.
struct StatementEntry {
  std::string envelope{};  // JSON
  std::string created_at{};
};

// What a whole catalog has besides its objects.
struct Carried {
  std::vector<SettingEntry> settings{};
  // Whether `links` are all the names by which sources know the runs of the bundle; else those that
  // the runs state are taken.
  bool states_links = false;
  std::vector<LinkEntry> links{};
  std::vector<ArtifactLinkEntry> artifact_links{};
  std::vector<AttestationEntry> attestations{};
  // Whom the other catalog believes. Taken by a copy (see `log`) only: whom this one believes is
  // decided here, and statements come with their evidence.
  std::vector<StatementEntry> statements{};
  std::vector<catalog::RunnerEventRow> runner_events{};
  // The other catalog's log, from its first row, its chain checked. Where it begins with all of the
  // log that is here, and its last tally is that of the evidence afterwards, the publication is a
  // copy: it writes the rest of that log, and neither its own row nor its own source and snapshot.
  std::vector<catalog::AuditRow> log{};
};

}  // namespace ki::publish
