#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/copy/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::copy::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  const auto& y = planned.outputs[0];
  const auto size = static_cast<std::size_t>(size_bytes(planned.bound.dtype));
  const std::size_t bytes = x.width * size;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t step = hn::Lanes(d);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    // One row a long one: shared by its bytes, in whole cache lines.
    const Share share = native::share_of(bytes, part, parts, 64);
    const auto* from = x.at<std::uint8_t>(call.inputs[0], 0);
    auto* to = y.at<std::uint8_t>(call.outputs[0], 0);
    std::size_t i = share.begin;
    if (planned.is_streaming && reinterpret_cast<std::uintptr_t>(to + i) % step == 0) {
      for (; i + step <= share.end; i += step) hn::Stream(hn::LoadU(d, from + i), d, to + i);
    }
    if (i < share.end) std::memcpy(to + i, from + i, share.end - i);
  });
}

}  // namespace ki::kernels::copy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::copy {

HWY_EXPORT(Forward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"copy", Pass::forward, "fp32 bf16 int8",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::copy
#endif
