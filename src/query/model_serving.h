// The answer of POST /resolve/serving.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_serving_row.h"

namespace ki::query {

// Runs that may be compared: of one model, load, harness, topology, quality and set of metrics.
struct ServingGroup {
  static constexpr std::string_view kWireName = "ServingGroup";
  std::string cohort_key{};
  std::string description{};
  ServingIdentity identity{};
  std::vector<ServingRow> rows{};
  std::int64_t rows_total = 0;
  std::vector<ServingExcluded> excluded{};
  std::int64_t excluded_total = 0;
  std::vector<std::string> shared_axes{};
  std::optional<ServingRanking> ranking{};
  template <class V>
  static void describe(V& v) {
    v.field("cohortKey", &ServingGroup::cohort_key, "");
    v.field("description", &ServingGroup::description, "");
    v.field("identity", &ServingGroup::identity, "");
    v.field("rows", &ServingGroup::rows, "at most 200; rowsTotal says how many there are");
    v.field("rowsTotal", &ServingGroup::rows_total, "");
    v.field("excluded", &ServingGroup::excluded,
            "at most 200; excludedTotal says how many there are");
    v.field("excludedTotal", &ServingGroup::excluded_total, "");
    v.field("sharedAxes", &ServingGroup::shared_axes, "metric·statistic that every row has");
    v.field("ranking", &ServingGroup::ranking, "null: no objective, or nobody reports the metric");
  }
};

struct ServingName {
  static constexpr std::string_view kWireName = "ServingName";
  std::string slug{};
  std::string name{};
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ServingName::slug, "");
    v.field("name", &ServingName::name, "");
    v.field("runs", &ServingName::runs, "eligible ones");
  }
};

// What may be asked for, of the whole catalog.
struct ServingFacets {
  static constexpr std::string_view kWireName = "ServingFacets";
  std::vector<ServingName> models{};
  std::vector<ServingName> workloads{};
  std::vector<std::string> hardware{};
  std::vector<std::string> metrics{};
  template <class V>
  static void describe(V& v) {
    v.field("models", &ServingFacets::models, "most runs first, at most 200");
    v.field("workloads", &ServingFacets::workloads, "most runs first, at most 200");
    v.field("hardware", &ServingFacets::hardware, "alphabetical, at most 200");
    v.field("metrics", &ServingFacets::metrics, "");
  }
};

struct ServingAnswer {
  static constexpr std::string_view kWireName = "ServingAnswer";
  bool illustrative = false;
  ServingRequest input{};
  ServingFacets facets{};
  std::vector<ServingGroup> groups{};
  std::int64_t groups_total = 0;
  std::int64_t matching_runs = 0;
  std::int64_t feasible_runs = 0;
  std::int64_t total_runs = 0;
  std::vector<std::string> notes{};
  std::optional<std::string> next_cursor{};
  std::string policy_version{};
  std::string generated_at{};
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &ServingAnswer::illustrative, "");
    v.field("input", &ServingAnswer::input, "");
    v.field("facets", &ServingAnswer::facets, "");
    v.field("groups", &ServingAnswer::groups, "most feasible runs first");
    v.field("groupsTotal", &ServingAnswer::groups_total, "");
    v.field("matchingRuns", &ServingAnswer::matching_runs,
            "that model, workload and hardware leave");
    v.field("feasibleRuns", &ServingAnswer::feasible_runs,
            "of those, that satisfy every constraint");
    v.field("totalRuns", &ServingAnswer::total_runs, "of the whole catalog");
    v.field("notes", &ServingAnswer::notes, "what of the request names nothing");
    v.field("nextCursor", &ServingAnswer::next_cursor, "");
    v.field("policyVersion", &ServingAnswer::policy_version, "");
    v.field("generatedAt", &ServingAnswer::generated_at, "");
  }
};

}  // namespace ki::query
