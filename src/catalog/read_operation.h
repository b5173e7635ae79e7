// What one operation's answers are made of: the operation by its cohorts, read once and then kept
// by the resolver. What is read of the runs of a cohort: catalog/read_cohort.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

struct WorkloadLine {
  std::string id;
  bool suite = false;
  std::string digest;
  std::string shape_summary;
  std::string dtypes;       // JSON list
  std::string layout_keys;  // JSON list
  std::string manifest;
  std::size_t operation = 0;  // whose it is, of those that were read
};

struct ImplementationLine {
  std::string id;
  std::string slug;
  std::string digest;
  std::optional<std::string> source_revision;
  std::string language;
  std::optional<std::string> framework;
  std::string target_architectures;  // JSON list
  std::optional<std::string> license_declared;
  std::optional<std::string> license_expression;
  bool source_available = false;
  bool installable = false;
  std::optional<std::string> title;
  std::optional<std::string> role;
  std::optional<std::string> install_kind;
  std::optional<std::string> install_command;
  std::string project_name;
  std::string project_slug;
  bool own = false;           // it names an operation read; else one of its runs is of another's
  bool measured = false;      // one of its eligible runs is of an operation read
  std::size_t operation = 0;  // of those that were read: the one it names, else that of its runs
};

// A published run that a correction keeps out of its comparison group.
struct ExcludedLine {
  std::string id;
  std::string digest;
  std::string comparison_key;
  std::string implementation_slug;
  bool retracted = false;
  bool held = false;          // for review
  std::string superseded_by;  // "" = it is not
  std::string reason;         // of the correction in force
};

struct SourceLine {
  std::string id;
  std::string slug;
  std::string kind;
  std::string name;
  std::string policy;  // JSON object, "" = none
};

// A comparison group with an eligible run, and what its runs share.
struct CohortLine {
  std::string comparison_key;
  std::string workload_id;
  std::string protocol_key;
  std::string environment_key;
  std::string hardware_model;
  std::string hardware_architecture;
  std::optional<std::int64_t> cuda_major;
  std::string metric;  // "" = no value
  std::string statistic;
  std::string unit;
  std::int64_t runs = 0;          // eligible ones
  std::int64_t reproducible = 0;  // of that evidence level or a better one
  std::int64_t native = 0;        // with a block of their source's own
  std::optional<double> best_value;
  std::string last_observed_at;
  std::string sources;  // JSON object: newest observation by source id
};

struct EnvironmentLine {
  std::string manifest;
  std::string hardware_form_factor;  // "" = not stated
};

// Operations without their runs, as if they were one.
struct OperationLines {
  std::string manifest;                 // of the first
  std::vector<WorkloadLine> workloads;  // ascending by id
  // Those of the operations and those of their runs, ascending by id. They can differ: a run
  // belongs to the operation of its workload.
  std::vector<ImplementationLine> implementations;
  std::vector<CohortLine> cohorts;     // ascending by key
  std::vector<SourceLine> sources;     // every one of the catalog, ascending by id
  std::vector<ExcludedLine> excluded;  // ascending by id
  std::int64_t pending_runs = 0;       // evidence that waits for an implementation or a workload
};

// Reads an operation and those that are equivalent to it, by id, in one snapshot. nullopt when one
// is not there.
Result<std::optional<OperationLines>> read_operations(db::Connection& connection,
                                                      std::span<const std::string> ids);

// What all that is read of operations follows from, in numbers: in one catalog, which only grows,
// two readings with equal stamps read the same. Takes time by its cohorts, never by its runs.
struct OperationStamp {
  std::int64_t eligible_runs = 0;
  std::int64_t cohorts = 0;
  std::int64_t workloads = 0;
  std::int64_t implementations = 0;
  std::int64_t corrections = 0;   // of its runs
  std::int64_t attestations = 0;  // the same
  std::int64_t pending_runs = 0;
  std::int64_t signatures = 0;  // statements and decisions about runners, of the whole catalog
  std::string sources;          // their policies, which can be replaced
  bool operator==(const OperationStamp&) const = default;
};
Result<OperationStamp> read_operations_stamp(db::Connection& connection,
                                             std::span<const std::string> ids);

// The stored manifest of a protocol or an environment by its digest; nullopt when unknown.
Result<std::optional<std::string>> read_protocol(db::Connection& connection,
                                                 std::string_view digest);
Result<std::optional<std::string>> read_environment(db::Connection& connection,
                                                    std::string_view digest);
Result<std::optional<EnvironmentLine>> read_environment_line(db::Connection& connection,
                                                             std::string_view digest);
Result<std::optional<std::string>> read_operation_manifest(db::Connection& connection,
                                                           std::string_view id);
Result<std::optional<std::string>> read_implementation_manifest(db::Connection& connection,
                                                                std::string_view id);

// The operation a workload belongs to; nullopt when the digest is unknown.
struct WorkloadOwner {
  std::string workload_id;
  std::string operation_id;
};
Result<std::optional<WorkloadOwner>> find_workload_owner(db::Connection& connection,
                                                         std::string_view digest);

}  // namespace ki::catalog
