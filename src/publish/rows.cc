#include "publish/rows.h"

#include <fmt/format.h>

#include "base/given.h"
#include "json/wire.h"

namespace ki::publish {
namespace {

std::string_view text_at(const json::Value& value, std::string_view path) {
  const std::size_t slash = path.find('/');
  const json::Value* at = value.find(path.substr(0, slash));
  KI_CHECK(at != nullptr);
  return slash == std::string_view::npos ? at->string() : text_at(*at, path.substr(slash + 1));
}

}  // namespace

std::unexpected<Error> unknown(std::string_view kind, std::string_view digest,
                               const manifest::Manifest& named_by) {
  return fail(Code::invalid,
              fmt::format("names the {} {}, which is neither in the bundle nor in the catalog",
                          kind, digest),
              std::string(named_by.name()));
}

Digest digest_at(const json::Value& spec, std::string_view path) {
  const auto digest = parse_digest(text_at(spec, path));
  KI_CHECK(digest.has_value());
  return *digest;
}

Result<manifest::Manifest> decode_stored(std::string_view text, std::string_view digest) {
  auto decoded = manifest::decode_json(text, digest);
  if (decoded) return std::move(*decoded);
  Error error = to_error(decoded.error());
  error.code = Code::invalid;
  error.message = "the stored manifest is damaged (run `ki verify`): " + error.message;
  error.where = digest;
  return std::unexpected(std::move(error));
}

std::string json_list(const std::vector<std::string>& texts) { return json::to_json(texts); }

catalog::ProjectRow project_row(const manifest::Manifest& project, std::string_view slug,
                                std::string_view name) {
  policy::ProjectFacts facts = policy::derive_project_facts(project.spec());
  if (!name.empty()) facts.rename(name);
  catalog::ProjectRow row;
  row.slug = slug;
  row.name = facts.name;
  row.normalized_name = facts.normalized_name;
  row.kind = facts.kind;
  row.canonical_url = facts.canonical_url;
  row.manifest_digest = to_string(project.digest());
  row.manifest = project.to_json();
  return row;
}

catalog::OperationRow operation_row(const manifest::Manifest& operation, std::string_view slug) {
  catalog::OperationRow row;
  row.slug = slug;
  row.family = policy::derive_operation_facts(operation.spec()).family;
  row.name = operation.title().empty() ? slug : operation.title();
  row.schema_version = manifest::kApiVersion;
  row.semantic_digest = to_string(operation.digest());
  row.manifest = operation.to_json();
  return row;
}

catalog::WorkloadRow workload_row(const manifest::Manifest& workload,
                                  const policy::WorkloadFacts& facts) {
  catalog::WorkloadRow row;
  row.kind = manifest::name_of(workload.kind());
  row.workload_digest = to_string(workload.digest());
  row.schema_version = manifest::kApiVersion;
  row.correctness_key = to_string(facts.correctness_key);
  row.shape_summary = facts.shape_summary;
  row.dtypes = json_list(facts.dtypes);
  row.layout_keys = json_list(facts.layout_keys);
  row.manifest = workload.to_json();
  return row;
}

std::vector<catalog::WorkloadAxisRow> workload_axis_rows(const policy::WorkloadFacts& facts) {
  std::vector<catalog::WorkloadAxisRow> rows;
  for (const auto& [name, value] : facts.axes) {
    auto& row = rows.emplace_back();
    row.name = name;
    row.value = value;
  }
  return rows;
}

catalog::ImplementationRow implementation_row(const manifest::Manifest& implementation,
                                              const policy::ImplementationFacts& facts,
                                              std::string_view slug) {
  catalog::ImplementationRow row;
  row.slug = slug;
  row.implementation_digest = to_string(implementation.digest());
  row.source_revision = facts.source_revision;
  row.language = facts.language;
  row.framework = facts.framework;
  row.target_architectures = json_list(facts.target_architectures);
  row.license_declared = facts.license_declared;
  row.license_expression = facts.license_expression;
  row.source_available = facts.source_available;
  row.installable = facts.installable;
  row.title = given(implementation.title());
  row.role = given(implementation.label("role"));
  row.install_kind = facts.install_kind;
  row.install_command = facts.install_command;
  row.manifest = implementation.to_json();
  return row;
}

catalog::ProtocolRow protocol_row(const manifest::Manifest& protocol) {
  catalog::ProtocolRow row;
  row.digest = to_string(protocol.digest());
  row.harness = text_at(protocol.spec(), "harness/name");
  row.manifest = protocol.to_json();
  return row;
}

catalog::EnvironmentRow environment_row(const manifest::Manifest& environment) {
  catalog::EnvironmentRow row;
  row.digest = to_string(environment.digest());
  row.hardware_model = text_at(environment.spec(), "hardware/product");
  const json::Value* form = environment.spec().find("hardware")->find("formFactor");
  if (form != nullptr) row.hardware_form_factor = form->string();
  row.manifest = environment.to_json();
  return row;
}

catalog::RunRow run_row(const manifest::Manifest& run, const policy::RunFacts& facts) {
  catalog::RunRow row;
  row.run_digest = to_string(run.digest());
  row.protocol_key = to_string(facts.protocol_key);
  row.environment_key = to_string(facts.environment_key);
  row.correctness_key = to_string(facts.correctness_key);
  row.comparison_key = to_string(facts.comparison_key);
  row.status = facts.status;
  row.observed_at = facts.observed_at;
  if (facts.primary) {
    row.primary_metric = facts.primary->metric;
    row.primary_statistic = facts.primary->statistic;
    row.primary_unit = facts.primary->unit;
    row.primary_value = facts.primary->value;
    row.sample_count = facts.primary->sample_count;
  }
  if (facts.uncertainty) {
    row.uncertainty_low = facts.uncertainty->low;
    row.uncertainty_high = facts.uncertainty->high;
  }
  if (facts.spread) {
    row.spread_low = facts.spread->low;
    row.spread_high = facts.spread->high;
  }
  row.hardware_vendor = facts.hardware_vendor;
  row.hardware_model = facts.hardware_model;
  row.hardware_architecture = facts.hardware_architecture;
  row.driver_major = facts.driver_major;
  row.cuda_major = facts.cuda_major;
  row.environment_summary = facts.environment_summary;
  row.source_available = facts.source_available;
  row.installable = facts.installable;
  row.license_expression = facts.license_expression;
  row.has_raw_evidence = facts.has_raw_evidence;
  row.source_native = facts.source_native;
  row.sol_score = facts.sol_score;
  row.manifest = run.to_json();
  return row;
}

std::vector<catalog::MeasurementRow> measurement_rows(const policy::RunFacts& facts) {
  std::vector<catalog::MeasurementRow> rows;
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

policy::WorkloadFacts facts_for_runs(const catalog::WorkloadRow& workload,
                                     const Digest& operation) {
  policy::WorkloadFacts facts;
  facts.operation = operation;
  facts.correctness_key = parse_digest(workload.correctness_key).value_or(Digest{});
  return facts;
}

policy::ImplementationFacts facts_for_runs(const catalog::ImplementationRow& implementation) {
  policy::ImplementationFacts facts;
  facts.source_available = implementation.source_available;
  facts.installable = implementation.installable;
  facts.license_expression = implementation.license_expression;
  return facts;
}

}  // namespace ki::publish
