#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stats/describe.h"

namespace ki::stats {
namespace {

constexpr double kNormalPerMad = 1.4826;
constexpr double kDeviations = 3;

double distance_sum(std::span<const double> stretch) {
  const double middle = median(stretch);
  double sum = 0;
  for (const double value : stretch) sum += std::abs(value - middle);
  return sum;
}

// Of one value, judged by the steps between neighbours, which a change of level hardly touches.
double deviation_of(std::span<const double> series) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < series.size(); ++i) steps.push_back(series[i] - series[i - 1]);
  return kNormalPerMad * mad(steps) / std::numbers::sqrt2;
}

// Where stretches begin, the first one's 0 included: optimal partitioning.
std::vector<std::size_t> cut(std::span<const double> series, double price) {
  const std::size_t n = series.size();
  std::vector<double> cost(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(n + 1, 0);
  cost[0] = 0;
  for (std::size_t end = kRecurs; end <= n; ++end) {
    for (std::size_t from = 0; from + kRecurs <= end; ++from) {
      if (std::isinf(cost[from])) continue;
      const double with =
          cost[from] + (from == 0 ? 0 : price) + distance_sum(series.subspan(from, end - from));
      if (with >= cost[end]) continue;
      cost[end] = with;
      begin[end] = from;
    }
  }
  std::vector<std::size_t> starts;
  for (std::size_t end = n; end > 0; end = begin[end]) starts.push_back(begin[end]);
  std::ranges::reverse(starts);
  return starts;
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> series, double threshold) {
  const std::size_t skipped = series.size() > kSeriesMax ? series.size() - kSeriesMax : 0;
  series = series.subspan(skipped);
  if (series.size() < 2 * kRecurs) return {};
  const double price =
      static_cast<double>(kRecurs) * std::max(threshold, kDeviations * deviation_of(series));
  std::vector<std::size_t> starts = cut(series, price);
  starts.push_back(series.size());
  std::vector<ChangePoint> found;
  for (std::size_t i = 1; i + 1 < starts.size(); ++i) {
    const auto before = series.subspan(starts[i - 1], starts[i] - starts[i - 1]);
    const auto after = series.subspan(starts[i], starts[i + 1] - starts[i]);
    const double change = median(after) - median(before);
    if (std::abs(change) <= threshold) continue;
    found.push_back({.first = skipped + starts[i], .change = change});
  }
  return found;
}

}  // namespace ki::stats
