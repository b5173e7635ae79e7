#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/math-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::softmax::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  auto* workspace = static_cast<float*>(call.workspace);  // exponentials, one row a part
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    float* powers = workspace + part * native::sums_stride(x.width);
    const Share share = native::share_of(x.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* from = x.at<T>(call.inputs[0], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      const float top = LargestOf(from, x.width);
      const V shift = Set(-top * kLog2E);
      const V sums = Accumulate(x.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
        const V power = how.Or(Exp2(hn::MulAdd(how.Load(from + i), Set(kLog2E), shift)), 0);
        how.Store(power, powers + i);
        return hn::Add(sum, power);
      });
      const V scale = Set(1.0F / SumOf(sums));
      const std::size_t next = NextRow<T>(x.stride);
      ForEach(x.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        Fetch(from + i, next);
        how.Store(hn::Mul(how.Load(powers + i), scale), to + i);
      });
    }
  });
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& y = planned.inputs[1];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(y.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* upstream = planned.inputs[0].at<T>(call.inputs[0], row);
      const T* value = y.at<T>(call.inputs[1], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      const V sums = Accumulate(y.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
        Fetch(upstream + i);
        Fetch(value + i);
        return hn::MulAdd(how.Load(upstream + i), how.Load(value + i), sum);
      });
      const V mean = Set(SumOf(sums));
      ForEach(y.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        how.Store(hn::Mul(how.Load(value + i), hn::Sub(how.Load(upstream + i), mean)), to + i);
      });
    }
  });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::softmax {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"softmax", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       native::sums_workspace},
      {"softmax", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::softmax
#endif
