#include "kernels/suite.h"

#include "kernels/native/native.h"
#include "kernels/rms_norm/rms_norm.h"

namespace ki::kernels {

namespace {

struct Folder {
  Operation (*operation)();
  std::vector<native::Kernel> (*native_kernels)();  // nullptr = none
};

constexpr Folder kFolders[] = {
    {rms_norm::operation, rms_norm::native_kernels},
};

}  // namespace

std::vector<Operation> make_operations() {
  std::vector<Operation> operations;
  for (const Folder& folder : kFolders) operations.push_back(folder.operation());
  return operations;
}

std::vector<const ki_kernel*> native_kernels() {
  std::vector<native::Kernel> kernels;
  for (const Folder& folder : kFolders) {
    if (folder.native_kernels == nullptr) continue;
    const auto more = folder.native_kernels();
    kernels.insert(kernels.end(), more.begin(), more.end());
  }
  return native::describe(kernels);
}

}  // namespace ki::kernels
