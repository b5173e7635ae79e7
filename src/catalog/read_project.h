// One project: its implementations and where they stand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/read_listing.h"
#include "db/connection.h"

namespace ki::catalog {

struct ProjectImplementation {
  std::string id;
  std::string slug;
  std::optional<std::string> title;
  std::string operation_id;
  std::string language;
  std::optional<std::string> framework;
  std::optional<std::string> license_declared;
  std::optional<std::string> license_expression;
  bool source_available = false;
  bool installable = false;
};
// Ascending by id, at most `limit`.
Result<std::vector<ProjectImplementation>> list_implementations(db::Connection& connection,
                                                                std::string_view project_id,
                                                                std::int64_t limit);
Result<std::int64_t> count_implementations(db::Connection& connection, std::string_view project_id);

// An eligible run of one of its implementations.
struct ProjectRun {
  std::string implementation_id;
  std::string hardware_model;
  std::string source_id;  // "" = none
  std::string observed_at;
  std::string metric;  // "" = no value
  std::string unit;
  std::string statistic;
  std::optional<double> value;
  std::optional<std::int64_t> sample_count;
  std::optional<double> uncertainty_low;
  std::optional<double> uncertainty_high;
  std::optional<double> spread_low;
  std::optional<double> spread_high;
  bool source_available = false;
  bool has_raw_evidence = false;
  std::int64_t approved_runners = 0;  // behind it, independent ones; 2 for more
};
// One at a time, by implementation.
Status each_project_run(db::Connection& connection, std::string_view project_id,
                        const std::function<void(const ProjectRun&)>& visit);

// The records its implementations hold, in the order of list_holders.
Result<std::vector<HolderListing>> list_project_holders(db::Connection& connection,
                                                        std::string_view project_id,
                                                        const HolderPosition& after,
                                                        std::int64_t limit);
Result<std::int64_t> count_project_holders(db::Connection& connection, std::string_view project_id);

}  // namespace ki::catalog
