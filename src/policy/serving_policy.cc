#include "policy/serving_policy.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/result.h"
#include "json/write.h"

namespace ki::policy {
namespace {

struct Listed {
  std::string_view name;
  std::string_view unit;
  std::string_view display;
};
// Which way each is better, metrics.h says.
constexpr std::array kListed = {
    Listed{"ttft_ms", "ms", "ms"},
    Listed{"tpot_ms", "ms", "ms"},
    Listed{"itl_ms", "ms", "ms"},
    Listed{"e2e_latency_ms", "ms", "ms"},
    Listed{"request_throughput_rps", "requests_s", "req/s"},
    Listed{"output_token_throughput_tps", "tokens_s", "tokens/s"},
    Listed{"token_throughput_tps", "tokens_s", "tokens/s"},
    Listed{"goodput", "tokens_s", "tokens/s"},
    Listed{"error_rate", "ratio", "ratio"},
};

std::array<ServingMetric, kListed.size()> listed_metrics() {
  std::array<ServingMetric, kListed.size()> out;
  std::ranges::transform(kListed, out.begin(), [](const Listed& one) {
    const auto metric = find_metric(one.name, one.unit);
    KI_CHECK(metric.has_value());
    return ServingMetric{
        .name = one.name, .unit = one.unit, .display = one.display, .direction = metric->direction};
  });
  return out;
}

// How sources spell the units, and how many of the first make one of the second.
struct Spelling {
  std::string_view written;
  std::string_view unit;
  double factor = 1;
};
constexpr Spelling kSpellings[] = {
    {"s", "ms", 1000},     {"us", "ms", 0.001},        {"ns", "ms", 0.000001},
    {"rps", "requests_s"}, {"req_s", "requests_s"},    {"requests_per_s", "requests_s"},
    {"tps", "tokens_s"},   {"tok_s", "tokens_s"},      {"tokens_per_s", "tokens_s"},
    {"fraction", "ratio"}, {"percent", "ratio", 0.01},
};

std::string number_text(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

const Measurement* find_measurement(std::span<const Measurement> measured, std::string_view metric,
                                    std::string_view statistic) {
  const auto found = std::ranges::find_if(measured, [&](const Measurement& one) {
    return one.metric == metric && one.statistic == statistic;
  });
  return found == measured.end() ? nullptr : &*found;
}

// In the metric's unit; a metric without one is taken as it stands.
std::optional<double> value_of(std::string_view metric, std::string_view unit, double value) {
  const auto known = find_serving_metric(metric);
  return known ? comparable_value(*known, unit, value) : value;
}

ConstraintOutcome unknown(std::string detail, std::string reason) {
  return {.state = ConstraintState::unknown,
          .satisfied = std::nullopt,
          .detail = std::move(detail),
          .reason = std::move(reason)};
}

ConstraintOutcome decided(ConstraintState state, bool satisfied, const std::string& metric,
                          std::string detail) {
  return {.state = state,
          .satisfied = satisfied,
          .detail = std::move(detail),
          .reason = satisfied ? "" : "CONSTRAINT_UNSATISFIED:" + metric};
}

// Whether everything within the bound is within the constraint.
bool implies(double bound, bool bound_is_strict, const ServingConstraint& constraint) {
  return constraint.strict && !bound_is_strict ? bound < constraint.value
                                               : bound <= constraint.value;
}

}  // namespace

std::span<const ServingMetric> serving_metrics() {
  static const auto kMetrics = listed_metrics();
  return kMetrics;
}

std::optional<ServingMetric> find_serving_metric(std::string_view name) {
  const auto all = serving_metrics();
  const auto found = std::ranges::find(all, name, &ServingMetric::name);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::optional<double> comparable_value(const ServingMetric& metric, std::string_view unit,
                                       double value) {
  if (unit == metric.unit) return value;
  const auto* const found = std::ranges::find_if(kSpellings, [&](const Spelling& spelling) {
    return spelling.written == unit && spelling.unit == metric.unit;
  });
  if (found == std::end(kSpellings)) return std::nullopt;
  return value * found->factor;
}

std::string to_string(const ServingConstraint& constraint) {
  return fmt::format("{} {} {}", constraint.metric,
                     constraint.strict ? "<" : "<=", number_text(constraint.value));
}

std::span<const std::string_view> words(ConstraintState) {
  static constexpr std::array<std::string_view, 3> kWords = {"measured", "declared", "unknown"};
  return kWords;
}

ConstraintOutcome check_constraint(const ServingConstraint& constraint,
                                   std::span<const Measurement> measured,
                                   std::span<const ServingBound> declared) {
  const std::string& metric = constraint.metric;
  if (const Measurement* const one = find_measurement(measured, metric, constraint.statistic)) {
    const auto value = value_of(metric, one->unit, one->value);
    if (!value) {
      return unknown(fmt::format("measured {} in {}, which is no unit of it that is known",
                                 number_text(one->value), one->unit),
                     "UNIT_NOT_KNOWN:" + metric);
    }
    const bool satisfied =
        constraint.strict ? *value < constraint.value : *value <= constraint.value;
    return decided(ConstraintState::measured, satisfied, metric, "measured " + number_text(*value));
  }
  std::optional<ConstraintOutcome> out;
  for (const ServingBound& bound : declared) {
    if (bound.metric != metric || bound.statistic != constraint.statistic) continue;
    const auto value = value_of(metric, bound.unit, bound.value);
    if (!value) {
      if (!out) {
        out = unknown(fmt::format("benchmark constraint {} in {}, which is no unit of it that is "
                                  "known, not measured",
                                  number_text(bound.value), bound.unit),
                      "UNIT_NOT_KNOWN:" + metric);
      }
      continue;
    }
    const bool satisfied = implies(*value, bound.strict, constraint);
    if (out && out->satisfied && !satisfied) continue;
    const std::string_view op = bound.strict ? "<" : "≤";
    out = decided(ConstraintState::declared, satisfied, metric,
                  fmt::format("benchmark constraint {} {}, not measured", op, number_text(*value)));
    if (satisfied) break;
  }
  return out ? *out : unknown("not reported", "METRIC_NOT_REPORTED:" + metric);
}

std::string_view usual_statistic(std::string_view metric) {
  const auto known = find_serving_metric(metric);
  return known && known->direction == Direction::lower ? "p99" : "mean";
}

std::string choose_statistic(std::string_view metric, std::span<const Measurement> reported) {
  std::set<std::string_view> there;
  for (const Measurement& one : reported) {
    if (one.metric == metric) there.insert(one.statistic);
  }
  for (const std::string_view wanted :
       {usual_statistic(metric), std::string_view("reported"), std::string_view("median"),
        std::string_view("p50"), std::string_view("p90"), std::string_view("p95"),
        std::string_view("mean"), std::string_view("p99")}) {
    if (there.contains(wanted)) return std::string(wanted);
  }
  return there.empty() ? std::string() : std::string(*there.begin());
}

std::vector<std::optional<double>> figures_of(
    const ServingObjective& objective, std::span<const std::vector<Measurement>* const> runs) {
  std::vector<std::optional<double>> out;
  std::set<std::string_view> units;
  for (const auto* const run : runs) {
    const Measurement* const one = find_measurement(*run, objective.metric, objective.statistic);
    if (one != nullptr) units.insert(one->unit);
    out.push_back(one == nullptr ? std::nullopt
                                 : value_of(objective.metric, one->unit, one->value));
  }
  if (units.size() > 1 && !find_serving_metric(objective.metric)) {
    out.assign(out.size(), std::nullopt);
  }
  return out;
}

std::vector<std::optional<std::int64_t>> competition_ranks(
    std::span<const std::optional<double>> figures, Direction direction) {
  const auto ahead = [&](double a, double b) { return better(direction, a, b); };
  std::vector<double> sorted;
  for (const auto& figure : figures) {
    if (figure) sorted.push_back(*figure);
  }
  std::ranges::sort(sorted, ahead);
  std::vector<std::optional<std::int64_t>> out(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i])
      out[i] = std::ranges::lower_bound(sorted, *figures[i], ahead) - sorted.begin() + 1;
  }
  return out;
}

std::vector<ServingAxis> shared_axes(std::span<const std::vector<Measurement>* const> runs,
                                     bool known_only) {
  std::vector<ServingAxis> out;
  if (runs.empty()) return out;
  for (const Measurement& one : *runs.front()) {
    const auto known = find_serving_metric(one.metric);
    const bool everywhere = std::ranges::all_of(runs, [&](const std::vector<Measurement>* run) {
      const Measurement* const found = find_measurement(*run, one.metric, one.statistic);
      if (found == nullptr) return false;
      return !known_only || (known && comparable_value(*known, found->unit, found->value));
    });
    if (everywhere) out.push_back({.metric = one.metric, .statistic = one.statistic});
  }
  std::ranges::sort(out);
  return out;
}

std::vector<bool> frontier_of(std::span<const std::vector<Measurement>* const> runs) {
  const auto axes = shared_axes(runs, true);
  std::vector<std::vector<double>> points;  // larger is better
  for (const auto* const run : runs) {
    auto& point = points.emplace_back();
    for (const ServingAxis& axis : axes) {
      const auto metric = find_serving_metric(axis.metric);
      const Measurement* const one = find_measurement(*run, axis.metric, axis.statistic);
      const double value = comparable_value(*metric, one->unit, one->value).value_or(0);
      point.push_back(metric->direction == Direction::lower ? -value : value);
    }
  }
  // Nobody is beaten by a point that comes later in this order, and who beats a point that is
  // beaten beats what that one beats.
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return points[i]; });
  std::vector<bool> out(points.size(), false);
  std::vector<std::size_t> kept;
  for (const std::size_t i : order) {
    const bool beaten = std::ranges::any_of(kept, [&](std::size_t other) {
      return points[other] != points[i] &&
             std::ranges::equal(points[other], points[i], std::greater_equal{});
    });
    if (axes.empty() || beaten) continue;
    kept.push_back(i);
    out[i] = true;
  }
  return out;
}

}  // namespace ki::policy
