// One operation as the resolver keeps it: workloads, implementations, cohorts already ranked, and
// every eligible run as a finished row. Immutable; built once from the catalog, then shared by all
// threads until the catalog changes.
#pragma once

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
#include "policy/taxonomy.h"
#include "query/model_cohort.h"
#include "query/model_row.h"
#include "query/operation_index.h"
#include "query/support.h"

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
};

struct RunInfo {
  Row row;  // finished but for staleness and mismatches
  Instant observed;
  std::size_t workload = 0;
  std::size_t implementation = 0;
  std::size_t cohort = 0;
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;
  bool licence_known = false;
};

struct CohortInfo {
  Cohort model;
  Verdict verdict;
  std::size_t workload = 0;
  std::string hardware_model;
  std::vector<std::string> hardware_names;  // as stated: alone, and with the form factor
  std::string hardware_architecture;        // as stated
  const policy::Gpu* gpu = nullptr;         // the listed product of that model, if it is one
  std::string architecture;                 // as stated, else the product's
  std::optional<std::int64_t> cuda_major;
  std::optional<std::int64_t> device_count;
  std::string vendor;                     // lower case, "" = unknown
  std::optional<std::int64_t> memory_gb;  // of one device
  std::string driver;
  std::string compiler;
  std::string toolkit_version;    // CUDA, as stated; "" = unknown
  std::string framework_version;  // the same
  std::string statistic;
  std::string metric;                // "" = no value
  std::optional<policy::Pass> pass;  // as the protocol states it
  bool secondary = false;            // not latency, where the workload has latency groups
  std::string protocol_key;
  std::string protocol_text;
  std::string environment_key;
  std::string environment_text;   // toolkit and framework, as far as stated
  std::vector<std::size_t> runs;  // display order: ranked, then those without a rank
  std::optional<Head> head;       // the first that is ranked
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;  // the best of its runs
  double order_value = 0;  // the head's value, smaller is better
};

// An implementation without an eligible run.
struct Unmeasured {
  Row row;
  Support support;
};

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
  std::vector<RunInfo> runs;        // by metric, then the better value first, then id
  std::vector<Unmeasured> unmeasured;
  std::vector<catalog::SourceLine> source_lines;
  std::vector<Source> sources;
  std::vector<catalog::ExcludedLine> excluded;  // by corrections
  std::int64_t pending_runs = 0;
  std::unordered_map<std::string, std::size_t> workload_at;  // by id
  std::unordered_map<std::string, std::size_t> cohort_at;    // by comparison key
  std::unordered_map<std::string, std::size_t> run_at;       // by id
};

inline constexpr std::size_t kExcludedListed = 20;

// The runs that corrections keep out of a cohort, "" = of the operation.
Excluded excluded_of(const OperationSnapshot& snapshot, std::string_view comparison_key);

// Reads and builds. Errors: Code::unavailable from storage; Code::internal for a stored manifest
// that is no JSON. nullptr when there is no such operation.
Result<std::shared_ptr<const OperationSnapshot>> load_snapshot(db::Connection& connection,
                                                               const OperationEntry& entry);

}  // namespace ki::query
