// RMSNorm: y = x / sqrt(mean(x^2) + eps) * weight.
#pragma once

#include <vector>

#include "kernels/native/native.h"
#include "kernels/registry.h"

namespace ki::kernels::rms_norm {

Operation operation();
std::vector<native::Kernel> native_kernels();

}  // namespace ki::kernels::rms_norm
