#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparsemax/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/pool.h"
#include "kernels/native/simplex-inl.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::sparsemax::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(x.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const auto* from = x.at<float>(call.inputs[0], row);
      auto* to = planned.outputs[0].at<float>(call.outputs[0], row);
      if (HasNaN(from, x.width)) {
        std::fill_n(to, x.width, std::numeric_limits<float>::quiet_NaN());
        continue;
      }
      const V threshold = Set(ThresholdOf(from, x.width));
      ForEach(x.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        how.Store(hn::Max(hn::Sub(how.Load(from + i), threshold), Zero()), to + i);
      });
    }
  });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  const auto& y = planned.inputs[1];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(y.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const auto* upstream = planned.inputs[0].at<float>(call.inputs[0], row);
      const auto* value = y.at<float>(call.inputs[1], row);
      auto* to = planned.outputs[0].at<float>(call.outputs[0], row);
      const V sums = Accumulate(y.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
        const auto is_zero = hn::Eq(how.Load(value + i), Zero());
        return hn::Add(sum, hn::IfThenZeroElse(is_zero, how.Load(upstream + i)));
      });
      const V counts = Accumulate(y.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
        const auto is_zero = hn::Eq(how.Load(value + i), Zero());
        return hn::Add(sum, hn::IfThenZeroElse(is_zero, Set(1)));
      });
      const V mean = Set(SumOf(sums) / SumOf(counts));
      ForEach(y.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        const auto is_zero = hn::Eq(how.Load(value + i), Zero());
        const V away = hn::Sub(how.Load(upstream + i), mean);
        how.Store(hn::IfThenZeroElse(is_zero, away), to + i);
      });
    }
  });
}

}  // namespace ki::kernels::sparsemax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::sparsemax {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"sparsemax", Pass::forward, "fp32",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"sparsemax", Pass::backward, "fp32",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::sparsemax
#endif
