#include "stats/describe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/result.h"

namespace ki::stats {
namespace {

constexpr double kNormalPerMad = 1.4826;
constexpr double kOutlierDeviations = 10;
constexpr double kTukeyFar = 3;
constexpr double kModeShareMin = 0.1;
constexpr double kModeMads = 6;
constexpr double kModeTicks = 2;

std::vector<double> sorted_copy(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted;
}

double mad_around(std::span<const double> samples, double center) {
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (const double sample : samples) distances.push_back(std::abs(sample - center));
  return median(distances);
}

// At most kDriftSamplesMax values that stand for the samples in order.
std::vector<double> thinned(std::span<const double> samples) {
  if (samples.size() <= kDriftSamplesMax) return {samples.begin(), samples.end()};
  std::vector<double> medians;
  medians.reserve(kDriftSamplesMax);
  for (std::size_t i = 0; i < kDriftSamplesMax; ++i) {
    const std::size_t begin = i * samples.size() / kDriftSamplesMax;
    const std::size_t end = (i + 1) * samples.size() / kDriftSamplesMax;
    medians.push_back(median(samples.subspan(begin, end - begin)));
  }
  return medians;
}

}  // namespace

double quantile(std::span<const double> sorted, double p) {
  KI_CHECK(!sorted.empty() && p >= 0 && p <= 1);
  const double h = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(h);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (h - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double median(std::span<const double> samples) { return quantile(sorted_copy(samples), 0.5); }

double mad(std::span<const double> samples) { return mad_around(samples, median(samples)); }

std::optional<Summary> summarise(std::span<const double> samples) {
  if (samples.empty()) return std::nullopt;
  if (!std::ranges::all_of(samples, [](double x) { return std::isfinite(x); })) return std::nullopt;
  const std::vector<double> sorted = sorted_copy(samples);
  Summary s;
  s.count = sorted.size();
  s.median = quantile(sorted, 0.5);
  s.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(s.count);
  s.minimum = sorted.front();
  s.maximum = sorted.back();
  s.p05 = quantile(sorted, 0.05);
  s.p20 = quantile(sorted, 0.2);
  s.p80 = quantile(sorted, 0.8);
  s.p95 = quantile(sorted, 0.95);
  s.mad = mad_around(sorted, s.median);
  s.spread_known = s.minimum < s.maximum;
  const double q1 = quantile(sorted, 0.25);
  const double q3 = quantile(sorted, 0.75);
  const double far = kTukeyFar * (q3 - q1);
  for (const double x : sorted) {
    if (std::abs(x - s.median) > kOutlierDeviations * kNormalPerMad * s.mad) ++s.outliers_mad;
    if (x < q1 - far || x > q3 + far) ++s.outliers_tukey;
  }
  return s;
}

std::optional<Modes> two_modes(std::span<const double> samples, double tick) {
  const std::size_t n = samples.size();
  if (n < kModesSamplesMin) return std::nullopt;
  const std::vector<double> sorted = sorted_copy(samples);
  const std::size_t edge = n / 20;  // 5 % at either end
  std::size_t split = 0;            // the first sample of the upper side
  double gap = 0;
  for (std::size_t i = edge + 1; i < n - edge; ++i) {
    if (sorted[i] - sorted[i - 1] <= gap) continue;
    gap = sorted[i] - sorted[i - 1];
    split = i;
  }
  if (split == 0 || gap <= kModeTicks * tick) return std::nullopt;
  const double count = static_cast<double>(n);
  const double share_high = static_cast<double>(n - split) / count;
  if (share_high < kModeShareMin || share_high > 1 - kModeShareMin) return std::nullopt;
  const std::span<const double> low(sorted.data(), split);
  const std::span<const double> high(sorted.data() + split, n - split);
  const Modes modes{.low = median(low), .high = median(high), .share_high = share_high};
  const double spread = std::max(mad_around(low, modes.low), mad_around(high, modes.high));
  if (modes.high - modes.low <= kModeMads * spread) return std::nullopt;
  return modes;
}

double theil_sen(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const std::vector<double> points = thinned(samples);
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() - 1) / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      slopes.push_back((points[j] - points[i]) / static_cast<double>(j - i));
    }
  }
  const double per_point = median(slopes);
  return per_point * static_cast<double>(points.size()) / static_cast<double>(samples.size());
}

double drift(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const double middle = median(samples);
  KI_CHECK(middle > 0);
  return theil_sen(samples) * static_cast<double>(samples.size() - 1) / middle;
}

}  // namespace ki::stats
