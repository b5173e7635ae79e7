// In which order the candidates of a round run.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "stats/random.h"

namespace ki::runner {

// Cyclic Latin squares, one after the other: over as many rounds as there are candidates each one
// is once in every position. Each square begins with a new random order, and its rows come in a
// random order, so that what follows what is not fixed. For two candidates: AB BA or BA AB.
class LatinSquares {
 public:
  explicit LatinSquares(std::size_t candidates) : first_row_(candidates), shifts_(candidates) {
    std::iota(first_row_.begin(), first_row_.end(), std::size_t{0});
    std::iota(shifts_.begin(), shifts_.end(), std::size_t{0});
    row_ = candidates;
  }

  std::vector<std::size_t> next(stats::Random& random) {
    const std::size_t n = first_row_.size();
    if (row_ == n) {
      shuffle(first_row_, random);
      shuffle(shifts_, random);
      row_ = 0;
    }
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = first_row_[(i + shifts_[row_]) % n];
    ++row_;
    return order;
  }

 private:
  static void shuffle(std::vector<std::size_t>& items, stats::Random& random) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
  }

  std::vector<std::size_t> first_row_;
  std::vector<std::size_t> shifts_;
  std::size_t row_ = 0;
};

}  // namespace ki::runner
