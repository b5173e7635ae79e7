// Made-up records for benchmarks: as many as wanted, always the same for a seed, with the skew of
// real catalogs (few operations have most runs, few cohorts are large). Never imported by anything
// but benchmarks; their source says that they are illustrative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "publish/bundle.h"

namespace ki::bench {

class Synthetic {
 public:
  // Operation i gets a share of the runs proportional to 1 / (i + 1).
  explicit Synthetic(std::size_t operations, std::uint32_t seed = 1);

  // The next `runs` records with everything they refer to.
  publish::Bundle next(std::size_t runs);

 private:
  publish::RunEntry run(std::size_t operation, publish::Bundle& into);

  std::mt19937 random_;
  std::discrete_distribution<std::size_t> operation_;
  std::size_t made_ = 0;
};

}  // namespace ki::bench
