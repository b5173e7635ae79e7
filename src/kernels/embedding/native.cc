#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/embedding/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pieces.h"
#include "kernels/native/pool.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::embedding::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

HWY_INLINE std::size_t IdAt(const native::Rows& ids, const void* data, std::size_t token) {
  return static_cast<std::size_t>(ids.at<std::int64_t>(data, token / ids.width)[token % ids.width]);
}

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& out = planned.outputs[0];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(out.count, part, parts);
    for (std::size_t token = share.begin; token < share.end; ++token) {
      const T* from =
          planned.inputs[1].at<T>(call.inputs[1], IdAt(planned.inputs[0], call.inputs[0], token));
      T* to = out.at<T>(call.outputs[0], token);
      ForEach(out.width, planned.is_streaming, to,
              [&](auto how, std::size_t i) HWY_ATTR { how.Store(how.Load(from + i), to + i); });
    }
  });
}

// Tokens in the order of their ids, by counting: those of id stand at first[id] to first[id + 1].
struct Order {
  std::uint32_t *first, *tokens;
};

Order Sort(const Planned& planned, const ki_kernel_launch& call) {
  const std::size_t count = planned.inputs[0].count;
  const std::size_t vocab = planned.axis("vocab");
  native::Pieces pieces(call.workspace);
  const Order order{pieces.take<std::uint32_t>(vocab + 2), pieces.take<std::uint32_t>(count)};
  std::memset(order.first, 0, (vocab + 2) * sizeof(std::uint32_t));
  const auto id_of = [&](std::size_t token) {
    return IdAt(planned.inputs[1], call.inputs[1], token);
  };
  for (std::size_t token = 0; token < count; ++token) ++order.first[id_of(token) + 2];
  for (std::size_t id = 2; id < vocab + 2; ++id) order.first[id] += order.first[id - 1];
  for (std::size_t token = 0; token < count; ++token) {
    order.tokens[order.first[id_of(token) + 1]++] = static_cast<std::uint32_t>(token);
  }
  return order;
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Order order = Sort(planned, call);
  const auto& out = planned.outputs[0];
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(out.count, part, parts);
    for (std::size_t id = share.begin; id < share.end; ++id) {
      T* to = out.at<T>(call.outputs[0], id);
      ForEach(out.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        V sum = Zero();
        for (std::uint32_t n = order.first[id]; n < order.first[id + 1]; ++n) {
          const T* from = planned.inputs[0].at<T>(call.inputs[0], order.tokens[n]);
          sum = hn::Add(sum, how.Load(from + i));
        }
        how.Store(sum, to + i);
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

}  // namespace ki::kernels::embedding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::embedding {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

namespace {

std::uint64_t workspace(const native::Planned& planned) {
  native::Pieces pieces;
  pieces.take<std::uint32_t>(planned.axis("vocab") + 2);
  pieces.take<std::uint32_t>(planned.inputs[0].count);
  return pieces.bytes();
}

// Places are kept in 32 bits.
const char* refusal(const native::Planned& planned) {
  return planned.inputs[0].count < (std::uint64_t{1} << 32) ? "" : "more than 2^32 positions";
}

}  // namespace

std::vector<native::Kernel> native_kernels() {
  return {
      {"embedding", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"embedding", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       workspace, refusal},
  };
}

}  // namespace ki::kernels::embedding
#endif
