#include "query/serving_parts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "policy/names.h"
#include "query/stored.h"

namespace ki::query {

std::string stack_label(const std::string& name, const std::optional<std::string>& version) {
  return version && !version->empty() && *version != name ? name + " " + *version : name;
}

Result<std::string> product_part(db::Connection& connection, const std::string& typed) {
  if (typed.empty()) return typed;
  const auto served_on = TRY(catalog::read_served_on(connection));
  for (const auto& on : served_on) {
    if (policy::hardware_slug(on.accelerator_model) == typed) return on.accelerator_model;
  }
  return typed;
}

std::string topology_text(std::string_view model, std::int64_t per_node, std::int64_t nodes) {
  std::string out = fmt::format("{}× {}", per_node, model);
  if (nodes > 1) out += fmt::format(" × {} nodes", nodes);
  return out;
}

std::string description_of(const ServingIdentity& identity) {
  return join(
      {identity.model, identity.workload, identity.scenario, identity.topology, identity.quality},
      " · ");
}

std::string harness_of(const json::Value& run_manifest) {
  return text_at(run_manifest, "spec.harness.name").value_or("unknown") + " " +
         text_at(run_manifest, "spec.harness.version").value_or("");
}

std::vector<ServingFigure> figures(const std::vector<policy::Measurement>& measurements) {
  std::vector<ServingFigure> out;
  for (const policy::Measurement& one : measurements) {
    out.push_back(
        {.metric = one.metric, .statistic = one.statistic, .value = one.value, .unit = one.unit});
  }
  return out;
}

Result<std::vector<policy::Measurement>> measurements_of(db::Connection& connection,
                                                         std::string_view run_id) {
  auto rows = TRY(catalog::served_measurements(connection, run_id));
  std::vector<policy::Measurement> out;
  for (catalog::ServingMeasurementRow& row : rows) {
    out.push_back({.metric = std::move(row.metric),
                   .statistic = std::move(row.statistic),
                   .unit = std::move(row.unit),
                   .value = row.value,
                   .sample_count = row.sample_count});
  }
  return out;
}

Result<std::vector<policy::ServingBound>> declared_by(db::Connection& connection,
                                                      std::string_view workload_id) {
  const auto manifest = TRY(catalog::served_workload_manifest(connection, workload_id));
  if (!manifest) return std::vector<policy::ServingBound>();
  const json::Document document = TRY(parse_stored(*manifest, workload_id));
  const json::Value* const spec = document.root.find("spec");
  return spec == nullptr ? std::vector<policy::ServingBound>() : policy::declared_bounds(*spec);
}

std::optional<std::string> policy_text(const std::optional<std::string>& policy,
                                       std::string_view member) {
  if (!policy) return std::nullopt;
  const auto document = parse_stored(*policy, "policy");
  return document ? text_at(document->root, member) : std::nullopt;
}

Status add_detail(db::Connection& connection, std::string_view run_id, ServingRow& row) {
  const auto detail = TRY(catalog::served_detail(connection, run_id));
  if (!detail) return {};
  const json::Document document = TRY(parse_stored(detail->manifest, run_id));
  row.harness = harness_of(document.root);
  row.caveats = list_at(document.root, "spec.caveats");
  row.source = {.name = detail->source_name.value_or("unknown"),
                .external_id = text_at(document.root, "spec.sourceNative.externalId"),
                .url = policy_text(detail->source_policy, "url")};
  return {};
}

}  // namespace ki::query
