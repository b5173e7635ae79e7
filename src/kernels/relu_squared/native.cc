#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/relu_squared/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::relu_squared::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

// In this order of operands x86 returns a NaN that x is.
HWY_INLINE V Above(V x) { return hn::Max(Zero(), x); }

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& in = planned.inputs[0];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(in.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* x = in.at<T>(call.inputs[0], row);
      T* y = planned.outputs[0].at<T>(call.outputs[0], row);
      ForEach(in.width, planned.is_streaming, y, [&](auto how, std::size_t i) HWY_ATTR {
        const V above = Above(how.Load(x + i));
        how.Store(hn::Mul(above, above), y + i);
      });
    }
  });
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& in = planned.inputs;
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(in[0].count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* dy = in[0].at<T>(call.inputs[0], row);
      const T* x = in[1].at<T>(call.inputs[1], row);
      T* dx = planned.outputs[0].at<T>(call.outputs[0], row);
      ForEach(in[0].width, planned.is_streaming, dx, [&](auto how, std::size_t i) HWY_ATTR {
        const V above = Above(how.Load(x + i));
        how.Store(hn::Mul(hn::Add(above, above), how.Load(dy + i)), dx + i);
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

}  // namespace ki::kernels::relu_squared::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::relu_squared {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"relu-squared", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"relu-squared", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::relu_squared
#endif
