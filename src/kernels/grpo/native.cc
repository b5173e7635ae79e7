#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/grpo/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/linear_loss-inl.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::grpo::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::LinearScratch;
using native::LinearSizes;
using native::Planned;
using native::TokenState;

constexpr double kBeta = 0.1;

HWY_INLINE double LogProbability(const TokenState& state) {
  return static_cast<double>(state.chosen) - static_cast<double>(state.log_sum) * kLn2;
}

// Where the arguments stand in a pass.
struct Places {
  std::size_t first;     // of the inputs x, weight, ref_x, ref_weight, completion_ids, advantages
  std::size_t upstream;  // of the input dloss
  bool with_loss;        // the first output
  bool with_gradients;   // the outputs after it
};

// The loss of the tokens of a tile; scratch.scales become the gradients of their logits.
template <class T>
double LossOfTile(const Planned& planned, const ki_kernel_launch& call, const Places& places,
                  const LinearScratch& scratch, std::size_t begin, std::size_t count,
                  std::size_t tokens) {
  const std::size_t seq = planned.axis("seq");
  const T* advantages = static_cast<const T*>(call.inputs[places.first + 5]);
  const double given =
      places.with_gradients
          ? static_cast<double>(*static_cast<const float*>(call.inputs[places.upstream]))
          : 0.0;
  double loss = 0;
  for (std::size_t row = 0; row < count; ++row) {
    const auto advantage = static_cast<double>(ValueAt(advantages, (begin + row) / seq));
    const double d = LogProbability(scratch.others[row]) - LogProbability(scratch.states[row]);
    const double ratio = std::exp(d);
    loss += kBeta * (ratio - d - 1) - advantage;
    scratch.scales[row] =
        static_cast<float>((advantage - kBeta * (1 - ratio)) * given / static_cast<double>(tokens));
  }
  return loss;
}

template <class T>
void Run(const Planned& planned, const ki_kernel_launch& call, const Places& places) {
  const std::size_t seq = planned.axis("seq");
  const LinearSizes sizes(planned, planned.axis("batch") * seq);
  native::Pieces pieces(call.workspace);
  const bool is_kept = places.with_gradients;
  const LinearScratch scratch(sizes, pieces, is_kept, is_kept && !std::is_same_v<T, float>);
  const auto input = [&](std::size_t which, std::size_t row) {
    const std::size_t at = places.first + which;
    return MatrixOf<T>(planned.inputs[at], call.inputs[at], row);
  };
  const auto& ids = planned.inputs[places.first + 4];
  const std::size_t dx = places.with_loss ? 1 : 0;
  double loss = 0;
  for (std::size_t begin = 0; begin < sizes.tokens; begin += native::kTokenTile) {
    const std::size_t count = HWY_MIN(native::kTokenTile, sizes.tokens - begin);
    const auto target_of = [&](std::size_t row) {
      const std::size_t token = begin + row;
      return static_cast<std::size_t>(
          ids.at<std::int64_t>(call.inputs[places.first + 4], token / seq)[token % seq]);
    };
    MakeLogits(sizes, scratch, input(2, begin), input(3, 0), count, is_kept, target_of,
               scratch.others);
    MakeLogits(sizes, scratch, input(0, begin), input(1, 0), count, is_kept, target_of,
               scratch.states);
    loss += LossOfTile<T>(planned, call, places, scratch, begin, count, sizes.tokens);
    if (!is_kept) continue;
    SpreadTile<T>(planned, call, dx, sizes, scratch, input(0, begin), input(1, 0), begin, count,
                  target_of);
  }
  if (places.with_loss) {
    *static_cast<float*>(call.outputs[0]) =
        static_cast<float>(loss / static_cast<double>(sizes.tokens));
  }
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { Run<decltype(type)>(planned, call, {0, 0, true, false}); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { Run<decltype(type)>(planned, call, {1, 0, false, true}); });
}

void Whole(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { Run<decltype(type)>(planned, call, {0, 6, true, true}); });
}

}  // namespace ki::kernels::grpo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::grpo {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);
HWY_EXPORT(Whole);

namespace {

std::uint64_t workspace(const native::Planned& planned) {
  return native::linear_workspace_bytes(planned, planned.axis("batch") * planned.axis("seq"));
}

}  // namespace

std::vector<native::Kernel> native_kernels() {
  return {
      {"fused-linear-grpo-loss-token", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       workspace},
      {"fused-linear-grpo-loss-token", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       workspace},
      {"fused-linear-grpo-loss-token", Pass::full, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Whole)(planned, call);
       },
       workspace},
  };
}

}  // namespace ki::kernels::grpo
#endif
