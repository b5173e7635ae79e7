// Every project, and records to choose from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/read_listing.h"
#include "db/connection.h"

namespace ki::catalog {

// What a project has in the catalog.
struct ProjectLine {
  std::string slug;
  std::string name;
  std::string kind;
  std::int64_t implementations = 0;
  std::int64_t runs = 0;  // eligible ones
  std::int64_t products = 0;
  std::int64_t records = 0;      // cohorts that its runs lead
  std::string last_observed_at;  // of its eligible runs; "" without one
};

// By slug; at most 100,000.
Result<std::vector<ProjectLine>> list_projects(db::Connection& connection);

// Records of cohorts on a product, in the order of list_holders, and how many there are.
Result<std::vector<HolderListing>> list_product_holders(db::Connection& connection,
                                                        std::string_view hardware_model,
                                                        const HolderPosition& after,
                                                        std::int64_t limit);
Result<std::int64_t> count_product_holders(db::Connection& connection,
                                           std::string_view hardware_model);

// Which records; "" and empty = any.
struct HolderChoice {
  std::string hardware_model;
  std::vector<HardwareName> hardware_names{};  // in environments of one of these
  bool with_source = false;                    // only runs whose source is at hand
  std::int64_t approved_runners = 0;           // behind the run, at least
  bool without_baselines =
      false;  // none that a reference implementation holds and took from nobody
};

// A record with what records are found by and compared in.
struct HolderLine {
  HolderListing listing;
  std::string hardware_model;
  std::string implementation_slug;
  std::string implementation_title;  // "" = none
  std::string project_name;
  std::string metric;  // "" = no value
  std::string unit;
  std::optional<double> value;
  std::optional<double> previous_value;  // of the record before, where there was one
};

// All of them, in the order of list_holders.
Result<std::vector<HolderLine>> list_holder_lines(db::Connection& connection,
                                                  const HolderChoice& choice);

}  // namespace ki::catalog
