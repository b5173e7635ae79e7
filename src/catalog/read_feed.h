// What happened in the catalog and when: records taken, imports, corrections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/read_operation.h"
#include "db/connection.h"

namespace ki::catalog {

// The part of a kind of event that is asked for: newest first, after `after`, up to `until`; of
// those at `until` the ones whose id is below `below`.
struct FeedPart {
  std::string after;  // ISO 8601 UTC with milliseconds
  std::string until;
  std::string below;
  std::int64_t limit = 0;
};

// A run in an event.
struct FeedRun {
  std::string id;
  std::string slug;  // of its implementation
  std::optional<std::string> title;
  std::string project_slug;
  std::string project_name;
  std::string metric;  // "" = no value
  std::string unit;
  std::string statistic;
  std::optional<double> value;
  std::optional<std::int64_t> sample_count;
  std::optional<double> uncertainty_low;
  std::optional<double> uncertainty_high;
  std::optional<double> spread_low;
  std::optional<double> spread_high;
};

// A run that took a record from another, at the publication of that run.
struct FeedRecord {
  std::string id;  // of the event
  std::string at;
  std::string comparison_key;
  std::string operation_id;
  std::string hardware_model;
  WorkloadLine workload;
  FeedRun run;
  FeedRun previous;
};
Result<std::vector<FeedRecord>> read_feed_records(db::Connection& connection, const FeedPart& part);

struct FeedCorrection {
  std::string id;
  std::string at;
  std::string action;  // retract, restore, supersede
  std::string reason;
  std::string run_id;  // the run that went or came back
  std::optional<std::string> superseded_by_id;
  std::string operation_id;
  std::string comparison_key;
  std::string hardware_model;
  std::string slug;  // of its implementation
  std::optional<std::string> title;
  std::string project_slug;
};
Result<std::vector<FeedCorrection>> read_feed_corrections(db::Connection& connection,
                                                          const FeedPart& part);

// The runs of one source that were published on one day (UTC).
struct FeedImport {
  std::string at;  // of the newest
  std::string source_slug;
  std::string source_name;
  std::int64_t runs = 0;
  std::int64_t first_records = 0;  // groups in which nothing was measured before
  std::int64_t operations = 0;
  std::vector<std::string> hardware;  // ascending
};
// Newest first, of one instant by slug. A day that `after` falls into counts whole.
Result<std::vector<FeedImport>> read_feed_imports(db::Connection& connection,
                                                  std::string_view after);

}  // namespace ki::catalog
