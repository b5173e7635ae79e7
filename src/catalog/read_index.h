// What the resolver keeps of all operations: one line each, without manifests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

struct OperationLine {
  std::string id;
  std::string slug;
  std::string family;
  std::string name;
  std::string semantic_digest;
  std::string created_at;
  std::int64_t runs = 0;          // eligible ones
  std::int64_t reproducible = 0;  // of those: of that level of evidence, or a better one
  std::int64_t cohorts = 0;
  std::optional<std::string> last_observed_at;
  std::vector<std::string> aliases;
  std::vector<std::string> tags;  // in their order
  std::string equivalence;        // key that it shares with other operations; "" = none
};

// Ascending by id.
Result<std::vector<OperationLine>> read_operation_lines(db::Connection& connection);

// The languages that implementations state, ascending.
Result<std::vector<std::string>> read_languages(db::Connection& connection);

// Names the state of the catalog: it changes with every publication and correction.
Result<std::string> read_catalog_version(db::Connection& connection);
// Whether this catalog grew out of its state of that name.
Result<bool> knows_catalog_version(db::Connection& connection, std::string_view version);

// How many of each thing there are.
// What the lines of the operations do not add up to.
struct Counts {
  std::int64_t workloads = 0;
  std::int64_t implementations = 0;
  std::int64_t runs = 0;
  std::int64_t pending_runs = 0;
  std::int64_t verified_runs = 0;  // eligible ones of that level of evidence
};
Result<Counts> read_counts(db::Connection& connection);

// Workloads of each operation, by operation id ascending.
struct OperationCount {
  std::string operation_id;
  std::int64_t count = 0;
};
Result<std::vector<OperationCount>> read_workload_counts(db::Connection& connection);

// An eligible run as far as hardware, CUDA and dtype facets look at it.
struct FacetLine {
  std::string hardware_model;
  std::string hardware_form_factor;  // "" = not stated
  std::string hardware_architecture;
  std::optional<std::int64_t> cuda_major;
  std::string dtypes;  // JSON list of the workload; "[]" for suites
  bool source_available = false;
  std::string metric;  // "" = no value
  std::string unit;
  std::optional<double> value;
};
// The runs of one operation, in the order of their ids.
Result<std::vector<FacetLine>> read_facet_lines(db::Connection& connection,
                                                std::string_view operation_id);

// The eligible runs of one cohort, as far as the same facets look at them.
struct CohortFacts {
  std::string operation_id;
  std::string hardware_model;
  std::string hardware_form_factor;  // "" = not stated
  std::string hardware_architecture;
  std::optional<std::int64_t> cuda_major;
  std::string dtypes;  // JSON list of the workload; "[]" for suites
  std::int64_t runs = 0;
  std::int64_t sourced = 0;  // by an implementation whose source is at hand
  std::string metric;        // "" = no value
  std::string unit;
  std::optional<double> best_value;
};
// Every cohort of one operation with an eligible run, by key.
Result<std::vector<CohortFacts>> read_cohort_facts(db::Connection& connection,
                                                   std::string_view operation_id);

// How many eligible runs an operation has on one kind of machine, in cases of one list of dtypes.
struct MeasuredLine {
  std::string operation_id;
  std::string hardware_model;
  std::string hardware_form_factor;  // "" = not stated
  std::string hardware_architecture;
  std::optional<std::int64_t> cuda_major;
  std::string dtypes;  // JSON list of the workload; "[]" for suites
  std::int64_t runs = 0;
};
// Of the whole catalog, in no order. Reads every cohort, and holds only what it returns.
Result<std::vector<MeasuredLine>> read_measured(db::Connection& connection);

}  // namespace ki::catalog
