// The table of what this module contains: each operation's folder in one line. Read by registry.cc.
#pragma once

#include <vector>

#include "kernels/ki_kernel.h"
#include "kernels/operation.h"

namespace ki::kernels {

std::vector<Operation> make_operations();

// The operation's own float64 reference as a kernel, every operation and pass.
std::vector<const ki_kernel*> reference_kernels();
// Provider "native"; the full pass only where one kernel makes both at once.
std::vector<const ki_kernel*> native_kernels();
// The full pass of each operation that `kernels` has both other passes of: one, then the other.
std::vector<const ki_kernel*> full_kernels(const std::vector<const ki_kernel*>& kernels);

}  // namespace ki::kernels
