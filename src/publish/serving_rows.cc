#include "publish/serving_rows.h"

#include "base/text.h"

namespace ki::publish {
namespace {

std::string slug_of(const manifest::Manifest& manifest, const ServingNames& names) {
  return names.slug.empty() ? kebab(manifest.name()) : std::string(names.slug);
}

// The first that says something.
std::string first_of(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!text.empty()) return std::string(text);
  }
  return {};
}

}  // namespace

catalog::ModelRevisionRow model_row(const manifest::Manifest& model, const ServingNames& names) {
  const policy::ServingModelFacts facts = policy::derive_model_facts(model.spec());
  catalog::ModelRevisionRow row;
  row.digest = to_string(model.digest());
  row.slug = slug_of(model, names);
  row.name = first_of({names.name, model.title(), row.slug});
  row.tokenizer = facts.tokenizer;
  row.parameter_count = facts.parameter_count;
  row.context_length = facts.context_length;
  row.license = facts.license;
  row.manifest = model.to_json();
  return row;
}

catalog::ServingStackRow stack_row(const manifest::Manifest& stack, const ServingNames& names) {
  const policy::ServingStackFacts facts = policy::derive_stack_facts(stack.spec());
  catalog::ServingStackRow row;
  row.digest = to_string(stack.digest());
  row.slug = slug_of(stack, names);
  row.project = facts.project;
  row.name = first_of({names.name, stack.title(), facts.version.value_or(""), stack.name()});
  row.version = facts.version;
  row.manifest = stack.to_json();
  return row;
}

catalog::ServingConfigurationRow configuration_row(const manifest::Manifest& configuration,
                                                   const ServingNames& names) {
  const auto facts = policy::derive_configuration_facts(configuration.spec());
  catalog::ServingConfigurationRow row;
  row.digest = to_string(configuration.digest());
  row.dtype = facts.dtype;
  row.quantization = facts.quantization;
  row.tensor_parallel = facts.tensor_parallel;
  row.summary = first_of({names.name, configuration.title(), configuration.name()});
  row.manifest = configuration.to_json();
  return row;
}

catalog::ServingWorkloadRow serving_workload_row(const manifest::Manifest& workload,
                                                 const ServingNames& names) {
  const auto facts = policy::derive_serving_workload_facts(workload.spec());
  catalog::ServingWorkloadRow row;
  row.digest = to_string(workload.digest());
  row.slug = slug_of(workload, names);
  row.name = first_of({names.name, workload.title(), workload.name()});
  row.streaming = facts.streaming;
  row.load_generation = facts.load_generation;
  row.manifest = workload.to_json();
  return row;
}

catalog::ServingRunRow serving_run_row(const manifest::Manifest& run,
                                       const policy::ServingRunFacts& facts) {
  catalog::ServingRunRow row;
  row.digest = to_string(run.digest());
  row.status = facts.status;
  row.observed_at = facts.observed_at;
  row.protocol_key = facts.protocol_key;
  row.topology_key = facts.topology_key;
  row.metric_set_key = facts.metric_set_key;
  row.cohort_key = to_string(facts.cohort_key);
  row.quality_policy = facts.quality_policy;
  row.scenario = facts.scenario;
  row.accelerator_vendor = facts.topology.vendor;
  row.accelerator_model = facts.topology.model;
  row.accelerator_count = facts.topology.per_node;
  row.node_count = facts.topology.nodes;
  row.total_accelerators = facts.topology.total;
  row.external_id = facts.external_id;
  row.manifest = run.to_json();
  return row;
}

std::vector<catalog::ServingMeasurementRow> serving_measurement_rows(
    const policy::ServingRunFacts& facts) {
  std::vector<catalog::ServingMeasurementRow> rows;
  for (const policy::Measurement& measurement : facts.measurements) {
    auto& row = rows.emplace_back();
    row.ordinal = static_cast<std::int64_t>(rows.size()) - 1;
    row.metric = measurement.metric;
    row.statistic = measurement.statistic;
    row.unit = measurement.unit;
    row.value = measurement.value;
    row.sample_count = measurement.sample_count;
  }
  return rows;
}

policy::ServingModelFacts facts_for_runs(const catalog::ModelRevisionRow& model) {
  policy::ServingModelFacts facts;
  facts.tokenizer = model.tokenizer;
  return facts;
}

policy::ServingWorkloadFacts facts_for_runs(const catalog::ServingWorkloadRow& workload) {
  return {.streaming = workload.streaming, .load_generation = workload.load_generation};
}

}  // namespace ki::publish
