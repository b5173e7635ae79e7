// A request about served models as structure: what POST /resolve/serving takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"

namespace ki::query {

inline constexpr std::size_t kServingConstraintsMax = 8;

struct ServingHardwareAsked {
  static constexpr std::string_view kWireName = "ServingHardwareAsked";
  std::optional<std::string> model{};
  std::optional<std::int64_t> count_maximum{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("model", &ServingHardwareAsked::model, "a part of the product name, in any case",
            kOptional);
    v.field("countMaximum", &ServingHardwareAsked::count_maximum, "most accelerators in all",
            kOptional);
  }
};

enum class ServingDirection { maximize, minimize };
std::span<const std::string_view> words(ServingDirection);
enum class ServingOperator { at_most, below };
std::span<const std::string_view> words(ServingOperator);

// What to rank by.
struct ServingObjectiveAsked {
  static constexpr std::string_view kWireName = "ServingObjectiveAsked";
  ServingDirection direction{};
  std::string metric{};
  std::optional<std::string> statistic{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("direction", &ServingObjectiveAsked::direction,
            "maximize or minimize; of a metric of the vocabulary the right one");
    v.field("metric", &ServingObjectiveAsked::metric, "output_token_throughput_tps, ttft_ms, ...");
    v.field("statistic", &ServingObjectiveAsked::statistic,
            "p99, mean, reported, ...; without it the usual one, else one that the runs report",
            kOptional);
  }
};

// A bound that a run must keep.
struct ServingConstraintAsked {
  static constexpr std::string_view kWireName = "ServingConstraintAsked";
  std::string metric{};
  std::optional<std::string> statistic{};
  ServingOperator op{};
  double value = 0;
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("metric", &ServingConstraintAsked::metric, "ttft_ms, tpot_ms, ...");
    v.field("statistic", &ServingConstraintAsked::statistic, "p99 when it is not said", kOptional);
    v.field("operator", &ServingConstraintAsked::op, "<= or <");
    v.field("value", &ServingConstraintAsked::value, "above 0, in the unit of the metric");
  }
};

struct ServingRequest {
  static constexpr std::string_view kWireName = "ServingRequest";
  std::optional<std::string> model{};
  std::optional<std::string> workload{};
  std::optional<ServingHardwareAsked> hardware{};
  std::optional<ServingObjectiveAsked> objective{};
  std::optional<std::vector<ServingConstraintAsked>> constraints{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("model", &ServingRequest::model, "slug of a model", kOptional);
    v.field("workload", &ServingRequest::workload, "slug of a workload", kOptional);
    v.field("hardware", &ServingRequest::hardware, "", kOptional);
    v.field("objective", &ServingRequest::objective, "", kOptional);
    v.field("constraints", &ServingRequest::constraints, "at most 8", kOptional);
  }
};

// What is outside of the limits, each with its pointer; a direction that the metric does not have
// names the right one.
Issues faults_of(const ServingRequest& request);

}  // namespace ki::query
