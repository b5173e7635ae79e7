// What the whole catalog holds, counted by product, by source and by operation: a few rows each,
// however many runs there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

// Eligible runs of one operation on one product.
struct CoverageLine {
  std::string hardware_model;
  std::string operation_id;
  std::int64_t runs = 0;
  std::string last_observed_at;
};

// By product, then operation.
Result<std::vector<CoverageLine>> read_coverage(db::Connection& connection);

// What the newest eligible run on a product says of it; "" when there is none.
struct HardwareFacts {
  std::string vendor;
  std::string architecture;
};
Result<HardwareFacts> read_hardware_facts(db::Connection& connection,
                                          std::string_view hardware_model);

// A source with what came from it.
struct SourceCoverage {
  std::string slug;
  std::string kind;
  std::string name;
  std::string policy;                  // JSON object, "" = none
  std::int64_t runs = 0;               // eligible ones
  std::int64_t published = 0;          // runs
  std::int64_t operations = 0;         // of the published runs
  std::int64_t serving_runs = 0;       // eligible ones
  std::int64_t serving_published = 0;  // runs of served models
  std::int64_t models = 0;             // that those served
  std::int64_t products = 0;           // that published runs of either kind were on
  std::optional<std::string> last_published_at;
  std::optional<std::string> last_fetched_at;  // of the newest file it was read from
};

// By slug.
Result<std::vector<SourceCoverage>> read_source_coverage(db::Connection& connection);
// The same without what takes a look at every run: published, operations and products are 0.
Result<std::vector<SourceCoverage>> read_source_state(db::Connection& connection);

// Comparison groups of an operation with eligible runs, the largest first.
struct CohortSize {
  std::string comparison_key;
  std::string hardware_model;
  std::int64_t runs = 0;
};
Result<std::vector<CohortSize>> read_cohort_sizes(db::Connection& connection,
                                                  std::string_view operation_id);

}  // namespace ki::catalog
