// Where a series of sessions changes and stays changed. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ki::stats {

inline constexpr std::size_t kRecurs = 2;  // sessions of a stretch: one alone is no change
inline constexpr std::size_t kSeriesMax = 200;

struct ChangePoint {
  std::size_t first = 0;  // index of the first value after the change
  double change = 0;      // median after minus median before, of the stretches on either side
};

// `series` is in order of time: logarithms of session medians, so that a change is a ratio. It is
// cut into stretches of at least kRecurs values so that the sum of the distances from each
// stretch's median, and of a price for each cut, is least. The price is kRecurs times the larger of
// `threshold` and three robust standard deviations of the steps from value to value, so a change
// pays from the second session that shows it. Cuts whose medians differ by at most `threshold` are
// none. In order. Of a longer series the last kSeriesMax values count. Requires finite values.
std::vector<ChangePoint> change_points(std::span<const double> series, double threshold);

}  // namespace ki::stats
