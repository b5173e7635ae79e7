#include "composed/kernels.h"
#include "composed/program.h"

namespace ki::providers::composed {

namespace {

std::unique_ptr<Work> forward(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  program->multiply(program->input(0), program->input(1), program->output(0));
  return program;
}

// dc a b -> da = dc b^T, db = a^T dc
std::unique_ptr<Work> backward(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place dc = program->input(0);
  program->multiply(dc, program->input(2).transposed(), program->output(0));
  program->multiply(program->input(1).transposed(), dc, program->output(1));
  return program;
}

}  // namespace

void add_products(std::vector<ki_kernel>& kernels) {
  kernels.push_back(kernel_of<forward>({kProvider, "onednn", "gemm", "forward", "fp32 bf16"}));
  kernels.push_back(kernel_of<backward>({kProvider, "onednn", "gemm", "backward", "fp32 bf16"}));
  kernels.push_back(kernel_of<forward>({kProvider, "onednn", "gemm-int8", "forward", "int8"}));
}

}  // namespace ki::providers::composed
