#include "kernels/provider.h"

#include <algorithm>
#include <utility>

#include <dlfcn.h>

#include "kernels/case.h"

namespace ki::kernels {

namespace {

constexpr std::size_t kMessageBytes = 512;
constexpr std::uint32_t kLibraryKernelsMax = 4096;

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_provider_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

// "" or which rule of ki_kernel.h the description breaks.
std::string fault_of(const ki_kernel* kernel) {
  if (kernel == nullptr) return "a kernel is NULL";
  if (kernel->struct_size < sizeof(ki_kernel)) return "struct_size of a kernel is too small";
  for (const char* text : {kernel->provider, kernel->variant, kernel->operation, kernel->pass,
                           kernel->dtypes, kernel->device, kernel->language}) {
    if (text == nullptr) return "a text of a kernel is NULL";
  }
  if (!is_provider_name(kernel->provider)) {
    return "provider must be 1 to 64 of a-z, 0-9 and -";
  }
  const std::string name = std::string(kernel->provider) + "/" + kernel->operation;
  Pass pass{};
  if (!read_pass(kernel->pass, pass)) return name + ": no such pass: " + kernel->pass;
  if (kernel->prepare == nullptr || kernel->launch == nullptr) {
    return name + ": prepare and launch must be given";
  }
  if (kernel->constraints_count > 0 && kernel->constraints == nullptr) {
    return name + ": constraints is NULL";
  }
  for (std::uint32_t i = 0; i < kernel->constraints_count; ++i) {
    if (kernel->constraints[i].axis == nullptr) return name + ": a constraint names no axis";
  }
  return "";
}

std::string fault_of(const ki_kernel_library* library) {
  if (library == nullptr) return "it does not serve this version of the interface";
  if (library->struct_size < sizeof(ki_kernel_library)) return "its struct_size is too small";
  if (library->abi_version != KI_KERNEL_ABI_VERSION) {
    return "it was built for version " + std::to_string(library->abi_version) +
           " of ki_kernel.h, this is " + std::to_string(KI_KERNEL_ABI_VERSION);
  }
  if (library->name == nullptr || library->version == nullptr) return "it has no name or version";
  if (library->kernels_count > kLibraryKernelsMax || library->kernels == nullptr) {
    return "it must bring 1 to " + std::to_string(kLibraryKernelsMax) + " kernels";
  }
  for (std::uint32_t i = 0; i < library->kernels_count; ++i) {
    std::string fault = fault_of(library->kernels[i]);
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace

bool load_library(const std::string& path, Library& library, std::string& problem) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    problem = dlerror();
    return false;
  }
  library.handle = std::shared_ptr<void>(handle, [](void* open) { dlclose(open); });
  using Entry = const ki_kernel_library* (*)(std::uint32_t);
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "ki_kernel_library_v1"));
  if (entry == nullptr) {
    problem = path + " exports no ki_kernel_library_v1 (see ki_kernel.h)";
    return false;
  }
  const ki_kernel_library* const description = entry(KI_KERNEL_ABI_VERSION);
  const std::string fault = fault_of(description);
  if (!fault.empty()) {
    problem = path + ": " + fault;
    return false;
  }
  library.path = path;
  library.name = description->name;
  library.version = description->version;
  library.kernels.assign(description->kernels, description->kernels + description->kernels_count);
  return true;
}

const std::vector<Companion>& companions() {
  static const std::vector<Companion> all = {
      {"composed", "libki_kernels_composed.so", "libdnnl-dev and libopenblas-dev"},
      {"torch", "libki_kernels_torch.so", "libtorch-dev"},
  };
  return all;
}

bool serves(const ki_kernel& kernel, const Bound& bound) {
  return kernel.operation == bound.operation->slug && kernel.pass == name_of(bound.pass) &&
         has_word(kernel.dtypes, name_of(bound.dtype));
}

Answer check_constraints(const ki_kernel& kernel, const Bound& bound) {
  for (std::uint32_t i = 0; i < kernel.constraints_count; ++i) {
    const ki_kernel_constraint& rule = kernel.constraints[i];
    const std::int64_t* value = bound.axes.find(rule.axis);
    if (value == nullptr) continue;
    std::string wanted;
    if (rule.minimum > 0 && *value < rule.minimum) {
      wanted = "at least " + std::to_string(rule.minimum);
    } else if (rule.maximum > 0 && *value > rule.maximum) {
      wanted = "at most " + std::to_string(rule.maximum);
    } else if (rule.multiple_of > 0 && *value % rule.multiple_of != 0) {
      wanted = "a multiple of " + std::to_string(rule.multiple_of);
    }
    if (!wanted.empty())
      return {KI_KERNEL_UNSUPPORTED, std::string(rule.axis) + " must be " + wanted};
  }
  return {};
}

Plan& Plan::operator=(Plan&& other) noexcept {
  std::swap(kernel_, other.kernel_);
  std::swap(plan_, other.plan_);
  return *this;
}

Plan::~Plan() {
  if (kernel_ != nullptr && kernel_->release != nullptr) kernel_->release(plan_.state);
}

Answer prepare(const ki_kernel& kernel, const Bound& bound, unsigned threads, Plan& plan) {
  char message[kMessageBytes] = "";
  const auto answer = [&](ki_kernel_status status) {
    message[kMessageBytes - 1] = '\0';
    std::string reason = message;
    if (reason.empty()) reason = std::string(kernel.provider) + " gave no reason";
    return Answer{status, status == KI_KERNEL_OK ? "" : reason};
  };
  if (kernel.available != nullptr) {
    const Answer available = answer(kernel.available(message, sizeof message));
    if (!available.ok()) return available;
  }
  const Answer fits = check_constraints(kernel, bound);
  if (!fits.ok()) return fits;
  const CaseView view(bound, threads);
  Plan made;
  made.plan_.struct_size = sizeof(ki_kernel_plan);
  const Answer prepared = answer(kernel.prepare(&view.get(), &made.plan_, message, sizeof message));
  if (!prepared.ok()) return prepared;
  made.kernel_ = &kernel;
  plan = std::move(made);
  return {};
}

}  // namespace ki::kernels
