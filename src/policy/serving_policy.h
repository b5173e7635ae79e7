// serving-v1: which serving runs satisfy what was asked for, how those of one cohort rank, and
// which of them no other beats everywhere. There is no overall score. docs/method/serving.md has it
// in prose. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/metrics.h"
#include "policy/serving.h"

namespace ki::policy {

inline constexpr std::string_view kServingV1 = "serving-v1";

// ---- metrics

struct ServingMetric {
  std::string_view name{};
  std::string_view unit{};     // of comparison: "tokens_s"
  std::string_view display{};  // the same for people: "tokens/s"
  Direction direction{};
};

// The metrics that have a direction. Others are stored and shown, and never make a frontier.
std::span<const ServingMetric> serving_metrics();
std::optional<ServingMetric> find_serving_metric(std::string_view name);

// The value in the metric's unit of comparison: units are no part of a cohort's key, so two runs of
// one cohort may state different ones. nullopt for a unit that is not known to be convertible.
std::optional<double> comparable_value(const ServingMetric& metric, std::string_view unit,
                                       double value);

// ---- what was asked for

struct ServingConstraint {
  std::string metric{};
  std::string statistic{};  // as asked for or kConstraintStatistic
  bool strict = false;      // "<" and not "<="
  double value = 0;         // in the metric's unit
};
inline constexpr std::string_view kConstraintStatistic = "p99";

// "ttft_ms <= 450", without the statistic.
std::string to_string(const ServingConstraint& constraint);

enum class ConstraintState { measured, declared, unknown };
std::span<const std::string_view> words(ConstraintState);

struct ConstraintOutcome {
  ConstraintState state = ConstraintState::unknown;
  std::optional<bool> satisfied{};  // nullopt: nobody can say
  std::string detail{};             // for people
  std::string reason{};  // why the run is out: "METRIC_NOT_REPORTED:ttft_ms"; "" = it is in
};

// What a run says of a constraint: a measurement of that metric and statistic decides; without one
// the bounds that the load declares do, when they imply the constraint with both operators and
// units honoured; else it is unknown.
ConstraintOutcome check_constraint(const ServingConstraint& constraint,
                                   std::span<const Measurement> measured,
                                   std::span<const ServingBound> declared);

struct ServingObjective {
  std::string metric{};
  Direction direction = Direction::higher;
  std::string statistic{};  // "" = choose_statistic()
};

// p99 of a metric that is better low, else mean.
std::string_view usual_statistic(std::string_view metric);
// Of the statistics that the runs of a cohort report for the metric the usual one; where that is
// missing the first of reported, median, p50, p90, p95, mean, p99, then of
// the alphabet. "" when none is reported.
std::string choose_statistic(std::string_view metric, std::span<const Measurement> reported);

// ---- one cohort

// The figure of each run; nullopt: it has none that can be compared. Of a metric without a
// direction the figures count when all state one unit.
std::vector<std::optional<double>> figures_of(
    const ServingObjective& objective, std::span<const std::vector<Measurement>* const> runs);

// Equal figures share a rank and the next one skips: 1, 1, 3. No figure, no rank.
std::vector<std::optional<std::int64_t>> competition_ranks(
    std::span<const std::optional<double>> figures, Direction direction);

struct ServingAxis {
  std::string metric{};
  std::string statistic{};
  auto operator<=>(const ServingAxis&) const = default;
};

// Pairs of metric and statistic that every run reports, sorted; with `known_only` those of metrics
// with a direction and a unit that can be compared.
std::vector<ServingAxis> shared_axes(std::span<const std::vector<Measurement>* const> runs,
                                     bool known_only);

// Whether no other run is at least as good on every shared axis and better on one. Without such an
// axis nobody is on the frontier.
std::vector<bool> frontier_of(std::span<const std::vector<Measurement>* const> runs);

}  // namespace ki::policy
