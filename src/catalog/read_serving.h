// Reading results of serving. "Eligible" runs are valid, published and not retracted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows_serving.h"
#include "catalog/rows_serving_run.h"

namespace ki::catalog {

// An eligible run with what lists and answers say of it; its manifest stays where it is.
struct ServedRunLine {
  std::string id{};
  std::string digest{};
  std::string observed_at{};
  std::string cohort_key{};
  std::string quality_policy{};
  std::string scenario{};
  std::string accelerator_model{};
  std::int64_t accelerator_count = 0;
  std::int64_t node_count = 0;
  std::int64_t total_accelerators = 0;
  std::string model_slug{};
  std::string model_name{};
  std::string workload_id{};
  std::string workload_slug{};
  std::string workload_name{};
  std::string configuration_id{};
  std::string configuration_summary{};
  std::optional<std::string> dtype{};
  std::string stack_name{};
  std::optional<std::string> stack_version{};
};

// Which of them; what is empty or 0 is no condition.
struct ServedConditions {
  std::string model_slug{};
  std::string workload_slug{};
  std::string hardware_part{};        // of the accelerator's model, in any case
  std::int64_t accelerators_max = 0;  // in all
  std::string before_time{};          // the last line of the page before
  std::string before_id{};
  std::int64_t limit = 50;
};

// Newest observation first, then by id, descending.
Result<std::vector<ServedRunLine>> list_served(db::Connection& connection,
                                               const ServedConditions& conditions);

// In the order of the manifest.
Result<std::vector<ServingMeasurementRow>> served_measurements(db::Connection& connection,
                                                               std::string_view run_id);

// What a page says of a run beside its line.
struct ServedDetail {
  std::string manifest{};
  std::optional<std::string> source_name{};
  std::optional<std::string> source_kind{};
  std::optional<std::string> source_policy{};
};
Result<std::optional<ServedDetail>> served_detail(db::Connection& connection,
                                                  std::string_view run_id);

// The manifest of a workload; nullopt: there is none of that id.
Result<std::optional<std::string>> served_workload_manifest(db::Connection& connection,
                                                            std::string_view id);

// A run, whatever its status, with what it is about.
struct ServedRunRecord {
  ServingRunRow run{};
  ModelRevisionRow model{};
  ServingConfigurationRow configuration{};
  ServingStackRow stack{};
  ServingWorkloadRow workload{};
};
// By id, or by digest when `id_or_digest` starts with "sha256:".
Result<std::optional<ServedRunRecord>> find_served_run(db::Connection& connection,
                                                       std::string_view id_or_digest);

// Digests of runs whose digest or id starts with `prefix`, ascending, at most `limit`.
Result<std::vector<std::string>> served_runs_starting(db::Connection& connection,
                                                      std::string_view prefix, std::int64_t limit);

struct ServedConfigurationLine {
  std::string id{};
  std::string digest{};
  std::string stack_name{};
  std::optional<std::string> stack_version{};
  std::string summary{};
  std::optional<std::string> dtype{};
  std::int64_t runs = 0;  // eligible ones
};
// By stack name, then id, those after the configuration `after_id` ("" = from the start).
Result<std::vector<ServedConfigurationLine>> list_served_configurations(db::Connection& connection,
                                                                        std::string_view after_id,
                                                                        std::int64_t limit);

// Eligible runs by accelerator, by model and by workload. Several revisions of one slug are one,
// and the newest speaks for them.
struct ServedOn {
  std::string accelerator_model{};
  std::int64_t runs = 0;
};
struct ServedName {
  std::string slug{};
  std::string name{};
  std::optional<std::int64_t> parameter_count{};  // of a model
  std::int64_t runs = 0;
};
Result<std::vector<ServedOn>> read_served_on(db::Connection& connection);
Result<std::vector<ServedName>> read_served_models(db::Connection& connection);
Result<std::vector<ServedName>> read_served_workloads(db::Connection& connection);

// Whether runs come from a source of made-up data.
Result<bool> any_served_illustrative(db::Connection& connection);

}  // namespace ki::catalog
