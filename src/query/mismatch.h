// Holding what was measured against a request and against the ranked group: each way to differ,
// how many there are, and how material they are. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
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

// What hardware, CUDA and dtype facets look at, of runs whose operation is not loaded.
struct Setup {
  std::string_view hardware_model;
  const policy::Gpu* gpu = nullptr;
  std::string_view architecture;
  std::optional<std::int64_t> cuda_major;
  const std::vector<std::string>& dtypes;
};
bool satisfies(const Facets& facets, const Setup& setup);

// Facets that a run misses, in the fixed order: hardware, CUDA, driver and compiler, pass, metric,
// protocol, dtype, layout, framework, language, project, scope, shape, axes. Empty: the run answers
// the request exactly.
std::vector<Mismatch> mismatches(const Facets& facets, const OperationSnapshot& snapshot,
                                 const RunInfo& run);

// How far a whole group is: how many entries, and how material they are together. Fewer come before
// less material ones.
struct Distance {
  std::size_t count = 0;
  double weight = 0;
  auto operator<=>(const Distance&) const = default;
};

// How far a cohort is from the facets that all of it shares, that is without those of
// implementations.
Distance misses(const Facets& facets, const OperationSnapshot& snapshot, const CohortInfo& cohort);

// Whether there is none.
bool cohort_satisfies(const Facets& facets, const OperationSnapshot& snapshot,
                      const CohortInfo& cohort);
bool implementation_satisfies(const Facets& facets, const ImplementationInfo& implementation);

// Whether a workload is the case that was asked for: shape, axes and dtypes.
bool is_case(const Facets& facets, const WorkloadInfo& workload);

// How two workloads differ: one workload.scope entry between a suite and a case, else one entry for
// each axis that differs.
std::vector<Mismatch> differences(const WorkloadInfo& selected, const WorkloadInfo& other);

// What rows are told apart from: the request, and where that decides nothing the ranked group. A
// row that has what was asked for, where the ranked group has not, does not differ there.
class Baseline {
 public:
  Baseline(const Facets& facets, const OperationSnapshot& snapshot, const CohortInfo& ranked);

  // The entries of a run outside the ranked group; each says against what. Never empty.
  std::vector<Mismatch> differs(const RunInfo& run) const;

  // The same of a whole group, without texts, because every group of an answer is placed by it.
  Distance distance(const CohortInfo& other) const;

 private:
  template <class Sink>
  void each(const CohortInfo& other, const ImplementationInfo* implementation, Sink sink) const;
  bool decided(std::string_view field) const;

  const Facets& facets_;
  const OperationSnapshot& snapshot_;
  const CohortInfo& ranked_;
  std::vector<std::string> missed_;  // fields in which the ranked group is not what was asked for
};

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[4096, 7168]"

}  // namespace ki::query
