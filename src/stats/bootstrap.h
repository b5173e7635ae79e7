// How well the median of paired samples is known: a bootstrap on two levels, launches and then
// rounds. Pure: the seed decides every resample, so the interval can be recomputed to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ki::stats {

struct Range {
  double low = 0;
  double high = 0;
  bool operator==(const Range&) const = default;
};

struct BootstrapOptions {
  int resamples = 10'000;
  double confidence = 0.95;
  std::uint64_t seed = 0;  // stored with the evidence
};

struct Estimate {
  double value = 0;  // the median of all rounds of all launches
  Range interval;    // percentile interval of the resampled medians
  // Twice the smaller share of resampled medians on either side of 0, each counted with one more
  // that the data did not show: at least 2 / (resamples + 1), at most 1.
  double p_value = 1;
};

// One vector of values for each launch, in the order of the rounds. A resample draws as many
// launches as there are, with replacement, and of each drawn launch its number of rounds in
// circular blocks of ceil(n^(1/3)), which keeps what neighbouring rounds have in common (Kuensch
// 1989; Davison and Hinkley 1997, 3.8 and 8.2). With one launch it is the block bootstrap alone.
// Requires finite values and at least one in every launch. O(resamples x rounds).
Estimate bootstrap_median(std::span<const std::vector<double>> launches,
                          const BootstrapOptions& options);

// Of one launch.
Estimate bootstrap_median(const std::vector<double>& launch, const BootstrapOptions& options);

}  // namespace ki::stats
