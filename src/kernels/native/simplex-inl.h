// What the kernels made of sparsemax share. Included once per instruction set, inside
// foreach_target.
#if defined(KI_KERNELS_SIMPLEX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_SIMPLEX_INL
#undef KI_KERNELS_SIMPLEX_INL
#else
#define KI_KERNELS_SIMPLEX_INL
#endif

#include <hwy/highway.h>

#include "kernels/native/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

// The threshold t with sum(max(z - t, 0)) = 1, by Newton's steps from below, which never overshoot
// since the sum is convex in t; they end when the set above t stays the same.
inline float ThresholdOf(const float* z, std::size_t count) {
  float t = LargestOf(z, count) - 1;
  for (float before = 0;;) {
    const V bound = Set(t);
    const V excess = Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
      return hn::Add(sum, hn::Max(how.Or(hn::Sub(how.Load(z + i), bound), 0), Zero()));
    });
    const V above = Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
      const auto is_above = hn::Gt(how.Or(hn::Sub(how.Load(z + i), bound), 0), Zero());
      return hn::Add(sum, hn::IfThenElseZero(is_above, Set(1)));
    });
    const float size = SumOf(above);
    if (size == before) return t;
    before = size;
    t += (SumOf(excess) - 1) / size;
  }
}

// A NaN anywhere makes the whole row NaN, as it does in a softmax.
inline bool HasNaN(const float* z, std::size_t count) {
  const V found = Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    return hn::Add(sum, hn::IfThenElseZero(hn::IsNaN(how.Load(z + i)), Set(1)));
  });
  return SumOf(found) > 0;
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
