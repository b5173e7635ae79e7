#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transpose/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::transpose::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

// A square of this many elements is read from and written to whole cache lines while both stay in
// the first cache.
constexpr std::size_t kBlock = 64;

// rows x columns elements of x at (row, column) into the transposed place.
template <class T>
void Turn(const T* from, std::size_t from_stride, T* to, std::size_t to_stride, std::size_t rows,
          std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    T* line = to + c * to_stride;
    const T* source = from + c;
    for (std::size_t r = 0; r < rows; ++r) line[r] = source[r * from_stride];
  }
}

template <class T>
void PutLine(const T* from, std::size_t count, bool is_streaming, T* to) {
  const hn::ScalableTag<T> d;
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  if (is_streaming && reinterpret_cast<std::uintptr_t>(to) % (step * sizeof(T)) == 0) {
    for (; i + step <= count; i += step) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  }
  if (i < count) std::memcpy(to + i, from + i, (count - i) * sizeof(T));
}

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  const auto& y = planned.outputs[0];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    // A whole block at a time through the cache, written out line by line around it.
    HWY_ALIGN T block[kBlock * kBlock];
    const Share share = native::share_of(y.count, part, parts, kBlock);
    for (std::size_t column = share.begin; column < share.end; column += kBlock) {
      const std::size_t columns = HWY_MIN(kBlock, share.end - column);
      for (std::size_t row = 0; row < x.count; row += kBlock) {
        const std::size_t rows = HWY_MIN(kBlock, x.count - row);
        Turn(x.at<T>(call.inputs[0], row) + column, x.stride, block, kBlock, rows, columns);
        for (std::size_t c = 0; c < columns; ++c) {
          T* to = y.at<T>(call.outputs[0], column + c) + row;
          PutLine(block + c * kBlock, rows, planned.is_streaming, to);
        }
      }
    }
  });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  if (planned.bound.dtype == KI_KERNEL_BF16) return ForwardOf<Bf16>(planned, call);
  ForwardOf<std::uint32_t>(planned, call);
}

}  // namespace ki::kernels::transpose::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::transpose {

HWY_EXPORT(Forward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"transpose", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::transpose
#endif
