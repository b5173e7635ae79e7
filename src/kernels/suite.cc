#include "kernels/suite.h"

#include "kernels/folders.h"

namespace ki::kernels {

namespace {

// In the order the suite shows them.
constexpr Operation (*kOperations[])() = {
    rms_norm::operation,
    add_rms_norm::operation,
    rope::operation,
    softmax::operation,
    glu::swiglu,
    glu::geglu,
    layer_norm::operation,
    cross_entropy::operation,
    copy::operation,
    gemm::floating,
    gemm::int8,
    reduction::operation,
    transpose::operation,
    sparse_mta::operation,
    geglu_mlp::operation,
    neighborhood::operation,
    grpo::operation,
    linear_cross_entropy::operation,
    divergence::kl,
    divergence::jsd,
    divergence::tvd,
    relu_squared::operation,
    embedding::operation,
    attention::full,
    attention::causal,
    gemm::batched,
    group_norm::operation,
    sparsemax::operation,
    sparse_mta::dense,
};

constexpr std::vector<native::Kernel> (*kNative[])() = {
    rms_norm::native_kernels,      add_rms_norm::native_kernels,
    rope::native_kernels,          softmax::native_kernels,
    glu::native_kernels,           layer_norm::native_kernels,
    cross_entropy::native_kernels, copy::native_kernels,
    gemm::native_kernels,          reduction::native_kernels,
    transpose::native_kernels,     sparse_mta::native_kernels,
    geglu_mlp::native_kernels,     neighborhood::native_kernels,
    grpo::native_kernels,          linear_cross_entropy::native_kernels,
    divergence::native_kernels,    relu_squared::native_kernels,
    embedding::native_kernels,     attention::native_kernels,
    group_norm::native_kernels,    sparsemax::native_kernels,
};

}  // namespace

std::vector<Operation> make_operations() {
  std::vector<Operation> operations;
  for (const auto make : kOperations) operations.push_back(make());
  return operations;
}

std::vector<const ki_kernel*> native_kernels() {
  std::vector<native::Kernel> kernels;
  for (const auto list : kNative) {
    const auto more = list();
    kernels.insert(kernels.end(), more.begin(), more.end());
  }
  return native::describe(kernels);
}

}  // namespace ki::kernels
