// What eager PyTorch computes for operations of the suite: the algorithms of the public benchmark's
// torch and Transformers baselines, a line of ATen each.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <ATen/ATen.h>

#include "common/kernel.h"

namespace ki::providers::eager {

using Tensors = std::vector<at::Tensor>;

// The last step of an output: made anew where autograd watches, else straight into its place.
struct Last {
  std::function<at::Tensor()> anew;
  std::function<void(at::Tensor& out)> into;
};

struct Operation {
  const char* slug;
  // Those in which this libtorch (1.13) keeps to the tolerance. Its LayerNorm, its GeLU and the
  // derivatives of its activations round inside themselves in bf16.
  const char* dtypes;
  const char* full_dtypes;  // "" = the operation has no backward pass
  // The axes whose product is the size of its smallest matrix product; empty = it has none.
  // Products of bf16 up to 4096 are summed in bf16 by this libtorch, above that by oneDNN in fp32.
  std::vector<const char*> product;
  // The forward pass, from its inputs to the last steps of its outputs.
  std::vector<Last> (*forward)(const ki_kernel_case& one, const Tensors& in);
};

const std::vector<Operation>& operations();

}  // namespace ki::providers::eager
