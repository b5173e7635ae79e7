#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduction/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::reduction::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  auto* out = static_cast<float*>(call.outputs[0]);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(x.count, part, parts, 16);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* from = x.at<T>(call.inputs[0], row);
      const V sums = Accumulate(x.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
        return hn::Add(sum, how.Load(from + i));
      });
      out[row] = SumOf(sums);
    }
  });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& out = planned.outputs[0];
  const auto* given = static_cast<const float*>(call.inputs[0]);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(out.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      T* to = out.at<T>(call.outputs[0], row);
      const V value = Set(given[row]);
      ForEach(out.width, planned.is_streaming, to,
              [&](auto how, std::size_t i) HWY_ATTR { how.Store(value, to + i); });
    }
  });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::reduction::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::reduction {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"row-sum", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"row-sum", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::reduction
#endif
