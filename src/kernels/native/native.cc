#include "kernels/native/native.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "kernels/case.h"
#include "kernels/native/pool.h"

namespace ki::kernels::native {

namespace {

std::atomic<double> streaming_bytes_min{16e6};

struct State {
  Planned planned;
  const Kernel* kernel = nullptr;
};

std::deque<Kernel>& registered() {
  static std::deque<Kernel> all;
  return all;
}

std::optional<Rows> rows_of(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (tensor.strides.back() != 1) return std::nullopt;
  Rows rows;
  rows.width = static_cast<std::size_t>(tensor.shape.back());
  rows.count = static_cast<std::size_t>(tensor.elements()) / rows.width;
  rows.stride = rank == 1 ? rows.width : static_cast<std::size_t>(tensor.strides[rank - 2]);
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    if (tensor.strides[i] != tensor.strides[i + 1] * tensor.shape[i + 1]) return std::nullopt;
  }
  return rows;
}

bool read_rows(const std::vector<Tensor>& tensors, std::vector<Rows>& rows) {
  for (const Tensor& tensor : tensors) {
    const auto one = rows_of(tensor);
    if (!one) return false;
    rows.push_back(*one);
  }
  return true;
}

const Kernel* find_kernel(const ki_kernel_case& one) {
  const auto& all = registered();
  const auto found = std::ranges::find_if(all, [&](const Kernel& kernel) {
    return std::string_view(kernel.operation) == one.operation && name_of(kernel.pass) == one.pass;
  });
  return found == all.end() ? nullptr : &*found;
}

ki_kernel_status refuse(char* message, std::size_t message_size, const char* why) {
  say(message, message_size, why);
  return KI_KERNEL_UNSUPPORTED;
}

ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                         std::size_t message_size) {
  auto state = std::make_unique<State>();
  Planned& planned = state->planned;
  state->kernel = find_kernel(*one);
  if (state->kernel == nullptr || !bound_of(*one, planned.bound)) {
    return refuse(message, message_size, "no such kernel");
  }
  if (!read_rows(planned.bound.inputs, planned.inputs) ||
      !read_rows(planned.bound.outputs, planned.outputs)) {
    return refuse(message, message_size, "the rows of a tensor are not evenly spaced");
  }
  planned.threads = std::max(1U, one->threads);
  planned.is_streaming = planned.bound.bytes() >= streaming_bytes_min.load();
  if (state->kernel->refusal != nullptr) {
    const char* why = state->kernel->refusal(planned);
    if (*why != '\0') return refuse(message, message_size, why);
  }
  if (state->kernel->workspace_bytes != nullptr) {
    planned.workspace_bytes = state->kernel->workspace_bytes(planned);
  }
  Pool::shared().reserve(planned.threads);
  plan->workspace_bytes = planned.workspace_bytes;
  plan->state = state.release();
  return KI_KERNEL_OK;
}

ki_kernel_status launch(void* state, const ki_kernel_launch* call) {
  const auto& known = *static_cast<const State*>(state);
  known.kernel->launch(known.planned, *call);
  return KI_KERNEL_OK;
}

void release(void* state) { delete static_cast<State*>(state); }

}  // namespace

std::vector<const ki_kernel*> describe(const std::vector<Kernel>& kernels) {
  static std::deque<ki_kernel> descriptions;
  std::vector<const ki_kernel*> list;
  for (const Kernel& kernel : kernels) {
    registered().push_back(kernel);
    ki_kernel& description = descriptions.emplace_back();
    description.struct_size = sizeof description;
    description.provider = "native";
    description.variant = "";
    description.operation = kernel.operation;
    description.pass = name_of(kernel.pass).data();
    description.dtypes = kernel.dtypes;
    description.device = "cpu";
    description.language = "cpp";
    description.prepare = prepare;
    description.launch = launch;
    description.release = release;
    list.push_back(&description);
  }
  return list;
}

double set_streaming_bytes_min(double bytes) { return streaming_bytes_min.exchange(bytes); }

Share share_of(std::size_t count, unsigned part, unsigned parts, std::size_t block) {
  const std::size_t blocks = (count + block - 1) / block;
  return {std::min(count, blocks * part / parts * block),
          std::min(count, blocks * (part + 1) / parts * block)};
}

std::uint64_t sums_workspace(const Planned& planned) {
  return sums_stride(planned.outputs[0].width) * planned.threads * sizeof(float);
}

}  // namespace ki::kernels::native
