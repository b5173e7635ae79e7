// What the kernels of provider "native" share: one description a kernel, planned by one function.
// A kernel is a function over rows; tensors whose rows are not evenly spaced are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/ki_kernel.h"
#include "kernels/operation.h"

namespace ki::kernels::native {

// A tensor as rows of its last axis.
struct Rows {
  std::size_t count = 0;
  std::size_t width = 0;
  std::size_t stride = 0;  // elements from row to row

  template <class T>
  const T* at(const void* data, std::size_t row) const {
    return static_cast<const T*>(data) + row * stride;
  }
  template <class T>
  T* at(void* data, std::size_t row) const {
    return static_cast<T*>(data) + row * stride;
  }
};

// A planned case.
struct Planned {
  Bound bound;
  unsigned threads = 1;
  std::vector<Rows> inputs, outputs;
  // More than the caches keep is written around them: reading a line only to overwrite it would
  // cost half as much again.
  bool is_streaming = false;
  std::uint64_t workspace_bytes = 0;
  std::size_t axis(std::string_view name) const {
    return static_cast<std::size_t>(bound.axes[name]);
  }
  double scalar(std::string_view name) const {
    return Context{bound.axes, bound.scalars}.scalar(name);
  }
};

struct Kernel {
  const char* operation;
  Pass pass;
  const char* dtypes;
  void (*launch)(const Planned& planned, const ki_kernel_launch& call);
  // Scratch memory; nullptr = none.
  std::uint64_t (*workspace_bytes)(const Planned& planned) = nullptr;
  // Why the case is refused, or "". nullptr = none is.
  const char* (*refusal)(const Planned& planned) = nullptr;
};

// Descriptions for ki_kernel.h; they live as long as the program.
std::vector<const ki_kernel*> describe(const std::vector<Kernel>& kernels);

// From how many bytes of a case on its outputs are written around the caches. For tests, which want
// small cases to take that way too. Returns what it was.
double set_streaming_bytes_min(double bytes);

// The part [begin, end) of `count` things that part `part` of `parts` does, in whole blocks.
struct Share {
  std::size_t begin, end;
};
Share share_of(std::size_t count, unsigned part, unsigned parts, std::size_t block = 1);

// Floats between the sums of two parts, over `width` columns: whole cache lines, so that no two
// threads write to one.
inline std::size_t sums_stride(std::size_t width) { return (width + 15) / 16 * 16; }
// Workspace for one row of sums over the columns a part: what gradients of weights need. The width
// is that of the first output.
std::uint64_t sums_workspace(const Planned& planned);

}  // namespace ki::kernels::native
