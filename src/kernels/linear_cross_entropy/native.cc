#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear_cross_entropy/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/linear_loss-inl.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::linear_cross_entropy::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::LinearScratch;
using native::LinearSizes;
using native::Planned;

// Any pass: the loss, the gradients, or both at once. Inputs from `first` on are x, weight and
// target; dloss is the input `upstream`.
template <class T>
void Run(const Planned& planned, const ki_kernel_launch& call, std::size_t first, bool with_loss,
         bool with_gradients, std::size_t upstream) {
  const LinearSizes sizes(planned, planned.axis("tokens"));
  native::Pieces pieces(call.workspace);
  const LinearScratch scratch(sizes, pieces, with_gradients,
                              with_gradients && !std::is_same_v<T, float>);
  const auto weight = MatrixOf<T>(planned.inputs[first + 1], call.inputs[first + 1]);
  const auto* target = static_cast<const std::int64_t*>(call.inputs[first + 2]);
  const std::size_t dx = with_loss ? 1 : 0;
  const float given = with_gradients ? *static_cast<const float*>(call.inputs[upstream]) : 0.0F;
  double loss = 0;
  for (std::size_t begin = 0; begin < sizes.tokens; begin += native::kTokenTile) {
    const std::size_t count = HWY_MIN(native::kTokenTile, sizes.tokens - begin);
    const auto x = MatrixOf<T>(planned.inputs[first], call.inputs[first], begin);
    const auto target_of = [&](std::size_t row) {
      return static_cast<std::size_t>(target[begin + row]);
    };
    MakeLogits(sizes, scratch, x, weight, count, with_gradients, target_of, scratch.states);
    for (std::size_t row = 0; row < count; ++row) {
      loss += static_cast<double>(scratch.states[row].log_sum) * kLn2 -
              static_cast<double>(scratch.states[row].chosen);
      scratch.scales[row] = given / static_cast<float>(sizes.tokens);
    }
    if (!with_gradients) continue;
    SpreadTile<T>(planned, call, dx, sizes, scratch, x, weight, begin, count, target_of);
  }
  if (with_loss) {
    *static_cast<float*>(call.outputs[0]) =
        static_cast<float>(loss / static_cast<double>(sizes.tokens));
  }
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { Run<decltype(type)>(planned, call, 0, true, false, 0); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { Run<decltype(type)>(planned, call, 1, false, true, 0); });
}

void Whole(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { Run<decltype(type)>(planned, call, 0, true, true, 3); });
}

}  // namespace ki::kernels::linear_cross_entropy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::linear_cross_entropy {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);
HWY_EXPORT(Whole);

namespace {

std::uint64_t workspace(const native::Planned& planned) {
  return native::linear_workspace_bytes(planned, planned.axis("tokens"));
}

}  // namespace

std::vector<native::Kernel> native_kernels() {
  return {
      {"fused-linear-cross-entropy", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       workspace},
      {"fused-linear-cross-entropy", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       workspace},
      {"fused-linear-cross-entropy", Pass::full, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Whole)(planned, call);
       },
       workspace},
  };
}

}  // namespace ki::kernels::linear_cross_entropy
#endif
