#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rope/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::rope::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

// Positions done for all heads before the next: their part of the tables stays in the second cache,
// and each head is read in stretches long enough for the prefetcher.
constexpr std::size_t kBlock = 256;

// One head's vector: (a, b) -> (a cos - b sin, b cos + a sin), or the transpose of that. The
// table's halves are read apart: they need not be equal.
template <bool kIsBack, class T>
void Rotate(const T* from, const T* cosine, const T* sine, T* to, std::size_t half,
            bool is_streaming) {
  ForEach(half, is_streaming && IsAligned(to + half), to, [&](auto how, std::size_t i) HWY_ATTR {
    Fetch(from + i);
    Fetch(from + half + i);
    const V a = how.Load(from + i);
    const V b = how.Load(from + half + i);
    const V of_a = hn::Mul(a, how.Load(cosine + i));
    const V of_b = hn::Mul(b, how.Load(cosine + half + i));
    const V upper = how.Load(sine + i);
    const V lower = how.Load(sine + half + i);
    if constexpr (kIsBack) {
      how.Store(hn::MulAdd(b, lower, of_a), to + i);
      how.Store(hn::NegMulAdd(a, upper, of_b), to + half + i);
    } else {
      how.Store(hn::NegMulAdd(b, upper, of_a), to + i);
      how.Store(hn::MulAdd(a, lower, of_b), to + half + i);
    }
  });
}

// Input `in` to output `out`: tensors (1, heads, seq, head_dim); the tables are `table` and next.
template <bool kIsBack, class T>
void RotateAll(const Planned& planned, const ki_kernel_launch& call, std::size_t in,
               std::size_t out, std::size_t table) {
  const auto& x = planned.inputs[in];
  const auto& y = planned.outputs[out];
  const std::size_t seq = planned.axis("seq");
  const std::size_t heads = x.count / seq;
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(seq, part, parts);
    for (std::size_t block = share.begin; block < share.end; block += kBlock) {
      const std::size_t end = HWY_MIN(block + kBlock, share.end);
      for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t at = block; at < end; ++at) {
          const std::size_t row = head * seq + at;
          Rotate<kIsBack>(x.at<T>(call.inputs[in], row),
                          planned.inputs[table].at<T>(call.inputs[table], at),
                          planned.inputs[table + 1].at<T>(call.inputs[table + 1], at),
                          y.at<T>(call.outputs[out], row), x.width / 2, planned.is_streaming);
        }
      }
    }
  });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    RotateAll<false, decltype(type)>(planned, call, 0, 0, 2);
    RotateAll<false, decltype(type)>(planned, call, 1, 1, 2);
  });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { RotateAll<true, decltype(type)>(planned, call, 0, 0, 1); });
}

}  // namespace ki::kernels::rope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::rope {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"rope", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"rope", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::rope
#endif
