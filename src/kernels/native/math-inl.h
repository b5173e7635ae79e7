// Exponentials over vectors of fp32. Included once per instruction set, inside foreach_target.
#if defined(KI_KERNELS_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_MATH_INL
#undef KI_KERNELS_MATH_INL
#else
#define KI_KERNELS_MATH_INL
#endif

#include <limits>

#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

// e^x within 2 units in the last place for x in [-87, 88]; 0 below, e^88 above, NaN for NaN.
// Cody and Waite's reduction x = n ln 2 + r, |r| <= ln 2 / 2, with ln 2 in two parts, then a
// polynomial of degree 7 with the coefficients of Cephes' expf (S. Moshier).
HWY_INLINE V Exp(V x) {
  // In this order of operands x86 returns a NaN that x is.
  const V bounded = hn::Min(Set(88.0F), hn::Max(Set(-87.0F), x));
  const auto n = hn::NearestInt(hn::Mul(bounded, Set(1.44269504F)));
  const V whole = hn::ConvertTo(F32(), n);
  V r = hn::NegMulAdd(whole, Set(0.693359375F), bounded);
  r = hn::NegMulAdd(whole, Set(-2.12194440e-4F), r);
  V p = hn::MulAdd(r, Set(1.9875691500e-4F), Set(1.3981999507e-3F));
  p = hn::MulAdd(p, r, Set(8.3334519073e-3F));
  p = hn::MulAdd(p, r, Set(4.1665795894e-2F));
  p = hn::MulAdd(p, r, Set(1.6666665459e-1F));
  p = hn::MulAdd(p, r, Set(5.0000001201e-1F));
  p = hn::MulAdd(hn::Mul(r, r), p, hn::Add(r, Set(1.0F)));
  const V power = hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(I32(), 127))));
  return hn::IfThenZeroElse(hn::Lt(x, Set(-87.0F)), hn::Mul(p, power));
}

// 1 / d for d in [1, 2e38]: the machine's estimate (12 bits or more) and one step of Newton's,
// which leaves at most two units in the last place. A division takes several times as long.
HWY_INLINE V Reciprocal(V d) {
  const V estimate = hn::ApproximateReciprocal(d);
  return hn::Mul(estimate, hn::NegMulAdd(d, estimate, Set(2.0F)));
}

HWY_INLINE V Sigmoid(V x) { return Reciprocal(hn::Add(Set(1.0F), Exp(hn::Neg(x)))); }

template <class T>
HWY_INLINE float LargestOf(const T* row, std::size_t width) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  return MaxOf(Accumulate(
      width, Set(kLowest),
      [&](auto how, std::size_t i, V top)
          HWY_ATTR { return hn::Max(top, how.Or(how.Load(row + i), kLowest)); },
      Larger()));
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
