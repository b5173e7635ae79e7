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

// How far the largest value so far may be passed before the sum is scaled anew: 2^60 times a row of
// 2^60 values is still a number.
constexpr float kSlack = 60;
constexpr std::size_t kBlock = 2048;
constexpr double kLn2 = 0.693147180559945309;

struct Block {
  float sum, top;
};

// The sum of 2^(x log2(e) - shift) over a block, and its largest x.
template <class T>
HWY_INLINE Block SumBlock(const T* block, std::size_t count, float shift) {
  const V shifts = Set(-shift);
  const V scale = Set(kLog2E);
  V tops[2] = {Set(-std::numeric_limits<float>::infinity()), tops[0]};
  V sums[2] = {Zero(), Zero()};
  const auto add = [&](auto how, std::size_t i, std::size_t which) HWY_ATTR {
    const V x = how.Load(block + i);
    tops[which] = hn::Max(tops[which], how.Or(x, -std::numeric_limits<float>::infinity()));
    sums[which] = hn::Add(sums[which], how.Or(Exp2(hn::MulAdd(x, scale, shifts)), 0));
  };
  const std::size_t step = lanes();
  std::size_t i = 0;
  for (; i + 2 * step <= count; i += 2 * step) {
    add(Full(), i, 0);
    add(Full(), i + step, 1);
  }
  ForEach(count - i, [&](auto how, std::size_t j) HWY_ATTR { add(how, i + j, 0); });
  return {SumOf(hn::Add(sums[0], sums[1])), MaxOf(hn::Max(tops[0], tops[1]))};
}

// log2(sum(exp(row))). A row of any length is read once: each block is summed below the largest
// value before it, and again only where that was passed by far.
template <class T>
HWY_INLINE float Log2SumExp(const T* row, std::size_t width) {
  float shift = LargestOf(row, HWY_MIN(width, lanes())) * kLog2E;
  if (!(std::abs(shift) < std::numeric_limits<float>::infinity())) shift = 0;
  float sum = 0;
  for (std::size_t begin = 0; begin < width; begin += kBlock) {
    const std::size_t count = HWY_MIN(kBlock, width - begin);
    Block block = SumBlock(row + begin, count, shift);
    const float passed = block.top * kLog2E - shift;
    if (passed > kSlack) {
      sum *= std::exp2(-passed);
      shift += passed;
      block = SumBlock(row + begin, count, shift);
    }
    sum += block.sum;
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
