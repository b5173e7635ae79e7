// Rows of the serving tables as they follow from manifests. Only publish/ includes this; publish()
// inserts them, verify() compares.
#pragma once

#include <string_view>
#include <vector>

#include "catalog/rows_serving.h"
#include "catalog/rows_serving_run.h"
#include "manifest/manifest.h"
#include "policy/serving.h"

namespace ki::publish {

// What an importer may name otherwise than the manifest does; "" = as the manifest.
struct ServingNames {
  std::string_view slug{};
  std::string_view name{};
};

// Without id, references, source and time.
catalog::ModelRevisionRow model_row(const manifest::Manifest& model, const ServingNames& names);
catalog::ServingStackRow stack_row(const manifest::Manifest& stack, const ServingNames& names);
catalog::ServingConfigurationRow configuration_row(const manifest::Manifest& configuration,
                                                   const ServingNames& names);
catalog::ServingWorkloadRow serving_workload_row(const manifest::Manifest& workload,
                                                 const ServingNames& names);
catalog::ServingRunRow serving_run_row(const manifest::Manifest& run,
                                       const policy::ServingRunFacts& facts);
std::vector<catalog::ServingMeasurementRow> serving_measurement_rows(
    const policy::ServingRunFacts& facts);

// What a stored model or workload says for the keys of runs.
policy::ServingModelFacts facts_for_runs(const catalog::ModelRevisionRow& model);
policy::ServingWorkloadFacts facts_for_runs(const catalog::ServingWorkloadRow& workload);

}  // namespace ki::publish
