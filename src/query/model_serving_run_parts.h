// Parts of what is said of one serving run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"
#include "query/model_serving_row.h"

namespace ki::query {

struct ServingRunHead {
  static constexpr std::string_view kWireName = "ServingRunHead";
  std::string id{};
  std::string digest{};
  std::string status{};
  std::string observed_at{};
  std::optional<std::string> published_at{};
  template <class V>
  static void describe(V& v) {
    v.field("id", &ServingRunHead::id, "");
    v.field("digest", &ServingRunHead::digest, "");
    v.field("status", &ServingRunHead::status, "valid, invalid or incomplete_evidence");
    v.field("observedAt", &ServingRunHead::observed_at, "");
    v.field("publishedAt", &ServingRunHead::published_at, "");
  }
};

struct ServingCohort {
  static constexpr std::string_view kWireName = "ServingCohort";
  std::string key{};
  std::string description{};
  std::string quality_policy{};
  std::string scenario{};
  template <class V>
  static void describe(V& v) {
    v.field("key", &ServingCohort::key, "");
    v.field("description", &ServingCohort::description, "");
    v.field("qualityPolicy", &ServingCohort::quality_policy, "");
    v.field("scenario", &ServingCohort::scenario, "");
  }
};

struct ServingModel {
  static constexpr std::string_view kWireName = "ServingModel";
  std::string name{};
  std::string slug{};
  std::optional<std::string> license{};
  std::string digest{};
  template <class V>
  static void describe(V& v) {
    v.field("name", &ServingModel::name, "");
    v.field("slug", &ServingModel::slug, "");
    v.field("license", &ServingModel::license, "");
    v.field("digest", &ServingModel::digest, "");
  }
};

struct ServingStack {
  static constexpr std::string_view kWireName = "ServingStack";
  std::string name{};
  std::optional<std::string> version{};
  std::string digest{};
  template <class V>
  static void describe(V& v) {
    v.field("name", &ServingStack::name, "");
    v.field("version", &ServingStack::version, "");
    v.field("digest", &ServingStack::digest, "");
  }
};

struct ServingFact {
  static constexpr std::string_view kWireName = "ServingFact";
  std::string key{};
  std::string value{};
  template <class V>
  static void describe(V& v) {
    v.field("key", &ServingFact::key, "");
    v.field("value", &ServingFact::value, "");
  }
};

struct ServingConfiguration {
  static constexpr std::string_view kWireName = "ServingConfiguration";
  std::string summary{};
  std::optional<std::string> dtype{};
  std::optional<std::string> quantization{};
  std::vector<ServingFact> facts{};
  std::string digest{};
  template <class V>
  static void describe(V& v) {
    v.field("summary", &ServingConfiguration::summary, "");
    v.field("dtype", &ServingConfiguration::dtype, "");
    v.field("quantization", &ServingConfiguration::quantization, "");
    v.field("facts", &ServingConfiguration::facts, "its options");
    v.field("digest", &ServingConfiguration::digest, "");
  }
};

struct ServingBoundShown {
  static constexpr std::string_view kWireName = "ServingBoundShown";
  std::string metric{};
  std::string statistic{};
  std::string op{};
  double value = 0;
  std::string unit{};
  template <class V>
  static void describe(V& v) {
    v.field("metric", &ServingBoundShown::metric, "");
    v.field("statistic", &ServingBoundShown::statistic, "");
    v.field("operator", &ServingBoundShown::op, "");
    v.field("value", &ServingBoundShown::value, "");
    v.field("unit", &ServingBoundShown::unit, "");
  }
};

struct ServingLoad {
  static constexpr std::string_view kWireName = "ServingLoad";
  std::string name{};
  std::string slug{};
  bool streaming = false;
  std::string load_generation{};
  std::vector<ServingBoundShown> slo{};
  std::string digest{};
  template <class V>
  static void describe(V& v) {
    v.field("name", &ServingLoad::name, "");
    v.field("slug", &ServingLoad::slug, "");
    v.field("streaming", &ServingLoad::streaming, "");
    v.field("loadGeneration", &ServingLoad::load_generation, "");
    v.field("slo", &ServingLoad::slo, "bounds that the load declares");
    v.field("digest", &ServingLoad::digest, "");
  }
};

struct ServingTopologyShown {
  static constexpr std::string_view kWireName = "ServingTopologyShown";
  std::string accelerator_model{};
  std::int64_t per_node = 0;
  std::int64_t nodes = 0;
  std::int64_t total = 0;
  template <class V>
  static void describe(V& v) {
    v.field("acceleratorModel", &ServingTopologyShown::accelerator_model, "");
    v.field("perNode", &ServingTopologyShown::per_node, "");
    v.field("nodes", &ServingTopologyShown::nodes, "");
    v.field("total", &ServingTopologyShown::total, "");
  }
};

}  // namespace ki::query
