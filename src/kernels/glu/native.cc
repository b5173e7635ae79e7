#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/glu/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/math-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::glu::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

template <class Activation, class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& in = planned.inputs;
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(in[0].count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* gate = in[0].at<T>(call.inputs[0], row);
      const T* up = in[1].at<T>(call.inputs[1], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      ForEach(in[0].width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        Fetch(gate + i);
        Fetch(up + i);
        how.Store(hn::Mul(Activation::Of(how.Load(gate + i)), how.Load(up + i)), to + i);
      });
    }
  });
}

template <class Activation, class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& in = planned.inputs;
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(in[0].count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* upstream = in[0].at<T>(call.inputs[0], row);
      const T* gate = in[1].at<T>(call.inputs[1], row);
      const T* up = in[2].at<T>(call.inputs[2], row);
      T* dgate = planned.outputs[0].at<T>(call.outputs[0], row);
      T* dup = planned.outputs[1].at<T>(call.outputs[1], row);
      ForEach(in[0].width, planned.is_streaming && IsAligned(dup), dgate,
              [&](auto how, std::size_t i) HWY_ATTR {
                Fetch(upstream + i);
                Fetch(gate + i);
                Fetch(up + i);
                const V given = how.Load(upstream + i);
                const Slope slope = Activation::Both(how.Load(gate + i));
                how.Store(hn::Mul(hn::Mul(given, how.Load(up + i)), slope.derivative), dgate + i);
                how.Store(hn::Mul(given, slope.value), dup + i);
              });
    }
  });
}

void SwigluForward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<Silu, decltype(type)>(planned, call); });
}

void SwigluBackward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<Silu, decltype(type)>(planned, call); });
}

void GegluForward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<GeluTanh, decltype(type)>(planned, call); });
}

void GegluBackward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<GeluTanh, decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::glu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::glu {

HWY_EXPORT(SwigluForward);
HWY_EXPORT(SwigluBackward);
HWY_EXPORT(GegluForward);
HWY_EXPORT(GegluBackward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"swiglu", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(SwigluForward)(planned, call);
       }},
      {"swiglu", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(SwigluBackward)(planned, call);
       }},
      {"geglu", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(GegluForward)(planned, call);
       }},
      {"geglu", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(GegluBackward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::glu
#endif
