// What is measured under hardware, CUDA and dtype facets over all operations: for a query that
// names no operation, and for one whose operation has nothing there.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "policy/taxonomy.h"
#include "query/find_operation.h"
#include "query/model_cohort.h"
#include "query/operation_index.h"
#include "query/request.h"

namespace ki::query {

// The runs of the cohorts that are alike as far as these facets look at them.
struct MeasuredGroup {
  std::size_t operation = 0;  // position in the index
  std::string hardware_model;
  const policy::Gpu* gpu = nullptr;
  std::string architecture;
  std::optional<std::int64_t> cuda_major;
  std::vector<std::string> dtypes;  // of a suite: those of its operation
  std::int64_t runs = 0;
};

// An operation with runs that satisfy the facets.
struct MeasuredOperation {
  std::size_t operation = 0;
  std::int64_t runs = 0;
};
using MeasuredOperations = std::vector<MeasuredOperation>;

// Every cohort of the catalog in one of its states. Shared like the index it was read for, and
// thread-safe: the same facets are asked for again and again, so what was found for them is kept.
class Measured {
 public:
  explicit Measured(std::vector<MeasuredGroup> groups) : groups_(std::move(groups)) {}

  // All operations with such runs, most runs first, then by slug; equivalent ones are the one that
  // lists show.
  std::shared_ptr<const MeasuredOperations> under(const Facets& facets,
                                                  const OperationIndex& index) const;

  // How many runs of one operation satisfy the facets, and the best of them.
  Result<EntryMatch> match_of(db::Connection& connection, const OperationIndex& index,
                              const Request& request, std::size_t operation) const;

  // The products with runs that this facet means, most runs first.
  std::vector<std::string> products(const HardwareFacet& hardware) const;

  // The products with runs whose name has a word that starts so, most runs first; none for fewer
  // than three letters.
  std::vector<std::string> products_named(std::string_view start) const;

  // "NVIDIA B200 (4078 runs), NVIDIA A100 (430 runs)": the hardware with most runs.
  std::string hardware() const;

 private:
  template <class Meant>
  std::vector<std::string> products_where(Meant meant) const;

  static constexpr std::size_t kKeptMax = 1024;  // answers of each kind, then it starts anew

  std::vector<MeasuredGroup> groups_;
  mutable std::mutex mutex_;
  // By the facets; of matches also by the operation.
  mutable std::unordered_map<std::string, std::shared_ptr<const MeasuredOperations>> under_;
  mutable std::unordered_map<std::string, EntryMatch> matches_;
};

// Reads every cohort once. Errors: Code::unavailable from storage.
Result<std::shared_ptr<const Measured>> load_measured(db::Connection& connection,
                                                      const OperationIndex& index);

// Those of `all` that stand in for operations which have no such run: of their families, else those
// that the words of the request also mean. At most kSiblingsMax.
inline constexpr std::size_t kSiblingsMax = 8;
MeasuredOperations siblings(const Request& request, std::span<const std::size_t> for_,
                            const MeasuredOperations& all, const OperationIndex& index);

}  // namespace ki::query
