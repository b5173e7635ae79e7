// The kernels of provider "composed", a file a kind of operation.
#pragma once

#include <vector>

#include "common/kernel.h"

namespace ki::providers::composed {

inline constexpr const char* kProvider = "composed";

void add_products(std::vector<ki_kernel>& kernels);     // by oneDNN, attention among them
void add_blas(std::vector<ki_kernel>& kernels);         // products by OpenBLAS
void add_rows(std::vector<ki_kernel>& kernels);         // softmax, LayerNorm
void add_activations(std::vector<ki_kernel>& kernels);  // SwiGLU, GeGLU, GeGLU MLP

}  // namespace ki::providers::composed
