// The kernels that are built into ki as a shared object behind ki_kernel.h, its references left
// out: what `ki bench --against REVISION` builds of another revision.
#include <string_view>
#include <vector>

#include "kernels/ki_kernel.h"
#include "kernels/registry.h"

const ki_kernel_library* ki_kernel_library_v1(uint32_t host_abi_version) {
  if (host_abi_version != KI_KERNEL_ABI_VERSION) return nullptr;
  static const std::vector<const ki_kernel*> kernels = [] {
    std::vector<const ki_kernel*> all = ki::kernels::built_in_kernels();
    std::erase_if(
        all, [](const ki_kernel* one) { return std::string_view(one->provider) == "reference"; });
    return all;
  }();
  static const ki_kernel_library library = {.struct_size = sizeof(ki_kernel_library),
                                            .abi_version = KI_KERNEL_ABI_VERSION,
                                            .name = "kernelindex",
                                            .version = KI_VERSION,
                                            .kernels_count = static_cast<uint32_t>(kernels.size()),
                                            .kernels = kernels.data()};
  return &library;
}
