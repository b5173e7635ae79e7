#include "policy/serving.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "json/write.h"
#include "policy/serving_policy.h"

namespace ki::policy {
namespace {

using json::Value;

constexpr std::string_view kUnspecified = "unspecified";
constexpr std::int64_t kWholeMax = 9007199254740991;  // 2^53 - 1

// The member of a valid manifest that is there by its schema.
const Value& required(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  KI_CHECK(value != nullptr);
  return *value;
}

std::string text_of(const Value& object, std::string_view key) {
  return std::string(required(object, key).string());
}

std::optional<std::string> maybe_text(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  return std::string(value->string());
}

std::optional<std::int64_t> maybe_integer(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  return static_cast<std::int64_t>(value->number());
}

Digest digest_at(const Value& object, std::string_view key) {
  const auto digest = parse_digest(required(object, key).string());
  KI_CHECK(digest.has_value());  // The manifest schema demands the form.
  return *digest;
}

std::vector<Measurement> measurements_of(const Value& run) {
  std::vector<Measurement> out;
  for (const Value& stated : required(run, "measurements").items()) {
    Measurement one{.metric = text_of(stated, "metric"),
                    .statistic = text_of(stated, "statistic"),
                    .unit = text_of(stated, "unit"),
                    .value = required(stated, "value").number(),
                    .sample_count = maybe_integer(stated, "sampleCount")};
    const bool known = std::ranges::any_of(out, [&](const Measurement& other) {
      return other.metric == one.metric && other.statistic == one.statistic;
    });
    if (!known) out.push_back(std::move(one));
  }
  return out;
}

Result<ServingTopology> topology_of(const Value& stated) {
  ServingTopology out{.vendor = maybe_text(stated, "acceleratorVendor"),
                      .model = text_of(stated, "acceleratorModel"),
                      .per_node = *maybe_integer(stated, "acceleratorsPerNode"),
                      .nodes = *maybe_integer(stated, "nodeCount")};
  if (out.per_node > kWholeMax / out.nodes) {
    return fail(Code::invalid, "more accelerators than can be counted", "/spec/topology");
  }
  out.total = out.per_node * out.nodes;
  return out;
}

Status check_values(const std::vector<Measurement>& measurements) {
  for (const Measurement& one : measurements) {
    if (one.value >= 0 || !find_serving_metric(one.metric)) continue;
    return fail(Code::invalid, "a " + one.metric + " below zero", "/spec/measurements");
  }
  return {};
}

std::string protocol_key_of(const Value& run, const ServingWorkloadFacts& workload) {
  const Value& harness = required(run, "harness");
  return fmt::format("{}/{}/{}/{}/{}", text_of(harness, "name"), text_of(harness, "version"),
                     maybe_text(run, "placement").value_or(std::string(kUnspecified)),
                     workload.streaming ? "streaming" : "non_streaming", workload.load_generation);
}

std::string topology_key_of(const ServingTopology& topology, const Value& stated) {
  return fmt::format("{}/{}/{}x{}/{}", topology.vendor.value_or("unknown"), topology.model,
                     topology.per_node, topology.nodes,
                     maybe_text(stated, "interconnect").value_or(std::string(kUnspecified)));
}

// SHA-256 over RFC 8785: the members stand in its order already.
Digest cohort_key_of(const ServingRunFacts& facts, const ServingModelFacts& model) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.key("metricSetKey").string(facts.metric_set_key);
  out.key("modelDigest").string(to_string(facts.model));
  out.key("protocolKey").string(facts.protocol_key);
  out.key("qualityPolicy").string(facts.quality_policy);
  out.key("tokenizer");
  model.tokenizer ? out.string(*model.tokenizer) : out.null();
  out.key("topologyKey").string(facts.topology_key);
  out.key("workloadDigest").string(to_string(facts.workload));
  out.end_object();
  return sha256(text);
}

}  // namespace

ServingModelFacts derive_model_facts(const Value& model) {
  const Value* tokenizer = model.find("tokenizer");
  return {.tokenizer = tokenizer == nullptr ? std::nullopt : maybe_text(*tokenizer, "name"),
          .parameter_count = maybe_integer(model, "parameterCount"),
          .context_length = maybe_integer(model, "contextLength"),
          .license = maybe_text(model, "license")};
}

ServingStackFacts derive_stack_facts(const Value& stack) {
  return {.project = text_of(required(stack, "project"), "name"),
          .version = maybe_text(required(stack, "revision"), "version")};
}

ServingConfigurationFacts derive_configuration_facts(const Value& configuration) {
  const Value* parallelism = configuration.find("parallelism");
  return {.stack = digest_at(configuration, "stackDigest"),
          .dtype = maybe_text(configuration, "dtype"),
          .quantization = maybe_text(configuration, "quantization"),
          .tensor_parallel =
              parallelism == nullptr ? std::nullopt : maybe_integer(*parallelism, "tensor")};
}

ServingWorkloadFacts derive_serving_workload_facts(const Value& workload) {
  return {.streaming = required(workload, "streaming").boolean(),
          .load_generation = text_of(workload, "loadGeneration")};
}

std::vector<ServingBound> declared_bounds(const Value& workload) {
  std::vector<ServingBound> out;
  const Value* slo = workload.find("slo");
  if (slo == nullptr) return out;
  for (const Value& bound : slo->items()) {
    out.push_back({.metric = text_of(bound, "metric"),
                   .statistic = text_of(bound, "statistic"),
                   .strict = text_of(bound, "operator") == "<",
                   .value = required(bound, "value").number(),
                   .unit = text_of(bound, "unit")});
  }
  return out;
}

std::string metric_set_key(const std::vector<Measurement>& measurements) {
  std::vector<std::string> names;
  for (const Measurement& one : measurements) names.push_back(one.metric + "·" + one.statistic);
  std::ranges::sort(names, [](const auto& a, const auto& b) { return json::utf16_less(a, b); });
  names.erase(std::ranges::unique(names).begin(), names.end());
  return join(names, ",");
}

Result<ServingRunFacts> derive_serving_run_facts(const Value& run, const ServingModelFacts& model,
                                                 const ServingWorkloadFacts& workload) {
  const Value& topology = required(run, "topology");
  const auto observed = parse_instant(required(run, "observedAt").string());
  if (!observed) {
    return fail(Code::invalid, "the observation time is no instant in UTC", "/spec/observedAt");
  }
  ServingRunFacts out{.model = digest_at(run, "modelDigest"),
                      .configuration = digest_at(run, "configurationDigest"),
                      .workload = digest_at(run, "workloadDigest"),
                      .protocol_key = protocol_key_of(run, workload),
                      .quality_policy = text_of(run, "qualityPolicy"),
                      .scenario = std::string(kUnspecified),
                      .status = text_of(run, "status"),
                      .observed_at = to_iso(*observed),
                      .measurements = measurements_of(run)};
  TRY(check_values(out.measurements));
  out.topology = TRY(topology_of(topology));
  out.topology_key = topology_key_of(out.topology, topology);
  out.metric_set_key = metric_set_key(out.measurements);
  if (const Value* native = run.find("sourceNative"); native != nullptr) {
    out.scenario = text_of(*native, "scenario");
    out.external_id = text_of(*native, "externalId");
  }
  out.cohort_key = cohort_key_of(out, model);
  return out;
}

}  // namespace ki::policy
