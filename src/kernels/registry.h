// The table of operations and of the kernels built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/ki_kernel.h"
#include "kernels/operation.h"

namespace ki::kernels {

// In the order the suite shows them. Built once; thread-safe.
const std::vector<Operation>& operations();

// By slug; nullptr when there is none.
const Operation* find_operation(std::string_view slug);

// What is compiled in: providers "reference" and "native". Libraries bring the others (provider.h).
const std::vector<const ki_kernel*>& built_in_kernels();

// ---- for the folders of operations

// An operation as its file writes it, in a notation of this module:
//   arguments  "x:*[rows,hidden] target:int64[rows] loss:*fp32[1]": `*` the case's type, `*fp32` a
//              float that the specification leaves open and the suite keeps in fp32, so that a
//              mean over many is told from another; in `back_inputs` also the bare name of an
//              argument of the forward pass
//   derived    "head_dim = hidden // q_heads", several separated by ";"
//   further_axes  "kernel_size dilation": axes that no tensor has
//   scalars    "eps=1e-6"
//   fills      "weight near_one; target below vocab; w scaled hidden"
//   cases      "name bf16 rows=4096 hidden=4096; ..."
struct OperationText {
  std::string_view slug, family, title, expression;
  std::string_view dtypes = "fp32 bf16";
  std::string_view inputs, outputs;
  std::string_view derived = "";
  std::string_view further_axes = "";
  std::string_view scalars = "";
  std::string_view tables = "";
  std::string_view back_inputs = "";
  std::string_view back_outputs = "";
  std::string_view fills = "";
  std::string_view cases = "";
};
// Aborts on a text that does not follow the notation: it is our own.
Operation read_operation(const OperationText& text);

}  // namespace ki::kernels
