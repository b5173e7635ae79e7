// The state of one publish(): what the bundle and the catalog already hold, by digest, and what has
// been touched. Only publish/ includes this.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/ledger.h"
#include "catalog/lookup.h"
#include "json/value.h"
#include "policy/facts.h"
#include "publish/bundle.h"
#include "publish/publish.h"
#include "publish/trust.h"

namespace ki::publish {

struct KnownOperation {
  std::string id;
  const json::Value* spec = nullptr;  // of the bundle's manifest or of `stored`
  std::optional<manifest::Manifest> stored;
};

struct KnownWorkload {
  std::string id;
  std::string operation_id;
  policy::WorkloadFacts facts;
};

struct KnownImplementation {
  std::string id;
  std::string operation_id;
  policy::ImplementationFacts facts;
};

// A protocol or an environment.
struct KnownSetting {
  const json::Value* spec = nullptr;
  std::optional<manifest::Manifest> stored;
};

// What is needed to insert a run besides its manifest, from a bundle or from pending evidence.
struct RunOrigin {
  std::string id;
  std::string created_at;
  std::optional<std::string> published_at;
  std::optional<std::string> source_id;
  std::optional<std::string> snapshot_id;
  std::string external_id;  // "" = none
  std::optional<std::int64_t> row;
  std::optional<std::int64_t> line;
  bool linked = true;  // whether its external id becomes a source link
  const std::vector<MeasurementPreset>* measurements = nullptr;
};

class Session {
 public:
  Session(catalog::Ledger& ledger, const Bundle& bundle, const Clock& clock,
          const Options& options);

  // Everything but the derived rows and the log.
  Status insert_all();
  // Last: what the log says covers all that was inserted.
  Status write_log();

  Report report;
  bool changed = false;
  std::set<std::string> cohorts;     // comparison keys with new runs
  std::set<std::string> operations;  // that are new, or have new aliases or tags
  const std::string& now() const { return now_; }
  // Whether the record events that the bundle states follow from the evidence.
  Status check_record_events();

 private:
  // Notes whose fault an error is, for whoever asked.
  Status blame(const manifest::Manifest& object, Status done) const;

  // session.cc: sources, snapshots, artifacts, links
  Status insert_source(const SourceEntry& entry);
  Status insert_snapshots();
  Status insert_snapshot(const SnapshotEntry& entry, std::string& id);
  Status insert_artifact(const ArtifactEntry& entry, std::string& id);
  Status link_artifacts(std::string_view kind, const std::string& id,
                        const std::vector<ArtifactEntry>& entries);
  Status link_source(std::string_view kind, const std::string& id, const RunOrigin& origin);
  Status link_object(std::string_view kind, const std::string& id, std::string_view external_id);
  Result<std::optional<std::string>> source_of(std::string_view slug) const;
  std::string new_id();
  std::string id_of(const std::optional<Preset>& preset);
  std::string time_of(const std::optional<Preset>& preset) const;
  void note(std::string_view entity, std::string_view name, std::string digest, Action action);

  // objects.cc: what runs are about
  Status insert_project(const ProjectEntry& entry);
  Status note_other_manifest(const std::string& id, const ProjectEntry& entry);
  Status insert_operation(const OperationEntry& entry);
  Status insert_names(const std::string& operation_id, const OperationEntry& entry);
  Status insert_workload(const WorkloadEntry& entry);
  Status insert_implementation(const ImplementationEntry& entry);
  Result<KnownOperation*> operation(const Digest& digest);
  Result<KnownWorkload*> workload(const Digest& digest);
  Result<KnownImplementation*> implementation(const Digest& digest);

  // runs.cc: the evidence
  Status insert_runs();
  Status insert_settings(const RunEntry& entry);
  Status insert_entry(const RunEntry& entry);
  // Whether the protocol and the environment that the run names are known.
  Status require_settings(const manifest::Manifest& run);
  Status keep_pending(const RunEntry& entry, const RunOrigin& origin);
  Status insert_run(const manifest::Manifest& run, const RunOrigin& origin,
                    const KnownWorkload& workload, const KnownImplementation& implementation);
  Status insert_measurements(const std::string& run_id, const policy::RunFacts& facts,
                             const std::vector<MeasurementPreset>* presets);
  Status supersede_older(const catalog::RunRow& run, const RunOrigin& origin);
  Status note_fallen_runs();
  Status promote_pending();
  Status promote(const catalog::PendingRunRow& pending);
  Result<RunOrigin> origin_of(const RunEntry& entry);
  Status insert_protocol(const manifest::Manifest& protocol, std::string_view created_at = {});
  Status insert_environment(const manifest::Manifest& environment,
                            std::string_view created_at = {});
  // serving.cc: results of serving and what they are about
  Status insert_all_serving();
  Status insert_serving(const ServingEntry& entry);
  Status insert_serving_run(const ServingEntry& entry);
  template <class Row>
  Result<bool> prepare_serving(const ServingEntry& entry, Row& row);
  // carried.cc: what comes from another catalog
  Status insert_corrections();
  Status take_over(const CorrectionEntry& entry);
  Status insert_carried_settings();
  Status insert_carried_links();
  Status insert_carried_attestations();
  // signatures.cc: who signed runs, and who is believed
  Status insert_statements();
  Status insert_holds();
  Status insert_carried_trust();
  // The cohorts of the runs that it names are touched.
  Status insert_statement(const StatementRows& rows, bool counted);
  Result<catalog::Id> entity_id(std::string_view kind, const Digest& digest);
  void note_publication();
  Result<const json::Value*> protocol(const Digest& digest);
  Result<const json::Value*> environment(const Digest& digest);

  catalog::Ledger& ledger_;
  db::Connection& connection_;
  const Bundle& bundle_;
  const Options& options_;
  const Instant instant_;
  const std::string now_;

  bool copies_ = false;  // the bundle's log continues the one that is here
  std::optional<std::string> source_id_;
  std::unordered_map<std::string, std::string> sources_;   // slug -> id
  std::vector<std::string> snapshots_;                     // ids, as in the bundle
  std::unordered_map<std::string, std::string> projects_;  // slug -> id
  std::unordered_map<Digest, KnownOperation> operations_;
  std::unordered_map<Digest, KnownWorkload> workloads_;
  std::unordered_map<Digest, KnownImplementation> implementations_;
  std::unordered_map<Digest, KnownSetting> protocols_;
  std::unordered_map<Digest, KnownSetting> environments_;
  std::unordered_set<std::string> bundle_runs_;                  // digests of the bundle's runs
  std::vector<std::pair<std::string, std::string>> known_runs_;  // id and digest, of the bundle's
  std::vector<Digest> new_workloads_;
  std::vector<Digest> new_implementations_;
};

}  // namespace ki::publish
