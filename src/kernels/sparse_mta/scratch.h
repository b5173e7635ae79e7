// The scratch memory of one thread, the same for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/native/native.h"

namespace ki::kernels::sparse_mta {

struct Sizes {
  explicit Sizes(const native::Planned& planned)
      : batch(planned.axis("batch")),
        in(planned.axis("heads_in")),
        out(planned.axis("heads_out")),
        seq(planned.axis("seq")),
        k(planned.axis("k")) {}
  std::size_t batch, in, out, seq, k;
  std::size_t pad() const { return k / 2; }
  std::size_t weights() const { return out * in * k * k; }
};

// What a row of sparsemax holds besides zeros.
struct Support {
  std::size_t count;
  const std::uint32_t* columns;
  const float* values;
};

// Supports of the last k rows of each head, one row of outputs, and sums of gradients.
class Scratch {
 public:
  static std::size_t floats(const Sizes& sizes) {
    const std::size_t rows = sizes.k * sizes.in;
    return native::sums_stride(2 * rows * sizes.seq + rows + sizes.seq + sizes.weights() +
                               sizes.out);
  }
  Scratch(const Sizes& sizes, float* memory) : sizes_(sizes), memory_(memory) {}

  std::uint32_t* columns(std::size_t row, std::size_t head) const {
    return reinterpret_cast<std::uint32_t*>(memory_) + slot(row, head) * sizes_.seq;
  }
  float* values(std::size_t row, std::size_t head) const {
    return memory_ + (slots() + slot(row, head)) * sizes_.seq;
  }
  std::uint32_t& count(std::size_t row, std::size_t head) const {
    auto* counts = reinterpret_cast<std::uint32_t*>(memory_ + 2 * slots() * sizes_.seq);
    return counts[slot(row, head)];
  }
  Support support(std::size_t row, std::size_t head) const {
    return {count(row, head), columns(row, head), values(row, head)};
  }
  float* line() const { return memory_ + 2 * slots() * sizes_.seq + slots(); }
  float* weight_sums() const { return line() + sizes_.seq; }
  float* bias_sums() const { return weight_sums() + sizes_.weights(); }

 private:
  std::size_t slots() const { return sizes_.k * sizes_.in; }
  std::size_t slot(std::size_t row, std::size_t head) const {
    return row % sizes_.k * sizes_.in + head;
  }
  const Sizes& sizes_;
  float* memory_;
};

// Of the dense form, forward: the last k rows of weights of each head, each with zeros on both
// sides, so that windows and whole vectors beyond its ends need no test; and one row of outputs.
class DenseScratch {
 public:
  static std::size_t floats(const Sizes& sizes) {
    return (sizes.k * sizes.in + 1) * row_floats(sizes);
  }
  DenseScratch(const Sizes& sizes, float* memory) : sizes_(sizes), memory_(memory) {}
  static std::size_t row_floats(const Sizes& sizes) {
    constexpr std::size_t kVectors = 64;  // at once, of any instruction set
    return native::sums_stride(sizes.seq + 2 * sizes.pad() + kVectors);
  }
  // Its first weight stands at pad().
  float* row(std::size_t row, std::size_t head) const {
    return memory_ + (row % sizes_.k * sizes_.in + head) * row_floats(sizes_);
  }
  float* line() const { return memory_ + sizes_.k * sizes_.in * row_floats(sizes_); }

 private:
  const Sizes& sizes_;
  float* memory_;
};

}  // namespace ki::kernels::sparse_mta
