// One serving run in full.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_serving_run_parts.h"

namespace ki::query {

struct ServingRetraction {
  static constexpr std::string_view kWireName = "ServingRetraction";
  std::string at{};
  std::string reason{};
  template <class V>
  static void describe(V& v) {
    v.field("at", &ServingRetraction::at, "");
    v.field("reason", &ServingRetraction::reason, "");
  }
};

struct ServingLifecycle {
  static constexpr std::string_view kWireName = "ServingLifecycle";
  std::optional<ServingRetraction> retracted{};
  template <class V>
  static void describe(V& v) {
    v.field("retracted", &ServingLifecycle::retracted, "");
  }
};

struct ServingAttribution {
  static constexpr std::string_view kWireName = "ServingAttribution";
  std::string line{};
  std::optional<std::string> url{};
  std::optional<std::string> license{};
  template <class V>
  static void describe(V& v) {
    v.field("line", &ServingAttribution::line, "");
    v.field("url", &ServingAttribution::url, "");
    v.field("license", &ServingAttribution::license, "");
  }
};

struct ServingRunDossier {
  static constexpr std::string_view kWireName = "ServingRunDossier";
  bool illustrative = false;
  ServingRunHead run{};
  ServingCohort cohort{};
  ServingModel model{};
  ServingStack stack{};
  ServingConfiguration configuration{};
  ServingLoad workload{};
  ServingTopologyShown topology{};
  std::string harness{};
  std::vector<ServingFigure> measurements{};
  std::vector<std::string> caveats{};
  ServingLifecycle lifecycle{};
  ServingAttribution attribution{};
  json::Raw manifest{};
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &ServingRunDossier::illustrative, "");
    v.field("run", &ServingRunDossier::run, "");
    v.field("cohort", &ServingRunDossier::cohort, "");
    v.field("model", &ServingRunDossier::model, "");
    v.field("stack", &ServingRunDossier::stack, "");
    v.field("configuration", &ServingRunDossier::configuration, "");
    v.field("workload", &ServingRunDossier::workload, "");
    v.field("topology", &ServingRunDossier::topology, "");
    v.field("harness", &ServingRunDossier::harness, "");
    v.field("measurements", &ServingRunDossier::measurements, "");
    v.field("caveats", &ServingRunDossier::caveats, "");
    v.field("lifecycle", &ServingRunDossier::lifecycle, "");
    v.field("attribution", &ServingRunDossier::attribution, "");
    v.field("manifest", &ServingRunDossier::manifest, "of the run");
  }
};

}  // namespace ki::query
