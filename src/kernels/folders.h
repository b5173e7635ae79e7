// What each operation's folder gives: its definition, and its kernels of provider "native".
#pragma once

#include <vector>

#include "kernels/native/native.h"
#include "kernels/registry.h"

namespace ki::kernels {

namespace add_rms_norm {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace add_rms_norm

namespace attention {
Operation full();
Operation causal();
std::vector<native::Kernel> native_kernels();  // of both
}  // namespace attention

namespace copy {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace copy

namespace cross_entropy {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace cross_entropy

namespace divergence {
Operation kl();
Operation jsd();
Operation tvd();
std::vector<native::Kernel> native_kernels();  // of all three
}  // namespace divergence

namespace embedding {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace embedding

namespace geglu_mlp {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace geglu_mlp

namespace gemm {
Operation floating();
Operation int8();
Operation batched();
std::vector<native::Kernel> native_kernels();  // of all three
}  // namespace gemm

namespace glu {
Operation swiglu();
Operation geglu();
std::vector<native::Kernel> native_kernels();  // of both
}  // namespace glu

namespace group_norm {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace group_norm

namespace grpo {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace grpo

namespace layer_norm {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace layer_norm

namespace linear_cross_entropy {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace linear_cross_entropy

namespace neighborhood {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace neighborhood

namespace reduction {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace reduction

namespace relu_squared {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace relu_squared

namespace rms_norm {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace rms_norm

namespace rope {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace rope

namespace softmax {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace softmax

namespace sparse_mta {
Operation operation();
Operation dense();  // softmax for sparsemax
std::vector<native::Kernel> native_kernels();
}  // namespace sparse_mta

namespace sparsemax {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace sparsemax

namespace transpose {
Operation operation();
std::vector<native::Kernel> native_kernels();
}  // namespace transpose

}  // namespace ki::kernels
