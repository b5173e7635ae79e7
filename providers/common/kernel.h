// What kernels over libraries of others share: one class a plan, and the C interface around it.
// Header only, and only over ki_kernel.h: each provider is a shared object of its own.
#pragma once

#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ki_kernel.h"

namespace ki::providers {

// A case that a kernel does not serve, and why.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A tensor as rows of its last axis, which is how every kernel here reads it.
struct Rows {
  std::int64_t count, width, stride;  // of rows; elements of one; elements from row to row
  ki_kernel_dtype dtype;
};

inline Rows rows_of(const ki_kernel_tensor& tensor) {
  Rows rows{1, tensor.shape[tensor.rank - 1], 0, tensor.dtype};
  rows.stride = tensor.rank == 1 ? rows.width : tensor.strides[tensor.rank - 2];
  for (std::uint32_t i = 0; i + 1 < tensor.rank; ++i) rows.count *= tensor.shape[i];
  for (std::uint32_t i = 0; i + 2 < tensor.rank; ++i) {
    if (tensor.strides[i] != tensor.strides[i + 1] * tensor.shape[i + 1]) {
      throw Unsupported("the rows of a tensor are not evenly spaced");
    }
  }
  return rows;
}

inline std::int64_t axis_of(const ki_kernel_case& one, std::string_view name) {
  for (std::uint32_t i = 0; i < one.axes_count; ++i) {
    if (one.axes[i].name == name) return one.axes[i].value;
  }
  throw Unsupported("the case has no axis " + std::string(name));
}

inline double scalar_of(const ki_kernel_case& one, std::string_view name) {
  for (std::uint32_t i = 0; i < one.scalars_count; ++i) {
    if (one.scalars[i].name == name) return one.scalars[i].value;
  }
  throw Unsupported("the case has no scalar " + std::string(name));
}

inline bool is_forward(const ki_kernel_case& one) {
  return std::string_view(one.pass) == "forward";
}

// A planned case.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  virtual void run(const ki_kernel_launch& call) = 0;
  virtual std::uint64_t workspace_bytes() const { return 0; }
};

// Plans a case; throws Unsupported, or what its library throws.
using Make = std::unique_ptr<Work> (*)(const ki_kernel_case& one);

inline void say(char* message, std::size_t size, std::string_view text) {
  if (message == nullptr || size == 0) return;
  const std::size_t count = text.size() < size ? text.size() : size - 1;
  std::memcpy(message, text.data(), count);
  message[count] = '\0';
}

template <Make kMake>
ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                         std::size_t message_size) {
  try {
    std::unique_ptr<Work> work = kMake(*one);
    plan->workspace_bytes = work->workspace_bytes();
    plan->state = work.release();
    return KI_KERNEL_OK;
  } catch (const Unsupported& why) {
    say(message, message_size, why.what());
    return KI_KERNEL_UNSUPPORTED;
  } catch (const std::exception& why) {
    say(message, message_size, why.what());
    return KI_KERNEL_FAILED;
  }
}

inline ki_kernel_status launch(void* state, const ki_kernel_launch* call) {
  try {
    static_cast<Work*>(state)->run(*call);
    return KI_KERNEL_OK;
  } catch (const std::exception&) {
    return KI_KERNEL_FAILED;
  }
}

inline void release(void* state) { delete static_cast<Work*>(state); }

struct Name {
  const char* provider;
  const char* variant;
  const char* operation;
  const char* pass;
  const char* dtypes;
};

template <Make kMake>
ki_kernel kernel_of(const Name& name) {
  ki_kernel kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.provider = name.provider;
  kernel.variant = name.variant;
  kernel.operation = name.operation;
  kernel.pass = name.pass;
  kernel.dtypes = name.dtypes;
  kernel.device = "cpu";
  kernel.language = "cpp";
  kernel.prepare = prepare<kMake>;
  kernel.launch = launch;
  kernel.release = release;
  return kernel;
}

// The library's description over kernels that live as long as it is loaded.
class Described {
 public:
  Described(const char* name, const char* version, std::vector<ki_kernel> kernels)
      : kernels_(std::move(kernels)) {
    for (const ki_kernel& kernel : kernels_) list_.push_back(&kernel);
    library_.struct_size = sizeof library_;
    library_.abi_version = KI_KERNEL_ABI_VERSION;
    library_.name = name;
    library_.version = version;
    library_.kernels_count = static_cast<std::uint32_t>(list_.size());
    library_.kernels = list_.data();
  }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  const ki_kernel_library* get(std::uint32_t host_version) const {
    return host_version == KI_KERNEL_ABI_VERSION ? &library_ : nullptr;
  }

 private:
  std::vector<ki_kernel> kernels_;
  std::vector<const ki_kernel*> list_;
  ki_kernel_library library_{};
};

}  // namespace ki::providers
