// What is measured under hardware, CUDA and dtype facets over all operations: for a query that
// names no operation, and for one whose operation has nothing there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "policy/taxonomy.h"
#include "query/find_operation.h"
#include "query/operation_index.h"
#include "query/request.h"

namespace ki::query {

// The runs of one cohort, as far as these facets look at them.
struct MeasuredGroup {
  std::size_t operation = 0;  // position in the index
  std::string hardware_model;
  const policy::Gpu* gpu = nullptr;
  std::string architecture;
  std::optional<std::int64_t> cuda_major;
  std::vector<std::string> dtypes;  // of a suite: those of its operation
  std::int64_t runs = 0;
};

// Every cohort of the catalog. Immutable; shared like the index it was read for.
using Measured = std::vector<MeasuredGroup>;

// Reads every cohort once. Errors: Code::unavailable from storage.
Result<std::shared_ptr<const Measured>> load_measured(db::Connection& connection,
                                                      const OperationIndex& index);

// An operation with runs that satisfy the facets.
struct MeasuredOperation {
  std::size_t operation = 0;
  std::int64_t runs = 0;
};

// All of them, most runs first, then by slug.
std::vector<MeasuredOperation> measured_under(const Facets& facets, const Measured& measured,
                                              const OperationIndex& index);

// Those that stand in for operations which have no such run: of their families first, then those
// that the words of the request also mean. At most kSiblingsMax.
inline constexpr std::size_t kSiblingsMax = 8;
std::vector<MeasuredOperation> siblings(const Request& request, std::span<const std::size_t> for_,
                                        const std::vector<MeasuredOperation>& all,
                                        const OperationIndex& index);

// "NVIDIA B200 (4,078 runs), NVIDIA A100 (430 runs)": the hardware with most runs.
std::string measured_hardware(const Measured& measured);

}  // namespace ki::query
