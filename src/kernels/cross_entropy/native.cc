#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cross_entropy/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/log_sum-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::cross_entropy::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& logits = planned.inputs[0];
  const auto* target = static_cast<const std::int64_t*>(call.inputs[1]);
  auto* sums = static_cast<double*>(call.workspace);  // one a part
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    double sum = 0;
    const Share share = native::share_of(logits.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* values = logits.at<T>(call.inputs[0], row);
      const float chosen = ValueAt(values, static_cast<std::size_t>(target[row]));
      sum += static_cast<double>(Log2SumExp(values, logits.width)) * kLn2 -
             static_cast<double>(chosen);
    }
    sums[part] = sum;
  });
  double total = 0;
  for (unsigned part = 0; part < planned.threads; ++part) total += sums[part];
  *static_cast<float*>(call.outputs[0]) =
      static_cast<float>(total / static_cast<double>(logits.count));
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& logits = planned.inputs[1];
  const float given = *static_cast<const float*>(call.inputs[0]);
  const auto* target = static_cast<const std::int64_t*>(call.inputs[2]);
  const float share_of_token = given / static_cast<float>(logits.count);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const V scale = Set(share_of_token);
    const Share share = native::share_of(logits.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* values = logits.at<T>(call.inputs[1], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      const float log_sum = Log2SumExp(values, logits.width);
      const V shift = Set(-log_sum);
      ForEach(logits.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        how.Store(hn::Mul(Exp2(hn::MulAdd(how.Load(values + i), Set(kLog2E), shift)), scale),
                  to + i);
      });
      const auto chosen = static_cast<std::size_t>(target[row]);
      const float probability = std::exp2(ValueAt(values, chosen) * kLog2E - log_sum);
      Partial{1}.Store(Set((probability - 1) * share_of_token), to + chosen);
    }
  });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::cross_entropy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::cross_entropy {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"cross-entropy", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       [](const native::Planned& planned) -> std::uint64_t {
         return planned.threads * sizeof(double);
       }},
      {"cross-entropy", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::cross_entropy
#endif
