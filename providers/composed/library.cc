// libki_kernels_composed.so: what a careful user would call of oneDNN and OpenBLAS.
#include <oneapi/dnnl/dnnl.hpp>

#include "composed/kernels.h"

extern "C" KI_KERNEL_EXPORT const ki_kernel_library* ki_kernel_library_v1(std::uint32_t host) {
  using namespace ki::providers;
  static const std::string version = [] {
    const dnnl_version_t* one = dnnl_version();
    return "oneDNN " + std::to_string(one->major) + "." + std::to_string(one->minor) + "." +
           std::to_string(one->patch);
  }();
  static const Described library("composed of oneDNN and OpenBLAS", version.c_str(), [] {
    std::vector<ki_kernel> kernels;
    composed::add_products(kernels);
    composed::add_blas(kernels);
    composed::add_rows(kernels);
    composed::add_activations(kernels);
    return kernels;
  }());
  return library.get(host);
}
