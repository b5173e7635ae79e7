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

#if HWY_TARGET != HWY_AVX3
// 2^n times p for whole n in [-160, 129]; from n = -149 down what the type holds, or 0. In two
// steps, so that neither factor leaves the range of exponents.
HWY_INLINE V Scaled(V p, V n) {
  const auto whole = hn::ConvertTo(I32(), n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto power = [](hn::Vec<I32> of) HWY_ATTR {
    return hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(of, hn::Set(I32(), 127))));
  };
  return hn::Mul(hn::Mul(p, power(half)), power(hn::Sub(whole, half)));
}
#endif

// 2^x with a relative error below 2e-7, for x up to 127; 0 from about -150 down, infinite above,
// NaN for NaN. Of the fraction of x, in [0, 1], a polynomial of degree 5 whose largest relative
// error is least (Remez's exchange; 7.5e-8). AVX-512 takes fraction and power of any x, 0 being the
// fraction of an infinite one, in an instruction each; otherwise x is bounded first.
HWY_INLINE V Exp2(V x) {
#if HWY_TARGET == HWY_AVX3
  constexpr int kDown = 1;
  const V f{_mm512_reduce_ps(x.raw, kDown)};
#else
  // In this order of operands x86 returns a NaN that x is.
  const V bounded = hn::Min(Set(129.0F), hn::Max(Set(-160.0F), x));
  const V n = hn::Floor(bounded);
  const V f = hn::Sub(bounded, n);
#endif
  V p = hn::MulAdd(f, Set(1.8775766734e-3F), Set(8.9893400947e-3F));
  p = hn::MulAdd(p, f, Set(5.5826318050e-2F));
  p = hn::MulAdd(p, f, Set(2.4015361705e-1F));
  p = hn::MulAdd(p, f, Set(6.9315307320e-1F));
  p = hn::MulAdd(p, f, Set(9.9999992506e-1F));
#if HWY_TARGET == HWY_AVX3
  return V{_mm512_scalef_ps(p.raw, x.raw)};
#else
  return Scaled(p, n);
#endif
}

constexpr float kLog2E = 1.44269504F;

// e^x by way of 2^x: the product with log2(e) is rounded, so the relative error grows by 6e-8 |x|.
HWY_INLINE V Exp(V x) { return Exp2(hn::Mul(x, Set(kLog2E))); }

// 1 / d for d in [1, 3e38], about 0 for infinity: the machine's estimate (12 bits or more) and one
// step of Newton's, which leaves at most two units in the last place. A division takes several
// times as long.
HWY_INLINE V Reciprocal(V d) {
  const V bounded = hn::Min(Set(3e38F), d);  // in this order a NaN stays one
  const V estimate = hn::ApproximateReciprocal(bounded);
  return hn::Mul(estimate, hn::NegMulAdd(bounded, estimate, Set(2.0F)));
}

HWY_INLINE V Sigmoid(V x) { return Reciprocal(hn::Add(Set(1.0F), Exp2(hn::Mul(x, Set(-kLog2E))))); }

template <class T>
HWY_INLINE float LargestOf(const T* row, std::size_t width) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  return MaxOf(Accumulate(
      width, Set(kLowest),
      [&](auto how, std::size_t i, V top)
          HWY_ATTR { return hn::Max(top, how.Or(how.Load(row + i), kLowest)); },
      Larger()));
}

// Of a long row of bf16 without making fp32 of them: their bits, the lower ones turned round in
// negative numbers, are in the order of the numbers. A NaN counts as the largest or the lowest of
// all; a kernel finds it among the terms of its sum.
HWY_INLINE float LargestOf(const Bf16* row, std::size_t width) {
  using I16 = hn::ScalableTag<std::int16_t>;
  const I16 d;
  const std::size_t step = hn::Lanes(d);
  if (width < 4 * step) return LargestOf<Bf16>(row, width);
  const auto key = [&](std::size_t at) HWY_ATTR {
    const auto bits = hn::LoadU(d, reinterpret_cast<const std::int16_t*>(row + at));
    return hn::Xor(bits, hn::And(hn::ShiftRight<15>(bits), hn::Set(d, 0x7fff)));
  };
  auto a = key(width - step);  // the end, of which some stands in the last whole vector, too
  auto b = a;
  std::size_t i = 0;
  for (; i + 2 * step <= width; i += 2 * step) {
    a = hn::Max(a, key(i));
    b = hn::Max(b, key(i + step));
  }
  if (i + step <= width) a = hn::Max(a, key(i));
  HWY_ALIGN std::int16_t keys[hn::MaxLanes(d)];
  hn::Store(hn::Max(a, b), d, keys);
  const hn::Rebind<std::int16_t, I32> half;
  const auto low = hn::PromoteTo(I32(), hn::Load(half, keys));
  const auto high = hn::PromoteTo(I32(), hn::Load(half, keys + step / 2));
  const std::int32_t top = hn::GetLane(hn::MaxOfLanes(I32(), hn::Max(low, high)));
  const auto bits = static_cast<Bf16>(top < 0 ? top ^ 0x7fff : top);
  return hn::GetLane(Partial{1}.Load(&bits));
}

// An activation and its derivative at z.
struct Slope {
  V value, derivative;
};

struct Silu {
  static HWY_INLINE V Of(V z) { return hn::Mul(z, Sigmoid(z)); }
  // s (1 + z (1 - s)) with s = sigmoid(z)
  static HWY_INLINE Slope Both(V z) {
    const V s = Sigmoid(z);
    const V value = hn::Mul(z, s);
    return {value, hn::MulAdd(hn::NegMulAdd(s, value, value), Set(1), s)};
  }
};

// z/2 (1 + tanh(u/2)) = z sigmoid(u) with u = 2 sqrt(2/pi) (z + 0.044715 z^3)
struct GeluTanh {
  static HWY_INLINE V Inner(V z, V square) {
    return hn::Mul(z, hn::MulAdd(square, Set(0.0713548163F), Set(1.5957691216F)));
  }
  static HWY_INLINE V Of(V z) { return hn::Mul(z, Sigmoid(Inner(z, hn::Mul(z, z)))); }
  // s + z s (1 - s) u' with u' = 2 sqrt(2/pi) (1 + 3 * 0.044715 z^2)
  static HWY_INLINE Slope Both(V z) {
    const V square = hn::Mul(z, z);
    const V s = Sigmoid(Inner(z, square));
    const V value = hn::Mul(z, s);
    const V inner = hn::MulAdd(square, Set(0.2140644489F), Set(1.5957691216F));
    return {value, hn::MulAdd(hn::NegMulAdd(s, value, value), inner, s)};
  }
};

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
