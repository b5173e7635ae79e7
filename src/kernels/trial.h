// One case with memory around it: filled, launched, compared. For tests and benchmarks; a runner
// that measures what it does not trust keeps its memory apart.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/operation.h"
#include "kernels/problem.h"
#include "kernels/provider.h"

namespace ki::kernels {

class Trial {
 public:
  // Every tensor begins `offset` elements behind a 64-byte boundary.
  Trial(Bound bound, Distribution distribution, std::uint64_t seed, std::size_t offset);

  const Bound& bound() const { return bound_; }
  const Values& inputs() const { return input_values_; }
  // Replaces one value, before anything is asked for or launched.
  void set_input(std::size_t tensor, std::size_t index, double value);
  // In float64; computed when first asked for.
  const Expected& expected();
  // Poisons the outputs, then calls the plan once.
  ki_kernel_status launch(const Plan& plan);
  // Calls the plan again over the outputs as they are.
  ki_kernel_status relaunch(const Plan& plan);
  Values outputs() const;
  // "" or what is wrong: an output, bytes between rows or around tensors, a changed input.
  std::string problem();
  std::string describe() const;  // operation, pass, dtype, axes, distribution, seed

 private:
  Bound bound_;
  Distribution distribution_;
  std::uint64_t seed_;
  std::vector<Buffer> inputs_, outputs_;
  Values input_values_;
  Expected expected_;
  std::vector<const void*> input_addresses_;
  std::vector<void*> output_addresses_;
  std::vector<unsigned char> workspace_;
};

// Axes drawn from sizes that find faults (1, odd, one off a power of two), tensors small enough for
// the float64 reference. The dtype is drawn too when none is given.
Bound random_case(const Operation& operation, Pass pass, std::mt19937_64& random,
                  std::int64_t padding);
Bound random_case(const Operation& operation, Pass pass, std::mt19937_64& random,
                  std::int64_t padding, Dtype dtype);
// A small case none of whose axes is 1, so that different inputs give different results.
Bound telling_case(const Operation& operation, Pass pass, Dtype dtype);

}  // namespace ki::kernels
