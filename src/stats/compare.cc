#include "stats/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/result.h"
#include "stats/describe.h"
#include "stats/random.h"

namespace ki::stats {
namespace {

constexpr double kFloorShare = 0.95;
constexpr int kLookResamples = 1000;

int side_of(const Range& range) {
  if (range.low > 0) return 1;
  return range.high < 0 ? -1 : 0;
}

std::vector<double> pooled(std::span<const std::vector<double>> launches) {
  std::vector<double> all;
  for (const auto& launch : launches) all.insert(all.end(), launch.begin(), launch.end());
  return all;
}

// The candidates, lowest pooled median over the first one first.
std::vector<std::size_t> order_of(std::span<const std::vector<std::vector<double>>> times) {
  std::vector<double> medians;
  for (const auto& candidate : times)
    medians.push_back(median(pooled(log_ratios(times[0], candidate))));
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return medians[i]; });
  return order;
}

}  // namespace

std::vector<std::vector<double>> log_ratios(std::span<const std::vector<double>> base,
                                            std::span<const std::vector<double>> other) {
  KI_CHECK(base.size() == other.size());
  std::vector<std::vector<double>> result;
  result.reserve(base.size());
  for (std::size_t launch = 0; launch < base.size(); ++launch) {
    KI_CHECK(base[launch].size() == other[launch].size());
    auto& ratios = result.emplace_back();
    ratios.reserve(base[launch].size());
    for (std::size_t i = 0; i < base[launch].size(); ++i) {
      KI_CHECK(base[launch][i] > 0 && other[launch][i] > 0);
      ratios.push_back(std::log(other[launch][i] / base[launch][i]));
    }
  }
  return result;
}

std::vector<double> holm(std::span<const double> p_values, std::size_t family) {
  KI_CHECK(family >= p_values.size());
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(family - i);
    largest = std::max(largest, std::min(1.0, factor * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::optional<double> noise_floor(std::span<const std::vector<double>> sessions) {
  if (sessions.size() < kFloorSessionsMin) return std::nullopt;
  std::vector<double> distances = pooled(sessions);
  if (distances.empty()) return std::nullopt;
  for (double& distance : distances) distance = std::abs(distance);
  std::ranges::sort(distances);
  return quantile(distances, kFloorShare);
}

double threshold_of(const CompareOptions& options) {
  return std::max({options.effect_min, options.floor.value_or(0), options.tick_share});
}

Effect measure_effect(std::span<const std::vector<double>> log_ratios,
                      const BootstrapOptions& options) {
  Effect effect;
  effect.pooled = bootstrap_median(log_ratios, options);
  for (std::size_t i = 0; i < log_ratios.size(); ++i) {
    BootstrapOptions own = options;
    own.seed = seed_of(options.seed, i);
    effect.launches.push_back(bootstrap_median(log_ratios[i], own));
  }
  const int side = side_of(effect.launches.front().interval);
  effect.same_side = side != 0 && std::ranges::all_of(effect.launches, [&](const Estimate& launch) {
                       return side_of(launch.interval) == side;
                     });
  return effect;
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::faster:
      return "faster";
    case Outcome::slower:
      return "slower";
    case Outcome::tie:
      return "tie";
    case Outcome::not_enough_evidence:
      return "not_enough_evidence";
  }
  KI_UNREACHABLE();
}

Outcome decide(const Effect& effect, double p_adjusted, const CompareOptions& options) {
  if (effect.launches.size() < options.launches_min) return Outcome::not_enough_evidence;
  const double value = effect.pooled.value;
  const bool claimed = effect.same_side && std::abs(value) > threshold_of(options) &&
                       p_adjusted <= 1 - options.bootstrap.confidence;
  if (claimed) return value < 0 ? Outcome::faster : Outcome::slower;
  const Range& range = effect.pooled.interval;
  const bool decided =
      std::max(std::abs(range.low), std::abs(range.high)) <= options.decided_within;
  return decided ? Outcome::tie : Outcome::not_enough_evidence;
}

bool comes_apart(const Effect& effect, const CompareOptions& options) {
  const Outcome outcome = decide(effect, effect.pooled.p_value, options);
  return outcome == Outcome::faster || outcome == Outcome::slower;
}

Leading find_leader(std::span<const std::vector<std::vector<double>>> times,
                    const CompareOptions& options) {
  KI_CHECK(!times.empty());
  const std::vector<std::size_t> order = order_of(times);
  Leading leading;
  leading.leader = order.front();
  std::vector<double> p_values;
  for (std::size_t i = 1; i < order.size(); ++i) {
    BootstrapOptions own = options.bootstrap;
    own.seed = seed_of(options.bootstrap.seed, order[i]);
    Versus versus;
    versus.candidate = order[i];
    versus.effect = measure_effect(log_ratios(times[leading.leader], times[order[i]]), own);
    p_values.push_back(versus.effect.pooled.p_value);
    leading.others.push_back(std::move(versus));
  }
  const std::vector<double> adjusted = holm(p_values, times.size() * (times.size() - 1) / 2);
  for (std::size_t i = 0; i < leading.others.size(); ++i) {
    Versus& versus = leading.others[i];
    versus.p_adjusted = adjusted[i];
    versus.outcome = decide(versus.effect, adjusted[i], options);
  }
  return leading;
}

Look look_at(std::span<const std::vector<double>> pairs, const Looks& looks, std::uint64_t seed) {
  KI_CHECK(!pairs.empty() && !looks.rounds.empty());
  const std::size_t rounds = pairs.front().size();
  if (rounds >= looks.rounds.back()) return Look::cap;
  if (std::ranges::find(looks.rounds, rounds) == looks.rounds.end()) return Look::go_on;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const BootstrapOptions options{.resamples = kLookResamples,
                                   .confidence = 0.95,
                                   .seed = seed_of(seed, rounds * pairs.size() + i)};
    const Range range = bootstrap_median(pairs[i], options).interval;
    if ((range.high - range.low) / 2 > looks.half_width) return Look::go_on;
  }
  return Look::enough;
}

}  // namespace ki::stats
