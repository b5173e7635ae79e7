// One operation as the resolver keeps it: workloads, implementations, and its cohorts with what
// choosing among them takes. Its runs are read cohort by cohort, when one is ranked or shown
// (query/rows.h). Immutable; built once from the catalog, then shared by all threads until the
// operation changes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/read_cohort.h"
#include "catalog/read_operation.h"
#include "policy/assessment.h"
#include "policy/facts.h"
#include "policy/ranking.h"
#include "policy/taxonomy.h"
#include "query/model_cohort.h"
#include "query/model_row.h"
#include "query/operation_index.h"
#include "query/run_info.h"
#include "query/support.h"
#include "query/text_pool.h"

namespace ki::query {

struct TensorInfo {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
};

struct WorkloadInfo {
  std::string id;
  std::string digest;
  bool suite = false;
  std::string label;
  std::string summary;  // dtypes and shape, as rows show it
  std::string shape_summary;
  std::string tolerance_summary;
  std::vector<std::string> dtypes;        // as stored; empty for suites
  std::vector<std::string> match_dtypes;  // what a dtype facet is compared with
  std::vector<std::string> layouts;
  std::vector<std::pair<std::string, std::int64_t>> axes;  // of a case, as stored
  std::vector<std::string> suite_axes;                     // names that the suite's cases bind
  std::vector<TensorInfo> tensors;
  std::int64_t runs = 0;        // eligible ones
  std::uint32_t operation = 0;  // of OperationSnapshot::operations

  std::optional<std::int64_t> axis(std::string_view name) const;
};

struct ImplementationInfo {
  catalog::ImplementationLine line;
  Ref ref;
  Ref project;
  std::vector<std::string> authors;   // where the snapshot has_origins
  std::vector<std::string> packages;  // that install it; the same
  bool deployable = false;
};

// What the protocol and the environment of a cohort say. Its texts are the snapshot's.
struct Setting {
  std::string_view protocol_key;
  std::string_view environment_key;
  std::string_view hardware_model;
  // As stated: alone, and with the form factor, "" = not stated.
  std::array<std::string_view, 2> hardware_names{};
  std::string_view hardware_architecture;  // as stated
  const policy::Gpu* gpu = nullptr;        // the listed product of that model, if it is one
  std::string_view architecture;           // as stated, else the product's
  std::optional<std::int64_t> cuda_major;
  std::optional<std::int64_t> device_count;
  std::string_view vendor;                // lower case, "" = unknown
  std::optional<std::int64_t> memory_gb;  // of one device
  std::string_view driver;
  std::string_view compiler;
  std::string_view toolkit_version;    // CUDA, as stated; "" = unknown
  std::string_view framework;          // with its version
  std::string_view framework_version;  // "" = unknown
  std::string_view timer;              // of the protocol
  double effect_min = 0;               // of the protocol, a share; 0: it states none
  std::string_view protocol_text;
  std::string_view environment_text;  // toolkit and framework, as far as stated
  std::optional<policy::Pass> pass;   // as the protocol states it
};
inline constexpr Setting kNoSetting{};

struct CohortInfo {
  std::string_view comparison_key;
  const Setting* setting = &kNoSetting;  // of the snapshot
  std::uint32_t workload = 0;
  RunRange runs{0, 0};      // positions
  std::string_view metric;  // "" = no value
  std::string_view statistic;
  std::string_view unit;
  std::optional<double> best_value;        // where it is known which end of the metric is good
  double order_value = 0;                  // the same, smaller is better
  bool higher = false, has_value = false;  // is better; its runs
  int precedence = 0;  // latency before other metrics of the workload, then forward, backward, full
  bool source_native = false;  // one of its runs has a block of its source's own
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;  // the best of its runs
  std::uint32_t reproducible = 0;                                 // runs of that level or a better

  // Whether its runs have ranks; all of them have then.
  bool is_ranked() const { return best_value.has_value(); }
  std::int64_t ranked() const { return is_ranked() ? std::ssize(runs) : 0; }
  policy::RankingOptions ranking_options() const;
};

// An implementation without an eligible run.
struct Unmeasured {
  Row row;
  Support support;
};

struct Held;

// One of the operations that are answered about together.
struct MemberOperation {
  Ref ref;
  std::string stored_name;
};

struct OperationSnapshot {
  std::string id;
  Ref ref;
  std::vector<MemberOperation> operations;  // itself, then those that are equivalent to it
  std::string family;
  std::string manifest;
  std::vector<std::string> dtypes;  // declared by the operation's tensors
  std::vector<DeclaredAxis> axes;   // by the operation itself
  std::vector<WorkloadInfo> workloads;
  std::vector<ImplementationInfo> implementations;  // ascending by id
  bool has_origins = false;
  std::deque<Setting> settings;
  std::vector<CohortInfo> cohorts;  // largest first, then the better best value
  std::vector<Unmeasured> unmeasured;
  std::vector<catalog::SourceLine> source_lines;
  std::vector<Source> sources;
  std::vector<catalog::ExcludedLine> excluded;  // by corrections
  std::int64_t pending_runs = 0;
  std::string last_observed_at;                              // of its runs
  std::unordered_map<std::string, std::size_t> workload_at;  // by id
  std::vector<std::uint32_t> cohorts_by_key;                 // ascending
  TextPool texts;                                            // that the others point into
  catalog::OperationStamp stamp;                             // of what was read
  std::shared_ptr<Held> held;                                // what was shown of late
  std::size_t bytes = 0;                                     // bytes_of() it

  // Of a comparison key.
  std::optional<std::size_t> cohort_at(std::string_view comparison_key) const;
  // Of the run at a position.
  const CohortInfo& cohort_of_run(std::size_t run) const;
  // Of an id.
  std::optional<std::size_t> implementation_at(std::string_view id) const;
  std::size_t position_of(const CohortInfo& cohort) const {
    return static_cast<std::size_t>(&cohort - cohorts.data());
  }
};

// Values of one metric ascend by how good they are, those without a value come last, equals by id.
bool before(const OperationSnapshot& snapshot, const RunInfo& run, const RunInfo& other);

// What a cohort and its verdict are called for people.
Cohort cohort_of(const OperationSnapshot& snapshot, const CohortInfo& cohort);
Verdict verdict_of(const OperationSnapshot& snapshot, const RankedRuns& ranked);

// About how much memory a snapshot takes, without what was shown of it.
std::size_t bytes_of(const OperationSnapshot& snapshot);

// Reads and builds. `origins`: also who wrote the implementations and what installs them, which
// takes a manifest each. Errors: Code::unavailable from storage; Code::internal for a stored
// manifest that is no JSON. nullptr when there is no such operation.
struct LoadOptions {
  bool origins = false;
};
using Members = std::span<const OperationEntry* const>;  // an operation, then its equivalents
std::vector<std::string> ids_of(Members members);
Result<std::shared_ptr<const OperationSnapshot>> load_snapshot(db::Connection& connection,
                                                               Members members,
                                                               const LoadOptions& options = {});

// Reads the runs of a cohort and ranks them. Errors: the same; Code::internal where they are not as
// many as the snapshot says, or are of implementations that it does not know.
Result<RankedRuns> load_runs(db::Connection& connection, const OperationSnapshot& snapshot,
                             std::size_t cohort);
Result<Tallies> load_tallies(db::Connection& connection, const OperationSnapshot& snapshot,
                             std::size_t cohort);

}  // namespace ki::query
