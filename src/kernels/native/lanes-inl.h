// Vectors of fp32 in kernels, loaded from and stored to fp32 or bf16 rows of any length and
// alignment. Included once per instruction set, inside foreach_target.
#if defined(KI_KERNELS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_LANES_INL
#undef KI_KERNELS_LANES_INL
#else
#define KI_KERNELS_LANES_INL
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <hwy/highway.h>

#include "kernels/native/bf16.h"
#include "kernels/native/native.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bf16 = std::uint16_t;  // the storage of a bf16
using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;
using U16 = hn::Rebind<std::uint16_t, F32>;
using V = hn::Vec<F32>;

HWY_INLINE std::size_t lanes() { return hn::Lanes(F32()); }
HWY_INLINE V Zero() { return hn::Zero(F32()); }
HWY_INLINE V Set(float value) { return hn::Set(F32(), value); }

HWY_INLINE V FromBf16(hn::Vec<U16> bits) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(hn::PromoteTo(U32(), bits)));
}

// To nearest, ties to even; a NaN stays one. By hand, since the library's own conversion truncates;
// where the processor converts, by its instruction, which the library lacks.
HWY_INLINE hn::Vec<U16> ToBf16(V value) {
#if HWY_TARGET == HWY_AVX3
  if (has_bf16_instructions) {
    __m256i converted;
    __asm__("vcvtneps2bf16 %1, %0" : "=v"(converted) : "v"(value.raw));
    return hn::Vec<U16>{converted};
  }
#endif
  const auto bits = hn::BitCast(U32(), value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(U32(), 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(U32(), 0x7fff)), odd);
  const auto quiet = hn::Or(bits, hn::Set(U32(), 0x400000));
  const auto kept = hn::IfThenElse(hn::RebindMask(U32(), hn::IsNaN(value)), quiet, rounded);
  return hn::DemoteTo(U16(), hn::BitCast(I32(), hn::ShiftRight<16>(kept)));
}

// Full vectors and ends of rows have the same interface, so that a kernel's loop body is one
// lambda.
struct Full {
  HWY_INLINE V Load(const float* from) const { return hn::LoadU(F32(), from); }
  HWY_INLINE V Load(const Bf16* from) const { return FromBf16(hn::LoadU(U16(), from)); }
  HWY_INLINE void Store(V value, float* to) const { hn::StoreU(value, F32(), to); }
  HWY_INLINE void Store(V value, Bf16* to) const { hn::StoreU(ToBf16(value), U16(), to); }
  HWY_INLINE V Or(V value, float) const { return value; }
  HWY_INLINE Full Near() const { return {}; }
};

// Stores around the caches; `to` is aligned to the bytes of a vector of its type. What is read
// again soon is stored by Near().
struct Streaming : Full {
  HWY_INLINE void Store(V value, float* to) const { hn::Stream(value, F32(), to); }
  HWY_INLINE void Store(V value, Bf16* to) const { hn::Stream(ToBf16(value), U16(), to); }
};

// The first `count` lanes; loads give 0 beyond them.
struct Partial {
  std::size_t count;
  template <class T>
  HWY_INLINE V Load(const T* from) const {
    HWY_ALIGN T buffer[hn::MaxLanes(F32())] = {};
    std::memcpy(buffer, from, count * sizeof(T));
    return Full().Load(buffer);
  }
  template <class T>
  HWY_INLINE void Store(V value, T* to) const {
    HWY_ALIGN T buffer[hn::MaxLanes(F32())];
    Full().Store(value, buffer);
    std::memcpy(to, buffer, count * sizeof(T));
  }
  // `other` beyond the count, for reductions to which 0 is not neutral.
  HWY_INLINE V Or(V value, float other) const {
    return hn::IfThenElse(hn::FirstN(F32(), count), value, Set(other));
  }
  HWY_INLINE Partial Near() const { return *this; }
};

// Asks for what is read so much later: the processor's own prefetching ends at each page, and runs
// less far ahead than a loop with arithmetic in it needs. For the first pass over memory alone.
constexpr std::size_t kAheadBytes = 4096;
template <class T>
HWY_INLINE void Fetch(const T* at, std::size_t ahead_bytes = kAheadBytes) {
  __builtin_prefetch(reinterpret_cast<const char*>(at) + ahead_bytes);
}
// How far ahead the last pass over a row asks for the first one of the next, so that memory is read
// while it is written.
template <class T>
HWY_INLINE std::size_t NextRow(std::size_t stride) {
  return HWY_MAX(stride * sizeof(T), kAheadBytes);
}

// Whether a whole vector of T may be streamed to the address.
template <class T>
HWY_INLINE bool IsAligned(const T* to) {
  return reinterpret_cast<std::uintptr_t>(to) % (lanes() * sizeof(T)) == 0;
}

// Calls body(how, first index) over [0, width).
template <class Body>
HWY_INLINE void ForEach(std::size_t width, const Body& body) {
  const std::size_t step = lanes();
  std::size_t i = 0;
  for (; i + step <= width; i += step) body(Full(), i);
  if (i < width) body(Partial{width - i}, i);
}

// The same where most of what is written to `to` may go around the caches.
template <class T, class Body>
HWY_INLINE void ForEach(std::size_t width, bool is_streaming, const T* to, const Body& body) {
  const std::size_t step = lanes();
  if (!is_streaming || !IsAligned(to)) return ForEach(width, body);
  std::size_t i = 0;
  for (; i + step <= width; i += step) body(Streaming(), i);
  if (i < width) body(Partial{width - i}, i);
}

struct Plus {
  HWY_INLINE V operator()(V a, V b) const { return hn::Add(a, b); }
};
struct Larger {
  HWY_INLINE V operator()(V a, V b) const { return hn::Max(a, b); }
};

// Four independent accumulators, so that the latency of an addition is hidden: body(how, index,
// sum) gives the sum with what stands at index added.
template <class Body, class Join = Plus>
HWY_INLINE V Accumulate(std::size_t width, V start, const Body& body, const Join& join = {}) {
  const std::size_t step = lanes();
  V a = start;
  V b = start;
  V c = start;
  V d = start;
  std::size_t i = 0;
  for (; i + 4 * step <= width; i += 4 * step) {
    a = body(Full(), i, a);
    b = body(Full(), i + step, b);
    c = body(Full(), i + 2 * step, c);
    d = body(Full(), i + 3 * step, d);
  }
  for (; i + step <= width; i += step) a = body(Full(), i, a);
  if (i < width) b = body(Partial{width - i}, i, b);
  return join(join(a, b), join(c, d));
}

HWY_INLINE float SumOf(V value) { return hn::GetLane(hn::SumOfLanes(F32(), value)); }
HWY_INLINE float MaxOf(V value) { return hn::GetLane(hn::MaxOfLanes(F32(), value)); }

// out = the sum of `parts` rows of sums, always in the same order.
template <class T>
void SumParts(const float* sums, std::size_t stride, unsigned parts, std::size_t width, T* out) {
  ForEach(width, [&](auto how, std::size_t i) HWY_ATTR {
    V total = how.Load(sums + i);
    for (unsigned part = 1; part < parts; ++part) {
      total = hn::Add(total, how.Load(sums + part * stride + i));
    }
    how.Store(total, out + i);
  });
}

// Calls run(T()) with the storage type of the case.
template <class Run>
void WithType(const Planned& planned, const Run& run) {
  if (planned.bound.dtype == KI_KERNEL_BF16) return run(Bf16());
  run(float());
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
