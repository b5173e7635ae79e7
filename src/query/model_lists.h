// Listings: records, runs, operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_cohort.h"
#include "query/model_common.h"
#include "query/model_row.h"

namespace ki::query {

struct RecordStep {
  static constexpr std::string_view kWireName = "RecordStep";
  std::string at;
  std::string run_id;
  Ref implementation;
  Primary value;
  std::optional<Primary> previous_value;
  std::optional<double> improvement_pct;
  std::string cause;
  template <class V>
  static void describe(V& v) {
    v.field("at", &RecordStep::at, "");
    v.field("runId", &RecordStep::run_id, "");
    v.field("implementation", &RecordStep::implementation, "");
    v.field("value", &RecordStep::value, "");
    v.field("previousValue", &RecordStep::previous_value, "");
    v.field("improvementPct", &RecordStep::improvement_pct, "");
    v.field("cause", &RecordStep::cause, "new_run, retraction or restore");
  }
};

// The best eligible run of a cohort and how it came to be that.
struct Holder {
  static constexpr std::string_view kWireName = "Holder";
  std::string cohort_key;
  Ref operation;
  std::string workload_id;
  std::string workload_summary;
  std::string hardware;
  std::string environment_summary;
  Row current;
  Verdict verdict;
  std::string since;
  std::string indexed_at;
  std::vector<RecordStep> history;
  std::int64_t history_total = 0;
  template <class V>
  static void describe(V& v) {
    v.field("cohortKey", &Holder::cohort_key, "");
    v.field("operation", &Holder::operation, "");
    v.field("workloadId", &Holder::workload_id, "");
    v.field("workloadSummary", &Holder::workload_summary, "");
    v.field("hardware", &Holder::hardware, "");
    v.field("environmentSummary", &Holder::environment_summary, "");
    v.field("verdict", &Holder::verdict,
            "what the group claims: its best value may be shared or not be told apart");
    v.field("current", &Holder::current, "");
    v.field("since", &Holder::since, "");
    v.field("indexedAt", &Holder::indexed_at, "");
    v.field("history", &Holder::history, "newest first; of a list of records the newest steps");
    v.field("historyTotal", &Holder::history_total, "steps there are");
  }
};

struct RecordsPage {
  static constexpr std::string_view kWireName = "RecordsPage";
  std::vector<Holder> records;
  std::optional<std::string> next_cursor;
  std::string generated_at;
  std::int64_t total = 0;
  std::vector<NotApplied> not_applied;
  template <class V>
  static void describe(V& v) {
    v.field("records", &RecordsPage::records, "in the order asked for");
    v.field("nextCursor", &RecordsPage::next_cursor, "");
    v.field("generatedAt", &RecordsPage::generated_at,
            "from a server: of the last change of the catalog, or the start of the UTC day when "
            "that is later; equal states give equal bytes");
    v.field("total", &RecordsPage::total, "that the filters leave");
    v.field("notApplied", &RecordsPage::not_applied, kNamedNothing);
  }
};

struct RunItem {
  static constexpr std::string_view kWireName = "RunItem";
  std::string id;
  std::string digest;
  std::string operation;
  std::string implementation;
  std::string hardware;
  std::string status;
  std::optional<Primary> primary;
  std::string evidence;
  bool source_available = false;
  std::string source;
  std::string observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("id", &RunItem::id, "");
    v.field("digest", &RunItem::digest, "");
    v.field("operation", &RunItem::operation, "slug");
    v.field("implementation", &RunItem::implementation, "slug");
    v.field("hardware", &RunItem::hardware, "");
    v.field("status", &RunItem::status, "");
    v.field("primary", &RunItem::primary, "");
    v.field("evidence", &RunItem::evidence, "");
    v.field("sourceAvailable", &RunItem::source_available, "");
    v.field("source", &RunItem::source, "");
    v.field("observedAt", &RunItem::observed_at, "");
  }
};

struct RunsPage {
  static constexpr std::string_view kWireName = "RunsPage";
  std::vector<RunItem> runs;
  std::optional<std::string> next_cursor;
  std::string generated_at;
  std::vector<NotApplied> not_applied;
  template <class V>
  static void describe(V& v) {
    v.field("runs", &RunsPage::runs, "");
    v.field("nextCursor", &RunsPage::next_cursor, "");
    v.field("generatedAt", &RunsPage::generated_at,
            "from a server: of the last change of the catalog, or the start of the UTC day when "
            "that is later; equal states give equal bytes");
    v.field("notApplied", &RunsPage::not_applied, kNamedNothing);
  }
};

struct OperationItem {
  static constexpr std::string_view kWireName = "OperationItem";
  std::string slug;
  std::string name;
  std::string family;
  std::vector<std::string> tags;
  std::int64_t workloads = 0;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &OperationItem::slug, "");
    v.field("name", &OperationItem::name, "");
    v.field("family", &OperationItem::family, "");
    v.field("tags", &OperationItem::tags, "");
    v.field("workloads", &OperationItem::workloads, "");
    v.field("runs", &OperationItem::runs, "");
  }
};

struct OperationsList {
  static constexpr std::string_view kWireName = "OperationsList";
  std::vector<OperationItem> operations;
  std::string generated_at;
  std::vector<NotApplied> not_applied;
  template <class V>
  static void describe(V& v) {
    v.field("operations", &OperationsList::operations, "");
    v.field("generatedAt", &OperationsList::generated_at,
            "from a server: of the last change of the catalog, or the start of the UTC day when "
            "that is later; equal states give equal bytes");
    v.field("notApplied", &OperationsList::not_applied, kNamedNothing);
  }
};

struct CatalogCounts {
  static constexpr std::string_view kWireName = "CatalogCounts";
  std::int64_t operations = 0;
  std::int64_t workloads = 0;
  std::int64_t implementations = 0;
  std::int64_t runs = 0;
  std::int64_t eligible_runs = 0;
  std::int64_t reproducible_runs = 0;
  std::int64_t verified_runs = 0;
  std::int64_t cohorts = 0;
  std::int64_t pending_runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("operations", &CatalogCounts::operations, "");
    v.field("workloads", &CatalogCounts::workloads, "");
    v.field("implementations", &CatalogCounts::implementations, "");
    v.field("runs", &CatalogCounts::runs, "");
    v.field("eligibleRuns", &CatalogCounts::eligible_runs, "");
    v.field("reproducibleRuns", &CatalogCounts::reproducible_runs,
            "eligible ones whose evidence is reproducible or better");
    v.field("verifiedRuns", &CatalogCounts::verified_runs,
            "eligible ones whose evidence is verified or replicated");
    v.field("cohorts", &CatalogCounts::cohorts, "");
    v.field("pendingRuns", &CatalogCounts::pending_runs, "");
  }
};

}  // namespace ki::query
