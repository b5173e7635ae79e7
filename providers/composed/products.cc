#include <cmath>

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

using Turn = Place::Turn;

std::unique_ptr<Work> forward_batch(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const std::int64_t batch = axis_of(one, "batch");
  const Place a = program->input(0);
  const Place b = program->input(1);
  const Place c = program->output(0);
  program->multiply_batch({a, a.batched(batch)}, {b, b.batched(batch)}, {c, c.batched(batch)});
  return program;
}

std::unique_ptr<Work> backward_batch(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const std::int64_t batch = axis_of(one, "batch");
  const Place dc = program->input(0);
  const Place a = program->input(1);
  const Place b = program->input(2);
  const Place da = program->output(0);
  const Place db = program->output(1);
  program->multiply_batch({dc, dc.batched(batch)}, {b, b.batched(batch, Turn::transposed)},
                          {da, da.batched(batch)});
  program->multiply_batch({a, a.batched(batch, Turn::transposed)}, {dc, dc.batched(batch)},
                          {db, db.batched(batch)});
  return program;
}

// y = softmax(q k^T / sqrt(head_dim)) v with all scores kept, in fp32. The heads of q that share
// one of k and v lie below each other: together they are one matrix.
std::unique_ptr<Work> attention(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const std::int64_t batch = axis_of(one, "batch") * axis_of(one, "kv_heads");
  const Place q = program->input(0);
  const Place k = program->input(1);
  const Place v = program->input(2);
  const Place y = program->output(0);
  const Place scores = program->scratch(q.rows(), axis_of(one, "keys"), Program::Type::f32);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(q.columns())));
  program->multiply_batch({q, q.batched(batch)}, {k, k.batched(batch, Turn::transposed)},
                          {scores, scores.batched(batch)}, scale);
  program->softmax(scores, scores);
  Place weights = scores;
  if (q.type() != scores.type()) {
    weights = program->scratch(scores.rows(), scores.columns(), q.type());
    program->convert(scores, weights);
  }
  program->multiply_batch({weights, weights.batched(batch)}, {v, v.batched(batch)},
                          {y, y.batched(batch)});
  return program;
}

}  // namespace

void add_products(std::vector<ki_kernel>& kernels) {
  kernels.push_back(kernel_of<forward>({kProvider, "onednn", "gemm", "forward", "fp32 bf16"}));
  kernels.push_back(kernel_of<backward>({kProvider, "onednn", "gemm", "backward", "fp32 bf16"}));
  const char* const both = "fp32 bf16";
  kernels.push_back(
      kernel_of<forward_batch>({kProvider, "onednn", "batched-gemm", "forward", both}));
  kernels.push_back(
      kernel_of<backward_batch>({kProvider, "onednn", "batched-gemm", "backward", both}));
  kernels.push_back(
      kernel_of<attention>({kProvider, "onednn", "scaled-dot-product-attention", "forward", both}));
  kernels.push_back(kernel_of<forward>({kProvider, "onednn", "gemm-int8", "forward", "int8"}));
}

}  // namespace ki::providers::composed
