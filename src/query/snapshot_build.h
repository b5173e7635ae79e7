// The steps of building an OperationSnapshot. Used by snapshot*.cc only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "query/snapshot.h"
#include "query/stored.h"

namespace ki::query {

// What a cohort's protocol and environment manifests say, read once for all cohorts that share one.
struct Setting {
  std::string timer;
  std::optional<std::int64_t> device_count;
  std::string vendor;  // as stated
  std::optional<std::int64_t> memory_gb;
  std::optional<std::string> compiler;
  std::optional<std::string> framework;  // "pytorch 2.9.0"
  std::string framework_version;         // "2.9.0"
  std::optional<std::string> cuda;
  std::optional<std::string> driver;
  std::string protocol_text;
  std::optional<policy::Pass> pass;  // as the protocol's metadata states it
};

Result<WorkloadInfo> build_workload(const catalog::WorkloadLine& line,
                                    const std::vector<std::string>& operation_dtypes);

// A row of an implementation, without a run.
Row row_of(const OperationSnapshot& snapshot, const ImplementationInfo& implementation);

// Authors and packages as the manifest of an implementation states them.
void read_origins(ImplementationInfo& into, const json::Value& manifest);

RunInfo build_run(const catalog::RunLine& line);

// Ranks the runs of one cohort and finishes their rows.
void rank_cohort(OperationSnapshot& snapshot, std::size_t cohort,
                 const std::vector<catalog::RunLine>& lines, const Setting& setting);

// "<harness> <version>, <statistic> of <samples>, compile excluded"
std::string protocol_text(const json::Value& spec);

// The shape of a tensor: whole numbers; anything else in a damaged list is left out.
std::vector<std::int64_t> shape_of(const json::Value& tensor);

}  // namespace ki::query
