// The derived tables (cohort, standing, run_trust, record_event, holder, operation_equivalence,
// search_term) as they are stored, and the part of each run that they follow from. publish/derive.h
// says what they should hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows_correction.h"
#include "catalog/rows_derived.h"
#include "catalog/rows_run.h"
#include "catalog/trust.h"
#include "catalog/update.h"

namespace ki::catalog {

// What a run contributes to its cohort.
struct CohortRun {
  static constexpr std::string_view kTable = "run";
  std::string id{};
  std::string run_digest{};
  std::string comparison_key{};
  std::string operation_id{};
  std::string workload_id{};
  std::string implementation_id{};
  std::optional<std::string> source_id{};
  std::string status{};
  std::string observed_at{};
  std::optional<std::string> published_at{};
  std::optional<std::string> primary_metric{};
  std::optional<std::string> primary_statistic{};
  std::optional<std::string> primary_unit{};
  std::optional<double> primary_value{};
  std::optional<double> uncertainty_low{};
  std::optional<double> uncertainty_high{};
  std::optional<double> spread_low{};
  std::optional<double> spread_high{};
  std::string protocol_key{};
  std::string environment_key{};
  std::string hardware_model{};
  std::string hardware_architecture{};
  std::optional<std::int64_t> cuda_major{};
  bool source_available = false;
  bool has_raw_evidence = false;
  bool source_native = false;
  template <class Visitor>
  static void columns(Visitor& v) {
    using R = CohortRun;
    v("id", &R::id);
    v("run_digest", &R::run_digest);
    v("comparison_key", &R::comparison_key);
    v("operation_id", &R::operation_id);
    v("workload_id", &R::workload_id);
    v("implementation_id", &R::implementation_id);
    v("source_id", &R::source_id);
    v("status", &R::status);
    v("observed_at", &R::observed_at);
    v("published_at", &R::published_at);
    v("primary_metric", &R::primary_metric);
    v("primary_statistic", &R::primary_statistic);
    v("primary_unit", &R::primary_unit);
    v("primary_value", &R::primary_value);
    v("uncertainty_low", &R::uncertainty_low);
    v("uncertainty_high", &R::uncertainty_high);
    v("spread_low", &R::spread_low);
    v("spread_high", &R::spread_high);
    v("protocol_key", &R::protocol_key);
    v("environment_key", &R::environment_key);
    v("hardware_model", &R::hardware_model);
    v("hardware_architecture", &R::hardware_architecture);
    v("cuda_major", &R::cuda_major);
    v("source_available", &R::source_available);
    v("has_raw_evidence", &R::has_raw_evidence);
    v("source_native", &R::source_native);
  }
};

// The evidence of one cohort: its runs by observation, the corrections that name them, and who
// signed them.
struct CohortEvidence {
  std::vector<CohortRun> runs;
  std::vector<CorrectionRow> corrections;   // oldest first
  std::vector<CohortSignature> signatures;  // by run and statement
};
Result<CohortEvidence> cohort_evidence(db::Connection& connection, std::string_view comparison_key);

// The derived rows of one cohort, as stored or as they should be.
struct CohortState {
  std::optional<CohortRow> cohort;
  std::vector<StandingRow> standings;  // by run
  std::vector<RunTrustRow> trust;      // by run
  std::vector<RecordEventRow> events;  // in time order
  std::optional<HolderRow> holder;
};
Result<CohortState> stored_cohort(db::Connection& connection, std::string_view comparison_key);

// Makes the stored rows of the cohort `wanted`, touching only what differs from `stored`.
Status store_cohort(db::Connection& connection, std::string_view comparison_key,
                    const CohortState& stored, const CohortState& wanted);

// Every comparison key that runs have, or that a derived table has, in order.
Result<std::vector<std::string>> comparison_keys(db::Connection& connection);

// The stored key of an operation; nullopt: there is none.
Result<std::optional<std::string>> equivalence_key_of(db::Connection& connection,
                                                      std::string_view operation_id);

Result<std::vector<SearchTermRow>> search_terms(db::Connection& connection,
                                                std::string_view operation_id);
Status replace_search_terms(db::Connection& connection, std::string_view operation_id,
                            const std::vector<SearchTermRow>& terms);

}  // namespace ki::catalog
