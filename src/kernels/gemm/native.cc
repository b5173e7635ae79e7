#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/batch.h"
#include "kernels/native/gemm-inl.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::gemm::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Product;
using native::Share;

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& out = planned.outputs[0];
  const Product<T> product{MatrixOf<T>(planned.inputs[0], call.inputs[0]),
                           MatrixOf<T>(planned.inputs[1], call.inputs[1]),
                           out.count,
                           out.width,
                           planned.axis("k"),
                           nullptr,
                           0};
  MultiplyTo(product, static_cast<T*>(call.outputs[0]), out.stride, planned.threads,
             call.workspace);
}

// da = dc b^T, db = a^T dc
template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto dc = MatrixOf<T>(planned.inputs[0], call.inputs[0]);
  const auto a = MatrixOf<T>(planned.inputs[1], call.inputs[1]);
  const auto b = MatrixOf<T>(planned.inputs[2], call.inputs[2]);
  const std::size_t m = planned.axis("m");
  const std::size_t n = planned.axis("n");
  const std::size_t k = planned.axis("k");
  MultiplyTo(Product<T>{dc, b.transposed(), m, k, n, nullptr, 0}, static_cast<T*>(call.outputs[0]),
             planned.outputs[0].stride, planned.threads, call.workspace);
  MultiplyTo(Product<T>{a.transposed(), dc, k, n, m, nullptr, 0}, static_cast<T*>(call.outputs[1]),
             planned.outputs[1].stride, planned.threads, call.workspace);
}

// Calls multiply(index, threads, workspace) for each product of a batch: those of a large batch one
// a thread, others one after another by all threads.
template <class MultiplyOne>
void ForEachProduct(const Planned& planned, const ki_kernel_launch& call,
                    const MultiplyOne& multiply) {
  const std::size_t batch = planned.axis("batch");
  if (parts_of(planned) == 1) {
    for (std::size_t i = 0; i < batch; ++i) multiply(i, planned.threads, call.workspace);
    return;
  }
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    void* own =
        static_cast<unsigned char*>(call.workspace) + planned.workspace_bytes / parts * part;
    const Share share = native::share_of(batch, part, parts);
    for (std::size_t i = share.begin; i < share.end; ++i) multiply(i, Alone(), own);
  });
}

template <class T>
void BatchedForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const std::size_t m = planned.axis("m");
  const std::size_t k = planned.axis("k");
  const auto& out = planned.outputs[0];
  ForEachProduct(planned, call, [&](std::size_t i, auto threads, void* workspace) HWY_ATTR {
    const Product<T> product{MatrixOf<T>(planned.inputs[0], call.inputs[0], i * m),
                             MatrixOf<T>(planned.inputs[1], call.inputs[1], i * k),
                             m,
                             out.width,
                             k,
                             nullptr,
                             0};
    MultiplyTo(product, out.at<T>(call.outputs[0], i * m), out.stride, threads, workspace);
  });
}

template <class T>
void BatchedBackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const std::size_t m = planned.axis("m");
  const std::size_t n = planned.axis("n");
  const std::size_t k = planned.axis("k");
  const auto& da = planned.outputs[0];
  const auto& db = planned.outputs[1];
  ForEachProduct(planned, call, [&](std::size_t i, auto threads, void* workspace) HWY_ATTR {
    const auto dc = MatrixOf<T>(planned.inputs[0], call.inputs[0], i * m);
    const auto a = MatrixOf<T>(planned.inputs[1], call.inputs[1], i * m);
    const auto b = MatrixOf<T>(planned.inputs[2], call.inputs[2], i * k);
    MultiplyTo(Product<T>{dc, b.transposed(), m, k, n, nullptr, 0},
               da.at<T>(call.outputs[0], i * m), da.stride, threads, workspace);
    MultiplyTo(Product<T>{a.transposed(), dc, k, n, m, nullptr, 0},
               db.at<T>(call.outputs[1], i * k), db.stride, threads, workspace);
  });
}

void BatchedForward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BatchedForwardOf<decltype(type)>(planned, call); });
}

void BatchedBackward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BatchedBackwardOf<decltype(type)>(planned, call); });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

void ForwardInt8(const Planned& planned, const ki_kernel_launch& call) {
  const auto& out = planned.outputs[0];
  const Product<std::int8_t> product{MatrixOf<std::int8_t>(planned.inputs[0], call.inputs[0]),
                                     MatrixOf<std::int8_t>(planned.inputs[1], call.inputs[1]),
                                     out.count,
                                     out.width,
                                     planned.axis("k"),
                                     call.outputs[0],
                                     out.stride};
  Multiply(product, planned.threads, call.workspace);
}

}  // namespace ki::kernels::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::gemm {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);
HWY_EXPORT(ForwardInt8);
HWY_EXPORT(BatchedForward);
HWY_EXPORT(BatchedBackward);

namespace {

std::uint64_t workspace(const native::Planned& planned) {
  const auto& out = planned.outputs[0];
  return native::gemm_rounded_workspace_bytes(out.count, out.width, planned.threads);
}

std::uint64_t back_workspace(const native::Planned& planned) {
  std::uint64_t most = 0;
  for (const auto& out : planned.outputs) {
    most =
        std::max(most, native::gemm_rounded_workspace_bytes(out.count, out.width, planned.threads));
  }
  return most;
}

}  // namespace

std::vector<native::Kernel> native_kernels() {
  return {
      {"gemm", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       workspace},
      {"gemm", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       back_workspace},
      {"gemm-int8", Pass::forward, "int8",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(ForwardInt8)(planned, call);
       },
       workspace},
      {"batched-gemm", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(BatchedForward)(planned, call);
       },
       batch_workspace},
      {"batched-gemm", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(BatchedBackward)(planned, call);
       },
       batch_workspace},
  };
}

}  // namespace ki::kernels::gemm
#endif
