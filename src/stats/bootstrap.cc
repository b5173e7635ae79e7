#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "stats/describe.h"
#include "stats/random.h"

namespace ki::stats {
namespace {

// The values of all launches by their rank, so that a resample is counted instead of sorted.
struct Ranked {
  std::vector<double> sorted;
  std::vector<std::vector<std::uint32_t>> ranks;  // of each launch, in the order of its rounds
};

Ranked rank_all(std::span<const std::vector<double>> launches) {
  Ranked ranked;
  for (const std::vector<double>& launch : launches) {
    KI_CHECK(!launch.empty());
    ranked.sorted.insert(ranked.sorted.end(), launch.begin(), launch.end());
  }
  KI_CHECK(std::ranges::all_of(ranked.sorted, [](double x) { return std::isfinite(x); }));
  std::ranges::sort(ranked.sorted);
  for (const std::vector<double>& launch : launches) {
    auto& ranks = ranked.ranks.emplace_back();
    ranks.reserve(launch.size());
    for (const double value : launch) {
      const auto at = std::ranges::lower_bound(ranked.sorted, value);
      ranks.push_back(static_cast<std::uint32_t>(at - ranked.sorted.begin()));
    }
  }
  return ranked;
}

// Draws ranks.size() rounds in circular blocks and counts them.
void draw_launch(const std::vector<std::uint32_t>& ranks, Random& random,
                 std::vector<std::uint32_t>& counts) {
  const std::size_t n = ranks.size();
  const auto block = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(n)) - 1e-9));
  for (std::size_t drawn = 0; drawn < n;) {
    std::size_t at = random.below(n);
    const std::size_t end = std::min(n, drawn + block);
    for (; drawn < end; ++drawn) {
      ++counts[ranks[at]];
      if (++at == n) at = 0;
    }
  }
}

// The median of `total` values given by how often each sorted one occurs; clears the counts.
double counted_median(const std::vector<double>& sorted, std::vector<std::uint32_t>& counts,
                      std::size_t total) {
  const std::size_t lower = (total - 1) / 2;
  const std::size_t upper = total / 2;
  std::size_t seen = 0;
  std::size_t at = 0;
  while (seen + counts[at] <= lower) seen += counts[at++];
  const double low = sorted[at];
  while (seen + counts[at] <= upper) seen += counts[at++];
  const double high = sorted[at];
  std::ranges::fill(counts, 0U);
  return low + (high - low) / 2;
}

}  // namespace

Estimate bootstrap_median(std::span<const std::vector<double>> launches,
                          const BootstrapOptions& options) {
  KI_CHECK(!launches.empty() && options.resamples > 0);
  KI_CHECK(options.confidence > 0 && options.confidence < 1);
  const Ranked ranked = rank_all(launches);
  Random random(options.seed);
  std::vector<std::uint32_t> counts(ranked.sorted.size(), 0);
  std::vector<double> medians;
  medians.reserve(static_cast<std::size_t>(options.resamples));
  std::size_t at_most_0 = 0;
  std::size_t at_least_0 = 0;
  for (int i = 0; i < options.resamples; ++i) {
    std::size_t total = 0;
    for (std::size_t drawn = 0; drawn < launches.size(); ++drawn) {
      const auto& ranks = ranked.ranks[launches.size() == 1 ? 0 : random.below(launches.size())];
      draw_launch(ranks, random, counts);
      total += ranks.size();
    }
    const double middle = counted_median(ranked.sorted, counts, total);
    at_most_0 += middle <= 0 ? 1 : 0;
    at_least_0 += middle >= 0 ? 1 : 0;
    medians.push_back(middle);
  }
  std::ranges::sort(medians);
  const double tail = (1 - options.confidence) / 2;
  const double smaller = static_cast<double>(std::min(at_most_0, at_least_0) + 1);
  Estimate estimate;
  estimate.value = quantile(ranked.sorted, 0.5);
  estimate.interval = {.low = quantile(medians, tail), .high = quantile(medians, 1 - tail)};
  estimate.p_value = std::min(1.0, 2 * smaller / static_cast<double>(options.resamples + 1));
  return estimate;
}

Estimate bootstrap_median(const std::vector<double>& launch, const BootstrapOptions& options) {
  return bootstrap_median(std::span(&launch, 1), options);
}

}  // namespace ki::stats
