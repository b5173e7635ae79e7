// The random numbers of statistics and schedules: the same seed gives the same numbers on every
// machine, so that an interval can be recomputed from the evidence to the last bit. Not for
// secrets.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace ki::stats {

// xoshiro256++ (Blackman and Vigna, 2018), its state filled by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
      z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
      word = z ^ (z >> 31U);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // 0 <= result < bound, for bounds far below 2^32: by multiplication (Lemire, 2019), whose bias is
  // under bound / 2^32.
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(((bits() >> 32U) * bound) >> 32U);
  }

  double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }  // [0, 1)

  double normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_[4] = {};
};

// A seed of its own for part `index` of what has `seed`.
inline std::uint64_t seed_of(std::uint64_t seed, std::uint64_t index) {
  Random random(seed ^ (index + 1) * 0xD1B54A32D192ED03U);
  return random.bits();
}

}  // namespace ki::stats
