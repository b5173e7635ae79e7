// What answers, dossiers and lists about served models say in the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/read_serving.h"
#include "policy/serving_policy.h"
#include "query/model_serving.h"

namespace ki::query {

// The stack's name, with its version unless that is the name.
std::string stack_label(const std::string& name, const std::optional<std::string>& version);
// The part that a product's name must have: what was typed, or of a slug the name it stands for.
Result<std::string> product_part(db::Connection& connection, const std::string& typed);
// "8× NVIDIA B200", with " × 2 nodes" where there are several.
std::string topology_text(std::string_view model, std::int64_t per_node, std::int64_t nodes);
// The parts with " · " between them.
std::string description_of(const ServingIdentity& identity);
// "mlperf_loadgen v5.1" of the manifest of a run.
std::string harness_of(const json::Value& run_manifest);

std::vector<ServingFigure> figures(const std::vector<policy::Measurement>& measurements);

Result<std::vector<policy::Measurement>> measurements_of(db::Connection& connection,
                                                         std::string_view run_id);
// The bounds that a stored workload declares.
Result<std::vector<policy::ServingBound>> declared_by(db::Connection& connection,
                                                      std::string_view workload_id);
// What stands in the run's manifest and in its source: harness, caveats, source.
Status add_detail(db::Connection& connection, std::string_view run_id, ServingRow& row);
// A member of a source's policy.
std::optional<std::string> policy_text(const std::optional<std::string>& policy,
                                       std::string_view member);

}  // namespace ki::query
