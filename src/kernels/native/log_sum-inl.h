// Logarithms of sums of exponentials over rows of logits, and gradients through them. Included once
// per instruction set, inside foreach_target.
#if defined(KI_KERNELS_LOG_SUM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_LOG_SUM_INL
#undef KI_KERNELS_LOG_SUM_INL
#else
#define KI_KERNELS_LOG_SUM_INL
#endif

#include <cmath>
#include <limits>

#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

constexpr std::size_t kBlock = 2048;
constexpr double kLn2 = 0.693147180559945309;
// A block's sum beyond this, or none at all, says that the largest value before was passed by far:
// 2^60 times a row of 2^60 values is still a number.
constexpr float kSumMax = 0x1p60F;

// The sum of 2^(x log2(e) - shift) over a block.
template <class T>
HWY_INLINE float SumBlock(const T* block, std::size_t count, float shift) {
  const V shifts = Set(-shift);
  const V scale = Set(kLog2E);
  return SumOf(Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    Fetch(block + i);
    return hn::Add(sum, how.Or(Exp2(hn::MulAdd(how.Load(block + i), scale, shifts)), 0));
  }));
}

// log2(sum(exp(row))). A row of any length is read once: each block is summed below the largest
// value before it, and again, below its own, only where that was passed by far.
template <class T>
HWY_INLINE float Log2SumExp(const T* row, std::size_t width) {
  float shift = LargestOf(row, HWY_MIN(width, lanes())) * kLog2E;
  if (!(std::abs(shift) < std::numeric_limits<float>::infinity())) shift = 0;
  float sum = 0;
  for (std::size_t begin = 0; begin < width; begin += kBlock) {
    const std::size_t count = HWY_MIN(kBlock, width - begin);
    float of_block = SumBlock(row + begin, count, shift);
    if (!(of_block <= kSumMax)) {
      const float passed = LargestOf(row + begin, count) * kLog2E - shift;
      sum *= std::exp2(-passed);
      shift += passed;
      of_block = SumBlock(row + begin, count, shift);
    }
    sum += of_block;
  }
  return shift + std::log2(sum);
}

template <class T>
HWY_INLINE float ValueAt(const T* row, std::size_t index) {
  return hn::GetLane(Partial{1}.Load(row + index));
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
