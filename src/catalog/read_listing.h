// Pages of runs and of records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

// How an environment names its hardware.
struct HardwareName {
  std::string model;
  std::string form_factor;  // "" = not stated
};

// Those names as one text that a statement looks one up in: "\nmodel\tform factor\n...".
std::string lines_of(const std::vector<HardwareName>& names);

// Conditions on runs; "" = any. Without a status only eligible runs are listed, with one the
// published, not retracted runs of that status.
struct RunConditions {
  std::string operation_id;
  std::string hardware_model;
  // Of those, only the runs in environments of one of these; empty = any.
  std::vector<HardwareName> hardware_names{};
  std::string source_id;
  std::string status;
  std::int64_t approved_runners = 0;  // behind a run, at least; more than 0: of eligible runs only
  std::string since;                  // ISO 8601 UTC with milliseconds
  std::string before_time;            // position: runs after this one in the listing's order
  std::string before_id;
  std::int64_t limit = 50;
};

struct RunListing {
  std::string id;
  std::string digest;
  std::string operation_slug;
  std::string implementation_slug;
  std::string hardware_model;
  std::string status;
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
  std::string source_slug;
  std::string observed_at;
};

// Newest observation first, then id descending.
Result<std::vector<RunListing>> list_runs(db::Connection& connection,
                                          const RunConditions& conditions);

// What environments name, by model, then form factor; at most 10,000.
Result<std::vector<HardwareName>> list_hardware(db::Connection& connection);

struct HolderListing {
  std::string comparison_key;
  std::string run_id;
  std::string since;
  std::string indexed_at;
  std::string operation_id;
  std::string workload_id;
  std::string environment_summary;
};

// From a row with these columns in this order.
HolderListing holder_listing(const db::Rows& row);

// Where a page of records ended; its texts are "" at the start.
struct HolderPosition {
  std::string indexed_at;
  std::string since;
  std::string comparison_key;
};

// Records: the newest publication first, of one publication the newest record, then comparison key.
Result<std::vector<HolderListing>> list_holders(db::Connection& connection,
                                                const HolderPosition& after, std::int64_t limit);
Result<std::int64_t> count_holders(db::Connection& connection);
// The one of a comparison group; nullopt where it has none.
Result<std::optional<HolderListing>> find_holder(db::Connection& connection,
                                                 std::string_view comparison_key);
// How many cohorts runs of an implementation lead.
Result<std::int64_t> count_holders_of(db::Connection& connection,
                                      std::string_view implementation_id);

// Ids of the operations whose workloads an implementation has eligible runs on, ascending.
Result<std::vector<std::string>> list_operations_of(db::Connection& connection,
                                                    std::string_view implementation_id);

struct EventListing {
  std::string at;
  std::string run_id;
  std::string cause;
};
// The history of one record, oldest first.
Result<std::vector<EventListing>> list_record_events(db::Connection& connection,
                                                     std::string_view comparison_key);

}  // namespace ki::catalog
