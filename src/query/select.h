// Holding a request against what was measured: which facets a run misses, and which workload and
// cohort answer best. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/request.h"
#include "query/snapshot.h"

namespace ki::query {

// `gpu` is policy::find_gpu(model).
bool satisfies(const HardwareFacet& facet, const policy::Gpu* gpu, std::string_view model);
// `architecture` is policy::architecture_of the run's hardware.
bool satisfies(const ArchitectureFacet& facet, std::string_view architecture);
// Whether one of the dtypes is among those the facet accepts.
bool satisfies(const DtypeFacet& facet, const std::vector<std::string>& dtypes);

// Facets that a run misses, in the fixed order: hardware, CUDA, pass, metric, dtype, layout,
// framework, language, scope, shape, axes. Empty: the run answers the request exactly.
std::vector<Mismatch> mismatches(const Facets& facets, const OperationSnapshot& snapshot,
                                 const RunInfo& run);

// How many facets that a whole cohort shares, that is without framework and language, it misses.
std::size_t misses(const Facets& facets, const OperationSnapshot& snapshot,
                   const CohortInfo& cohort);

// Whether there is none.
bool cohort_satisfies(const Facets& facets, const OperationSnapshot& snapshot,
                      const CohortInfo& cohort);
bool implementation_satisfies(const Facets& facets, const ImplementationInfo& implementation);

// Whether a workload is the case that was asked for: shape, axes and dtypes.
bool is_case(const Facets& facets, const WorkloadInfo& workload);

// How two workloads differ: one workload.scope entry between a suite and a case, else one entry for
// each axis that differs.
std::vector<Mismatch> differences(const WorkloadInfo& selected, const WorkloadInfo& other);

// Facets that an answer must satisfy to be used (trust, license, source, installable) and that this
// row fails, by name.
std::vector<std::string> failed_policies(const Facets& facets, const Row& row,
                                         policy::EvidenceLevel level);

// The cohort whose key starts with `key` ("sha256:ab12..."); nullopt unless it is the only one.
std::optional<std::size_t> find_cohort(const OperationSnapshot& snapshot, std::string_view key);

// What sets a cohort apart from the ranked one; empty only when they are the same.
std::vector<Mismatch> differences(const OperationSnapshot& snapshot, const CohortInfo& ranked,
                                  const CohortInfo& other);

// How many entries those differences have, without making their texts: every group of an answer is
// placed by it.
std::size_t distance(const OperationSnapshot& snapshot, const CohortInfo& ranked,
                     const CohortInfo& other);

struct Selection {
  std::optional<std::size_t> workload;
  std::optional<std::size_t> cohort;
  bool satisfied = false;            // the cohort holds a run without a mismatch
  std::vector<std::size_t> fitting;  // every cohort that does
  std::string because;               // one sentence
};

// The workload and cohort to rank. A cohort with a run that satisfies every facet comes first:
// latency before other metrics of a workload, best evidence, then most such runs, then the better
// head. Without one the cohort that misses fewest facets; of those, and without facets, the largest
// of the workload with most runs. A run that fails a policy facet does not count.
struct SelectOptions {
  std::string cohort{};    // comparison key: decides when the operation has it
  std::string workload{};  // id: only its cohorts are looked at when the operation has it
};
Selection select(const Facets& facets, const OperationSnapshot& snapshot,
                 const SelectOptions& options);

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[4096, 7168]"

}  // namespace ki::query
