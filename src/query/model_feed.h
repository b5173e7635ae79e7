// What changed in the catalog, day by day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

struct FeedMatch {
  static constexpr std::string_view kWireName = "FeedMatch";
  std::optional<std::string> cohort;
  std::optional<std::string> operation;
  std::vector<std::string> projects;
  std::optional<std::string> gpu;
  std::vector<std::string> models;
  template <class V>
  static void describe(V& v) {
    v.field("cohort", &FeedMatch::cohort, "comparison key");
    v.field("operation", &FeedMatch::operation, "slug");
    v.field("projects", &FeedMatch::projects, "slugs");
    v.field("gpu", &FeedMatch::gpu, "");
    v.field("models", &FeedMatch::models, "slugs");
  }
};

struct FeedPrevious {
  static constexpr std::string_view kWireName = "FeedPrevious";
  Ref implementation;
  Primary value;
  template <class V>
  static void describe(V& v) {
    v.field("implementation", &FeedPrevious::implementation, "");
    v.field("value", &FeedPrevious::value, "");
  }
};

// A run took a record from another.
struct RecordEntry {
  static constexpr std::string_view kWireName = "RecordEntry";
  std::string at;
  FeedMatch match;
  std::string kind;
  std::string run_id;
  Ref operation;
  std::string workload_id;
  std::string workload_summary;
  std::string hardware;
  Ref implementation;
  Ref project;
  Primary value;
  FeedPrevious previous;
  std::optional<double> improvement_pct;
  std::string cohort_key;
  template <class V>
  static void describe(V& v) {
    v.field("at", &RecordEntry::at, "publication of the run");
    v.field("match", &RecordEntry::match, "what a follower of this would follow");
    v.field("kind", &RecordEntry::kind, "record");
    v.field("runId", &RecordEntry::run_id, "");
    v.field("operation", &RecordEntry::operation, "");
    v.field("workloadId", &RecordEntry::workload_id, "");
    v.field("workloadSummary", &RecordEntry::workload_summary, "");
    v.field("hardware", &RecordEntry::hardware, "");
    v.field("implementation", &RecordEntry::implementation, "");
    v.field("project", &RecordEntry::project, "");
    v.field("value", &RecordEntry::value, "");
    v.field("previous", &RecordEntry::previous, "");
    v.field("improvementPct", &RecordEntry::improvement_pct, "in the direction of the metric");
    v.field("cohortKey", &RecordEntry::cohort_key, "");
  }
};

// Runs of one source published on one day.
struct ImportEntry {
  static constexpr std::string_view kWireName = "ImportEntry";
  std::string at;
  FeedMatch match;
  std::string kind;
  Ref source;
  std::int64_t runs = 0;
  std::int64_t first_records = 0;
  std::int64_t operations = 0;
  std::vector<std::string> hardware;
  template <class V>
  static void describe(V& v) {
    v.field("at", &ImportEntry::at, "publication of the newest run");
    v.field("match", &ImportEntry::match, "what a follower of this would follow");
    v.field("kind", &ImportEntry::kind, "import");
    v.field("source", &ImportEntry::source, "");
    v.field("runs", &ImportEntry::runs, "");
    v.field("firstRecords", &ImportEntry::first_records,
            "groups in which nothing was measured before");
    v.field("operations", &ImportEntry::operations, "");
    v.field("hardware", &ImportEntry::hardware, "");
  }
};

// A run was taken out of force, or put back.
struct CorrectionEntry {
  static constexpr std::string_view kWireName = "CorrectionEntry";
  std::string at;
  FeedMatch match;
  std::string kind;
  std::string run_id;
  std::string action;
  std::optional<std::string> reason;
  Ref operation;
  Ref implementation;
  std::optional<std::string> superseded_by_id;
  template <class V>
  static void describe(V& v) {
    v.field("at", &CorrectionEntry::at, "");
    v.field("match", &CorrectionEntry::match, "what a follower of this would follow");
    v.field("kind", &CorrectionEntry::kind, "correction");
    v.field("runId", &CorrectionEntry::run_id, "the run that went or came back");
    v.field("action", &CorrectionEntry::action, "retracted, superseded, restored, held, released");
    v.field("reason", &CorrectionEntry::reason, "");
    v.field("operation", &CorrectionEntry::operation, "");
    v.field("implementation", &CorrectionEntry::implementation, "");
    v.field("supersededById", &CorrectionEntry::superseded_by_id, "");
  }
};

using FeedEntry = std::variant<RecordEntry, ImportEntry, CorrectionEntry>;

struct FeedDay {
  static constexpr std::string_view kWireName = "FeedDay";
  static constexpr bool kGroupsRows = true;  // what trims rows trims the entries
  std::string date;
  std::vector<FeedEntry> entries;
  template <class V>
  static void describe(V& v) {
    v.field("date", &FeedDay::date, "UTC");
    v.field("entries", &FeedDay::entries, "newest first");
  }
};

struct Feed {
  static constexpr std::string_view kWireName = "Feed";
  bool illustrative = false;
  std::vector<FeedDay> days;
  std::string generated_at;
  std::string from;
  std::optional<std::string> next_cursor;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &Feed::illustrative, "");
    v.field("days", &Feed::days, "newest first");
    v.field("generatedAt", &Feed::generated_at, "");
    v.field("from", &Feed::from, "entries after this instant are listed");
    v.field("nextCursor", &Feed::next_cursor, "there are older ones in that time");
  }
};

}  // namespace ki::query
