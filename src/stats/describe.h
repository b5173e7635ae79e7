// What a set of samples looks like: quantiles, spread, outliers, modes and drift. Nothing here
// removes a sample. Pure and thread-safe; docs/method/statistics.md gives the reasons.
//
// A quantile is Hyndman and Fan's definition 7 (1996): with the samples sorted as x[0..n-1] and
// h = (n - 1) p, it is x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]). The median is the
// quantile 0.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ki::stats {

// Requires that `sorted` ascends and is not empty, and 0 <= p <= 1.
double quantile(std::span<const double> sorted, double p);

// Requires samples.
double median(std::span<const double> samples);

// The median of |x - median|: as it is, without the factor 1.4826 that makes it estimate a standard
// deviation of normal samples. Requires samples.
double mad(std::span<const double> samples);

struct Summary {
  std::size_t count = 0;
  double median = 0;
  double mean = 0;
  double minimum = 0;
  double maximum = 0;
  double p05 = 0;
  double p20 = 0;
  double p80 = 0;
  double p95 = 0;
  double mad = 0;
  bool spread_known = false;     // at least two distinct samples: else the spread is unknown, not 0
  std::size_t outliers_mad = 0;  // further than 10 * 1.4826 MAD from the median
  std::size_t outliers_tukey = 0;  // further than 3 IQR outside the quartiles
};

// nullopt without samples, or when one is not finite.
std::optional<Summary> summarise(std::span<const double> samples);

inline constexpr std::size_t kModesSamplesMin = 20;

struct Modes {
  double low = 0;         // median of the lower mode
  double high = 0;        // median of the upper mode
  double share_high = 0;  // of the samples
};

// Two modes: the largest gap in the middle 90 % of the sorted samples splits off at least 10 % of
// them, the medians of the two sides are more than six times the larger of their MADs apart, and
// the gap is wider than two ticks of the timer. nullopt: one mode, or fewer than kModesSamplesMin
// samples.
std::optional<Modes> two_modes(std::span<const double> samples, double tick);

// Theil's and Sen's slope: the median of the slopes between all pairs of samples, per step from one
// sample to the next. More than kDriftSamplesMax samples are first replaced by the medians of that
// many runs of equal length. 0 with fewer than two samples.
inline constexpr std::size_t kDriftSamplesMax = 400;
double theil_sen(std::span<const double> samples);

// The change from the first to the last sample that the slope amounts to, as a share of the median.
// Requires positive samples.
double drift(std::span<const double> samples);

}  // namespace ki::stats
