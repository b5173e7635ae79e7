// The runs of one cohort, as far as an answer ranks, counts or shows them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

// An eligible run, as far as its rank depends on it.
struct RunLine {
  std::string id;
  std::string implementation_id;
  std::string source_id;  // "" = none
  std::string observed_at;
  std::string metric;  // "" = no value
  std::string statistic;
  std::string unit;
  std::optional<double> value;
  std::optional<std::int64_t> sample_count;
  std::optional<double> uncertainty_low;
  std::optional<double> uncertainty_high;
  std::optional<double> spread_low;
  std::optional<double> spread_high;
  bool source_available = false;  // frozen with the run
  bool has_raw_evidence = false;
  bool source_native = false;
  std::int64_t approved_runners = 0;  // behind it, independent ones; 2 for more
};

// What else is shown of a run.
struct ShownLine {
  std::string digest;
  std::string source_id;  // "" = none
  std::string observed_at;
  std::string published_at;
  std::string metric;  // "" = no value
  std::string statistic;
  std::string unit;
  std::optional<double> value;
  std::optional<std::int64_t> sample_count;
  std::optional<double> uncertainty_low;
  std::optional<double> uncertainty_high;
  std::optional<double> spread_low;
  std::optional<double> spread_high;
  std::string hardware_model;
  std::string hardware_architecture;
  std::optional<double> sol_score;
  std::int64_t attestations = 0;
};

// How many eligible runs of a comparison group are of one implementation and one kind of evidence.
struct TallyLine {
  std::string implementation_id;
  bool source_available = false;
  bool has_raw_evidence = false;
  std::int64_t approved_runners = 0;
  std::int64_t runs = 0;
};

// An eligible run with the best value of its group.
struct BestLine {
  std::string id;
  std::string implementation_id;
  std::string observed_at;
  bool source_available = false;
  bool has_raw_evidence = false;
  std::int64_t approved_runners = 0;
};

// The eligible runs of a comparison group, in no order.
Result<std::vector<RunLine>> read_cohort_runs(db::Connection& connection,
                                              std::string_view comparison_key);
// The runs of an operation by implementation, those that do not stand too; how many there are, and
// the ids of those that stand. A line is without source, instant and `source_native`, and right
// during the visit.
Status each_run_of(db::Connection& connection, std::string_view operation_slug,
                   const std::function<void(const RunLine&)>& visit);
Result<std::int64_t> count_runs_of(db::Connection& connection, std::string_view operation_slug);
Result<std::unordered_set<std::string>> read_standing_of(db::Connection& connection,
                                                         std::string_view operation_slug);
Result<std::vector<TallyLine>> read_cohort_tallies(db::Connection& connection,
                                                   std::string_view comparison_key);
// Those with this value, in no order.
Result<std::vector<BestLine>> read_best_runs(db::Connection& connection,
                                             std::string_view comparison_key, double value);
// The comparison groups of an operation that hold eligible runs of an implementation, and the runs.
struct PlacedRun {
  std::string comparison_key;
  std::string run_id;
};
Result<std::vector<PlacedRun>> read_runs_of_implementation(db::Connection& connection,
                                                           std::string_view implementation_id,
                                                           std::string_view operation_id);
// nullopt when there is no such run.
Result<std::optional<ShownLine>> read_shown_run(db::Connection& connection,
                                                std::string_view run_id);

}  // namespace ki::catalog
