// Lists of serving runs and configurations, and the overview of what was served.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_serving_row.h"

namespace ki::query {

struct ServingRunItem {
  static constexpr std::string_view kWireName = "ServingRunItem";
  std::string id{};
  std::string digest{};
  std::string model{};
  std::string workload{};
  std::string stack{};
  std::string configuration{};
  std::string scenario{};
  std::string hardware{};
  std::int64_t total_accelerators = 0;
  std::string quality_policy{};
  std::string observed_at{};
  template <class V>
  static void describe(V& v) {
    v.field("id", &ServingRunItem::id, "");
    v.field("digest", &ServingRunItem::digest, "");
    v.field("model", &ServingRunItem::model, "");
    v.field("workload", &ServingRunItem::workload, "");
    v.field("stack", &ServingRunItem::stack, "");
    v.field("configuration", &ServingRunItem::configuration, "");
    v.field("scenario", &ServingRunItem::scenario, "");
    v.field("hardware", &ServingRunItem::hardware, "");
    v.field("totalAccelerators", &ServingRunItem::total_accelerators, "");
    v.field("qualityPolicy", &ServingRunItem::quality_policy, "");
    v.field("observedAt", &ServingRunItem::observed_at, "");
  }
};

struct ServingRunsPage {
  static constexpr std::string_view kWireName = "ServingRunsPage";
  std::vector<ServingRunItem> runs{};
  std::optional<std::string> next_cursor{};
  std::string generated_at{};
  std::vector<NotApplied> not_applied{};
  template <class V>
  static void describe(V& v) {
    v.field("runs", &ServingRunsPage::runs, "newest observation first");
    v.field("nextCursor", &ServingRunsPage::next_cursor, "");
    v.field("generatedAt", &ServingRunsPage::generated_at, "");
    v.field("notApplied", &ServingRunsPage::not_applied, kNamedNothing);
  }
};

struct ServingConfigurationItem {
  static constexpr std::string_view kWireName = "ServingConfigurationItem";
  std::string id{};
  std::string digest{};
  std::string stack{};
  std::string summary{};
  std::optional<std::string> dtype{};
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("id", &ServingConfigurationItem::id, "");
    v.field("digest", &ServingConfigurationItem::digest, "");
    v.field("stack", &ServingConfigurationItem::stack, "");
    v.field("summary", &ServingConfigurationItem::summary, "");
    v.field("dtype", &ServingConfigurationItem::dtype, "");
    v.field("runs", &ServingConfigurationItem::runs, "eligible ones");
  }
};

// The most output tokens a second, whatever the topology and the quality.
struct ServingBest {
  static constexpr std::string_view kWireName = "ServingBest";
  std::string run_id{};
  double value = 0;
  std::string unit{};
  std::string statistic{};
  std::string stack{};
  std::string accelerator_model{};
  std::int64_t total = 0;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &ServingBest::run_id, "");
    v.field("value", &ServingBest::value, "");
    v.field("unit", &ServingBest::unit, "");
    v.field("statistic", &ServingBest::statistic, "");
    v.field("stack", &ServingBest::stack, "");
    v.field("acceleratorModel", &ServingBest::accelerator_model, "");
    v.field("total", &ServingBest::total, "accelerators in all");
  }
};

// A model under a load.
struct ServingPair {
  static constexpr std::string_view kWireName = "ServingPair";
  Ref model{};
  Ref workload{};
  std::vector<std::string> scenarios{};
  std::int64_t runs = 0;
  std::int64_t configurations = 0;
  std::optional<ServingBest> best{};
  std::optional<ServingBest> best_per_accelerator{};
  template <class V>
  static void describe(V& v) {
    v.field("model", &ServingPair::model, "");
    v.field("workload", &ServingPair::workload, "");
    v.field("scenarios", &ServingPair::scenarios, "");
    v.field("runs", &ServingPair::runs, "eligible ones");
    v.field("configurations", &ServingPair::configurations, "");
    v.field("best", &ServingPair::best, "of any number of accelerators");
    v.field("bestPerAccelerator", &ServingPair::best_per_accelerator,
            "its value is that of one accelerator");
  }
};

struct ServingOverview {
  static constexpr std::string_view kWireName = "ServingOverview";
  std::vector<ServingPair> pairs{};
  std::int64_t total_runs = 0;
  std::string policy_version{};
  std::string generated_at{};
  template <class V>
  static void describe(V& v) {
    v.field("pairs", &ServingOverview::pairs, "the most measured model first");
    v.field("totalRuns", &ServingOverview::total_runs, "");
    v.field("policyVersion", &ServingOverview::policy_version, "");
    v.field("generatedAt", &ServingOverview::generated_at, "");
  }
};

}  // namespace ki::query
