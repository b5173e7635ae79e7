// One operation as the resolver keeps it: workloads, implementations, cohorts already ranked, and
// of each eligible run what places it, in tens of bytes. What else is shown of a run is read when
// it is shown (query/rows.h). Immutable; built once from the catalog, then shared by all threads
// until the operation changes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
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
  std::int64_t runs = 0;  // eligible ones

  std::optional<std::int64_t> axis(std::string_view name) const;
};

struct ImplementationInfo {
  catalog::ImplementationLine line;
  Ref ref;
  Ref project;
  std::vector<std::string> authors;
  std::vector<std::string> packages;           // that install it
  std::int64_t runs = 0;                       // eligible ones
  std::optional<policy::EvidenceLevel> level;  // the best of its runs
  std::optional<std::size_t> best;             // its first run with a value (before())
  bool deployable = false;
};

// Its texts are the snapshot's.
struct CohortInfo {
  std::string_view comparison_key;
  std::size_t workload = 0;
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
  std::string_view statistic;
  std::string_view metric;  // "" = no value
  std::string_view unit;
  std::optional<policy::Pass> pass;  // as the protocol states it
  bool secondary = false;            // not latency, where the workload has latency groups
  bool has_value = false;            // its first run
  bool source_native = false;        // one of its runs has a block of its source's own
  std::string_view protocol_key;
  std::string_view protocol_text;
  std::string_view environment_key;
  std::string_view environment_text;  // toolkit and framework, as far as stated
  double resolution = 0;              // of its timer, in its unit
  RunRange runs{0, 0};                // display order: ranked, then those without a rank
  std::optional<std::size_t> head;    // the first that is ranked
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;  // the best of its runs
  double order_value = 0;   // the head's value, smaller is better
  std::int64_t ranked = 0;  // how many of its runs have a rank
  policy::VerdictKind verdict = policy::VerdictKind::none;
  std::vector<policy::PlaceReason> unclear;  // of the verdict, about positions in `runs`
};

// An implementation without an eligible run.
struct Unmeasured {
  Row row;
  Support support;
};

class RowCache;

struct OperationSnapshot {
  std::string id;
  Ref ref;
  std::string stored_name;
  std::string family;
  std::string manifest;
  std::vector<std::string> dtypes;  // declared by the operation's tensors
  std::vector<WorkloadInfo> workloads;
  std::vector<ImplementationInfo> implementations;
  std::vector<CohortInfo> cohorts;  // largest first, then the better head
  std::vector<RunInfo> runs;        // each cohort's together
  std::vector<Measure> measures;    // RunInfo::measure
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
  std::shared_ptr<RowCache> rows;                            // those shown of late
  std::size_t bytes = 0;                                     // bytes_of() it

  // Of a comparison key.
  std::optional<std::size_t> cohort_at(std::string_view comparison_key) const;
  // A run of that comparison group by its id.
  std::optional<std::size_t> run_at(std::string_view comparison_key, std::string_view run_id) const;
  // Values of one metric ascend by how good they are, those without a value come last, equals by
  // id.
  bool before(std::size_t run, std::size_t other) const;
};

inline constexpr std::size_t kExcludedListed = 20;

// The runs that corrections keep out of a cohort, "" = of the operation.
Excluded excluded_of(const OperationSnapshot& snapshot, std::string_view comparison_key);

// What a cohort and its verdict are called for people.
Cohort cohort_of(const OperationSnapshot& snapshot, const CohortInfo& cohort);
Verdict verdict_of(const OperationSnapshot& snapshot, const CohortInfo& cohort);

// About how much memory a snapshot takes, without the rows that were shown of it.
std::size_t bytes_of(const OperationSnapshot& snapshot);

// Reads and builds. Errors: Code::unavailable from storage; Code::internal for a stored manifest
// that is no JSON. nullptr when there is no such operation.
Result<std::shared_ptr<const OperationSnapshot>> load_snapshot(db::Connection& connection,
                                                               const OperationEntry& entry);

}  // namespace ki::query
