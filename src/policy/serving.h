// What follows from the manifests of a serving run: a model served by a stack under a load, on some
// machines. Serving results have keys and a policy of their own and never meet those of kernels.
// Pure and thread-safe; the manifests are decoded ones, so their schemas hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "json/value.h"
#include "policy/facts.h"

namespace ki::policy {

// A bound that the load of a workload promises (its `slo`), kept as it is stated.
struct ServingBound {
  std::string metric{};
  std::string statistic{};
  bool strict = false;  // "<" and not "<="
  double value = 0;
  std::string unit{};
};

struct ServingModelFacts {
  std::optional<std::string> tokenizer{};
  std::optional<std::int64_t> parameter_count{};
  std::optional<std::int64_t> context_length{};
  std::optional<std::string> license{};
};

struct ServingStackFacts {
  std::string project{};
  std::optional<std::string> version{};
};

struct ServingConfigurationFacts {
  Digest stack{};
  std::optional<std::string> dtype{};
  std::optional<std::string> quantization{};
  std::optional<std::int64_t> tensor_parallel{};
};

struct ServingWorkloadFacts {
  bool streaming = false;
  std::string load_generation{};  // open_loop, closed_loop, offline
};

// Accelerators of a run; `total` is their product.
struct ServingTopology {
  std::optional<std::string> vendor{};
  std::string model{};
  std::int64_t per_node = 0;
  std::int64_t nodes = 0;
  std::int64_t total = 0;
};

struct ServingRunFacts {
  Digest model{};
  Digest configuration{};
  Digest workload{};
  ServingTopology topology{};
  std::string protocol_key{};
  std::string topology_key{};
  std::string metric_set_key{};
  Digest cohort_key{};
  std::string quality_policy{};
  std::string scenario{};     // "unspecified" where the source names none
  std::string status{};       // valid, invalid, incomplete_evidence
  std::string observed_at{};  // ISO 8601, UTC, milliseconds
  std::optional<std::string> external_id{};
  // One for each pair of metric and statistic, the first stated, in authored order.
  std::vector<Measurement> measurements{};
};

ServingModelFacts derive_model_facts(const json::Value& model);
ServingStackFacts derive_stack_facts(const json::Value& stack);
ServingConfigurationFacts derive_configuration_facts(const json::Value& configuration);
ServingWorkloadFacts derive_serving_workload_facts(const json::Value& workload);
std::vector<ServingBound> declared_bounds(const json::Value& workload);

// `model` and `workload` are what the run's manifest names: its keys need what they say.
//
// Errors (Code::invalid, `where` a pointer into the run): an observation time that is no instant,
// more accelerators than JSON can count, a value below zero of a metric with a direction.
Result<ServingRunFacts> derive_serving_run_facts(const json::Value& run,
                                                 const ServingModelFacts& model,
                                                 const ServingWorkloadFacts& workload);

// "metric·statistic" of each measurement, unique, sorted by UTF-16 code unit, joined by ",".
std::string metric_set_key(const std::vector<Measurement>& measurements);

}  // namespace ki::policy
