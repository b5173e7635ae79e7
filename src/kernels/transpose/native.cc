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

// Between lines of the block, so that the lines' beginnings fall into different sets of the cache.
constexpr std::size_t kBlockStride = kBlock + 16;

#if HWY_TARGET == HWY_SCALAR
template <class T>
constexpr std::size_t kSquare = 1;

template <class T>
void TurnSquare(const T* from, std::size_t, T* to) {
  *to = *from;
}
#else
// Elements of 16 bytes: a square of these is turned in registers, by interleaving halves.
template <class T>
constexpr std::size_t kSquare = 16 / sizeof(T);

template <class T>
HWY_INLINE void TurnSquare(const T* from, std::size_t stride, T* to) {
  constexpr std::size_t kSide = kSquare<T>;
  const hn::FixedTag<T, kSide> d;
  hn::Vec<decltype(d)> rows[kSide];
  for (std::size_t i = 0; i < kSide; ++i) rows[i] = hn::LoadU(d, from + i * stride);
  // Row i and row i + side / 2 become rows 2 i and 2 i + 1; after log2(side) rounds columns are
  // rows.
  for (std::size_t round = 1; round < kSide; round *= 2) {
    hn::Vec<decltype(d)> mixed[kSide];
    for (std::size_t i = 0; i < kSide / 2; ++i) {
      mixed[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kSide / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kSide / 2]);
    }
    for (std::size_t i = 0; i < kSide; ++i) rows[i] = mixed[i];
  }
  for (std::size_t i = 0; i < kSide; ++i) hn::StoreU(rows[i], d, to + i * kBlockStride);
}
#endif

// rows x columns elements of x into the transposed block.
template <class T>
void Turn(const T* from, std::size_t stride, T* block, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kSide = kSquare<T>;
  const std::size_t whole_rows = rows / kSide * kSide;
  const std::size_t whole_columns = columns / kSide * kSide;
  for (std::size_t r = 0; r < whole_rows; r += kSide) {
    for (std::size_t c = 0; c < whole_columns; c += kSide) {
      TurnSquare(from + r * stride + c, stride, block + c * kBlockStride + r);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t first = r < whole_rows ? whole_columns : 0;
    for (std::size_t c = first; c < columns; ++c) {
      block[c * kBlockStride + r] = from[r * stride + c];
    }
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
    HWY_ALIGN T block[kBlock * kBlockStride];
    const Share share = native::share_of(y.count, part, parts, kBlock);
    for (std::size_t column = share.begin; column < share.end; column += kBlock) {
      const std::size_t columns = HWY_MIN(kBlock, share.end - column);
      for (std::size_t row = 0; row < x.count; row += kBlock) {
        const std::size_t rows = HWY_MIN(kBlock, x.count - row);
        Turn(x.at<T>(call.inputs[0], row) + column, x.stride, block, rows, columns);
        for (std::size_t c = 0; c < columns; ++c) {
          T* to = y.at<T>(call.outputs[0], column + c) + row;
          PutLine(block + c * kBlockStride, rows, planned.is_streaming, to);
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
