// The run dossier.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_run_parts.h"
#include "query/model_run_trust.h"

namespace ki::query {

// Everything the catalog knows about one published run, also a failed or retracted one. Of pending
// evidence (`pending` true) only the manifests, digests and the reason are known.
struct RunDossier {
  static constexpr std::string_view kWireName = "RunDossier";
  bool illustrative = false;
  RunIdentity run;
  std::string evidence;
  RunTrust trust;
  Lifecycle lifecycle;
  Primary primary;
  std::optional<std::map<std::string, double>> source_native_metrics;
  RunCohort cohort;
  RunImplementation implementation;
  Ref project;
  Ref operation;
  RunWorkload workload;
  std::optional<Correctness> correctness;
  std::vector<MeasurementItem> measurements;
  std::vector<KeyValue> protocol;
  std::vector<KeyValue> environment;
  std::vector<ArtifactItem> artifacts;
  RunProvenance provenance;
  std::vector<KeyValue> labels;
  std::vector<Attestation> attestations;
  RunManifests manifest;
  Hardware hardware;
  License license;
  bool has_primary = false;
  bool has_samples = false;
  bool pending = false;
  std::vector<Reason> pending_reasons;
  std::vector<std::string> warnings;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &RunDossier::illustrative, "");
    v.field("run", &RunDossier::run, "");
    v.field("evidence", &RunDossier::evidence, "");
    v.field("trust", &RunDossier::trust, "who signed it; empty for pending evidence");
    v.field("lifecycle", &RunDossier::lifecycle, "");
    v.field("primary", &RunDossier::primary, "value 0 and metric none when there is none");
    v.field("sourceNativeMetrics", &RunDossier::source_native_metrics, "");
    v.field("cohort", &RunDossier::cohort, "");
    v.field("implementation", &RunDossier::implementation, "");
    v.field("project", &RunDossier::project, "");
    v.field("operation", &RunDossier::operation, "");
    v.field("workload", &RunDossier::workload, "");
    v.field("correctness", &RunDossier::correctness, "");
    v.field("measurements", &RunDossier::measurements, "");
    v.field("protocol", &RunDossier::protocol, "");
    v.field("environment", &RunDossier::environment, "");
    v.field("artifacts", &RunDossier::artifacts, "");
    v.field("provenance", &RunDossier::provenance, "");
    v.field("labels", &RunDossier::labels,
            "what the source says beside the run, such as a version; no part of its identity");
    v.field("attestations", &RunDossier::attestations, "");
    v.field("manifest", &RunDossier::manifest, "");
    v.field("hardware", &RunDossier::hardware, "");
    v.field("license", &RunDossier::license, "");
    v.field("hasPrimary", &RunDossier::has_primary, "false: the primary above is a placeholder");
    v.field("hasSamples", &RunDossier::has_samples, "its raw samples can be asked for");
    v.field("pending", &RunDossier::pending, "");
    v.field("pendingReasons", &RunDossier::pending_reasons, "which object is missing");
    v.field("warnings", &RunDossier::warnings,
            "what the manifests state that contradicts itself: place, fault and remedy");
  }
};

}  // namespace ki::query
