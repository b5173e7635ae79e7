// Rows of answers about served models: a run, what it says of each constraint, and why it is out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"
#include "policy/serving_policy.h"
#include "query/model_common.h"
#include "query/model_serving_request.h"

namespace ki::query {

struct ServingFigure {
  static constexpr std::string_view kWireName = "ServingFigure";
  std::string metric{};
  std::string statistic{};
  double value = 0;
  std::string unit{};
  template <class V>
  static void describe(V& v) {
    v.field("metric", &ServingFigure::metric, "");
    v.field("statistic", &ServingFigure::statistic, "");
    v.field("value", &ServingFigure::value, "");
    v.field("unit", &ServingFigure::unit, "");
  }
};

struct ServingHardware {
  static constexpr std::string_view kWireName = "ServingHardware";
  std::string model{};
  std::int64_t per_node = 0;
  std::int64_t nodes = 0;
  std::int64_t total = 0;
  template <class V>
  static void describe(V& v) {
    v.field("model", &ServingHardware::model, "");
    v.field("perNode", &ServingHardware::per_node, "accelerators of one node");
    v.field("nodes", &ServingHardware::nodes, "");
    v.field("total", &ServingHardware::total, "accelerators in all");
  }
};

// What a run says of one constraint.
struct ServingOutcome {
  static constexpr std::string_view kWireName = "ServingOutcome";
  std::string constraint{};
  std::string statistic{};
  policy::ConstraintState state{};
  std::optional<bool> satisfied{};
  std::string detail{};
  template <class V>
  static void describe(V& v) {
    v.field("constraint", &ServingOutcome::constraint, "ttft_ms <= 450");
    v.field("statistic", &ServingOutcome::statistic, "of the constraint");
    v.field("state", &ServingOutcome::state,
            "measured by the run, declared by the load, or unknown");
    v.field("satisfied", &ServingOutcome::satisfied, "null: nobody can say");
    v.field("detail", &ServingOutcome::detail, "");
  }
};

struct ServingSource {
  static constexpr std::string_view kWireName = "ServingSource";
  std::string name{};
  std::optional<std::string> external_id{};
  std::optional<std::string> url{};
  template <class V>
  static void describe(V& v) {
    v.field("name", &ServingSource::name, "");
    v.field("externalId", &ServingSource::external_id, "");
    v.field("url", &ServingSource::url, "");
  }
};

struct ServingRow {
  static constexpr std::string_view kWireName = "ServingRow";
  std::string run_id{};
  std::string run_digest{};
  std::optional<std::int64_t> rank{};
  bool on_frontier = false;
  Ref model{};
  std::string stack{};
  std::string configuration{};
  std::optional<std::string> dtype{};
  std::string quality_policy{};
  std::string scenario{};
  ServingHardware hardware{};
  std::string harness{};
  std::vector<ServingFigure> measurements{};
  std::vector<ServingOutcome> constraints{};
  std::vector<std::string> caveats{};
  std::string observed_at{};
  ServingSource source{};
  template <class V>
  static void describe(V& v) {
    v.field("runId", &ServingRow::run_id, "");
    v.field("runDigest", &ServingRow::run_digest, "");
    v.field("rank", &ServingRow::rank,
            "null: not ranked; equal values share a rank and the next one skips");
    v.field("onFrontier", &ServingRow::on_frontier,
            "no other run is as good on every shared axis and better on one");
    v.field("model", &ServingRow::model, "");
    v.field("stack", &ServingRow::stack, "");
    v.field("configuration", &ServingRow::configuration, "");
    v.field("dtype", &ServingRow::dtype, "");
    v.field("qualityPolicy", &ServingRow::quality_policy, "");
    v.field("scenario", &ServingRow::scenario, "");
    v.field("hardware", &ServingRow::hardware, "");
    v.field("harness", &ServingRow::harness, "");
    v.field("measurements", &ServingRow::measurements, "");
    v.field("constraints", &ServingRow::constraints, "one for each constraint, in its order");
    v.field("caveats", &ServingRow::caveats, "");
    v.field("observedAt", &ServingRow::observed_at, "");
    v.field("source", &ServingRow::source, "");
  }
};

struct ServingExcluded {
  static constexpr std::string_view kWireName = "ServingExcluded";
  std::string run_id{};
  std::string configuration{};
  std::vector<std::string> reasons{};
  template <class V>
  static void describe(V& v) {
    v.field("runId", &ServingExcluded::run_id, "");
    v.field("configuration", &ServingExcluded::configuration, "");
    v.field("reasons", &ServingExcluded::reasons,
            "METRIC_NOT_REPORTED:ttft_ms, CONSTRAINT_UNSATISFIED:..., UNIT_NOT_KNOWN:...");
  }
};

struct ServingIdentity {
  static constexpr std::string_view kWireName = "ServingIdentity";
  std::string model{};
  std::string workload{};
  std::string scenario{};
  std::string topology{};
  std::string quality{};
  template <class V>
  static void describe(V& v) {
    v.field("model", &ServingIdentity::model, "");
    v.field("workload", &ServingIdentity::workload, "");
    v.field("scenario", &ServingIdentity::scenario, "");
    v.field("topology", &ServingIdentity::topology, "");
    v.field("quality", &ServingIdentity::quality, "");
  }
};

// What the rows of a group are ranked by.
struct ServingRanking {
  static constexpr std::string_view kWireName = "ServingRanking";
  std::string metric{};
  std::string statistic{};
  std::string direction{};
  std::string statistic_chosen{};
  std::int64_t ranked = 0;
  template <class V>
  static void describe(V& v) {
    v.field("metric", &ServingRanking::metric, "");
    v.field("statistic", &ServingRanking::statistic, "");
    v.field("direction", &ServingRanking::direction, "maximize or minimize");
    v.field("statisticChosen", &ServingRanking::statistic_chosen,
            "requested, usual, or reported: the usual one is missing and this one is there");
    v.field("ranked", &ServingRanking::ranked, "runs with a value");
  }
};

}  // namespace ki::query
