// A case made concrete: inputs with values, expected outputs in float64, and the comparison. Works
// on plain addresses, so that whoever measures keeps memory as it needs it. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/operation.h"

namespace ki::kernels {

enum class Distribution {
  bell,      // the sum of four uniform numbers, mean 0, variance 1, within +-3.5
  uniform,   // [-1, 1)
  outliers,  // bell, and one value in 256 thirty times as large, as activations of models have them
  shifted,   // bell + 4: a mean far from 0, where a variance of one pass cancels
};
std::string_view name_of(Distribution distribution);

// Fills all inputs, one address each. The value at one place depends on seed, tensor name and place
// alone. What the forward pass makes and the backward pass reads is made by the reference from the
// forward inputs of the same seed. Writes elements, not padding.
void fill_inputs(const Bound& bound, Distribution distribution, std::uint64_t seed,
                 void* const* data);

// Elements to float64, dense; and back, rounded to nearest, ties to even; integers saturate.
std::vector<double> load_values(const Tensor& tensor, const void* data);
void store_values(const Tensor& tensor, const std::vector<double>& values, void* data);

// Expected outputs of any pass, the full one included, from inputs as load_values gives them.
Expected evaluate(const Bound& bound, const Values& inputs);

// Every byte to a pattern that reads as NaN (floating point) or as a large negative integer, so
// that what a kernel leaves unwritten is no result.
void poison(const Tensor& tensor, void* data);
// Whether the bytes between rows still hold what poison wrote.
bool is_padding_intact(const Tensor& tensor, const void* data);

struct Comparison {
  std::int64_t wrong = 0;  // elements outside the tolerance
  std::int64_t first = -1;
  double worst = 0;     // largest |actual - expected| / allowed; infinite for NaN
  std::string message;  // "" when all are within it, else how many, where and by how much
  bool ok() const { return wrong == 0; }
};
Comparison compare(const Tensor& tensor, const void* data, const std::vector<double>& expected,
                   Allowance allowance);

// 64-byte aligned memory of a tensor between two guards, for tests and benchmarks.
class Buffer {
 public:
  // Begins `offset` elements behind the boundary.
  explicit Buffer(const Tensor& tensor, std::size_t offset = 0);
  void* data() { return memory_.get() + kGuardBytes + offset_bytes_; }
  const void* data() const { return memory_.get() + kGuardBytes + offset_bytes_; }
  std::size_t size_bytes() const { return size_bytes_; }
  bool are_guards_intact() const;

  static constexpr std::size_t kGuardBytes = 256;

 private:
  struct Free {
    void operator()(unsigned char* memory) const;
  };
  std::size_t size_bytes_ = 0;
  std::size_t offset_bytes_ = 0;
  std::unique_ptr<unsigned char, Free> memory_;
};

}  // namespace ki::kernels
