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

// Authors and packages as the manifest of an implementation states them.
void read_origins(ImplementationInfo& into, const json::Value& manifest);

// Values of one metric ascend by how good they are, so that the first of a cohort is its best.
void sort_best_first(std::vector<catalog::RunLine>& lines);

// The eligible runs of one cohort, best first, with the positions of their implementations.
struct CohortRuns {
  std::vector<catalog::RunLine> lines;
  std::vector<std::uint32_t> implementations;
};

// Ranks the runs of a cohort, adds them and it to the snapshot.
void add_cohort(OperationSnapshot& into, CohortInfo cohort, const CohortRuns& runs,
                const Setting& setting);

// "<harness> <version>, <statistic> of <samples>, compile excluded"
std::string protocol_text(const json::Value& spec);

// The shape of a tensor: whole numbers; anything else in a damaged list is left out.
std::vector<std::int64_t> shape_of(const json::Value& tensor);

}  // namespace ki::query
