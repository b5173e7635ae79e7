// The full pass as a training step has it: the forward kernel, then the backward kernel on its
// outputs.
#include <algorithm>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>

#include "kernels/case.h"
#include "kernels/suite.h"

namespace ki::kernels {

namespace {

struct Pair {
  const ki_kernel* forward = nullptr;
  const ki_kernel* backward = nullptr;
};
std::deque<std::pair<std::string_view, Pair>>& pairs() {
  static std::deque<std::pair<std::string_view, Pair>> all;
  return all;
}

// One of the two kernels within the full case: its tensors, and where their addresses come from.
struct Half {
  const ki_kernel* kernel = nullptr;
  std::vector<ki_kernel_tensor> inputs, outputs;
  std::vector<std::pair<bool, std::size_t>> input_from;  // whether an output of the whole, index
  std::vector<std::size_t> output_from;
  std::vector<const void*> input_addresses;
  std::vector<void*> output_addresses;
  ki_kernel_plan plan{};

  Half() = default;
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;
  ~Half() {
    if (is_planned && kernel->release != nullptr) kernel->release(plan.state);
  }
  bool is_planned = false;
};

struct FullState {
  Half forward, backward;
};

std::size_t index_of(const ki_kernel_tensor* tensors, std::uint32_t count, std::string_view name) {
  const auto* const end = tensors + count;
  return static_cast<std::size_t>(
      std::find_if(tensors, end, [&](const auto& tensor) { return name == tensor.name; }) -
      tensors);
}

ki_kernel_status prepare_half(const ki_kernel_case& whole, Pass pass, Half& half, char* message,
                              std::size_t message_size) {
  Bound bound;
  if (!bound_of(whole, bound)) return KI_KERNEL_UNSUPPORTED;
  for (const Argument& argument : bound.operation->inputs_of(pass)) {
    const std::size_t input = index_of(whole.inputs, whole.inputs_count, argument.name);
    const bool is_made = input == whole.inputs_count;
    const std::size_t index =
        is_made ? index_of(whole.outputs, whole.outputs_count, argument.name) : input;
    half.inputs.push_back(is_made ? whole.outputs[index] : whole.inputs[index]);
    half.input_from.emplace_back(is_made, index);
  }
  for (const Argument& argument : bound.operation->outputs_of(pass)) {
    half.output_from.push_back(index_of(whole.outputs, whole.outputs_count, argument.name));
    half.outputs.push_back(whole.outputs[half.output_from.back()]);
  }
  half.input_addresses.resize(half.inputs.size());
  half.output_addresses.resize(half.outputs.size());
  ki_kernel_case one = whole;
  one.pass = name_of(pass).data();
  one.inputs_count = static_cast<std::uint32_t>(half.inputs.size());
  one.outputs_count = static_cast<std::uint32_t>(half.outputs.size());
  one.inputs = half.inputs.data();
  one.outputs = half.outputs.data();
  half.plan.struct_size = sizeof half.plan;
  const ki_kernel_status status = half.kernel->prepare(&one, &half.plan, message, message_size);
  half.is_planned = status == KI_KERNEL_OK;
  return status;
}

ki_kernel_status prepare_full(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                              std::size_t message_size) {
  const auto known = std::find_if(pairs().begin(), pairs().end(),
                                  [&](const auto& entry) { return entry.first == one->operation; });
  if (known == pairs().end()) return KI_KERNEL_UNSUPPORTED;
  auto state = std::make_unique<FullState>();
  state->forward.kernel = known->second.forward;
  state->backward.kernel = known->second.backward;
  for (const auto& [half, pass] :
       {std::pair(&state->forward, Pass::forward), std::pair(&state->backward, Pass::backward)}) {
    const ki_kernel_status status = prepare_half(*one, pass, *half, message, message_size);
    if (status != KI_KERNEL_OK) return status;
  }
  plan->workspace_bytes =
      std::max(state->forward.plan.workspace_bytes, state->backward.plan.workspace_bytes);
  plan->state = state.release();
  return KI_KERNEL_OK;
}

ki_kernel_status launch_half(Half& half, const ki_kernel_launch& whole) {
  for (std::size_t i = 0; i < half.inputs.size(); ++i) {
    const auto [is_made, index] = half.input_from[i];
    half.input_addresses[i] = is_made ? whole.outputs[index] : whole.inputs[index];
  }
  for (std::size_t i = 0; i < half.outputs.size(); ++i) {
    half.output_addresses[i] = whole.outputs[half.output_from[i]];
  }
  ki_kernel_launch call = whole;
  call.inputs = half.input_addresses.data();
  call.outputs = half.output_addresses.data();
  return half.kernel->launch(half.plan.state, &call);
}

ki_kernel_status launch_full(void* state, const ki_kernel_launch* call) {
  auto& full = *static_cast<FullState*>(state);
  const ki_kernel_status status = launch_half(full.forward, *call);
  return status == KI_KERNEL_OK ? launch_half(full.backward, *call) : status;
}

void release_full(void* state) { delete static_cast<FullState*>(state); }

}  // namespace

std::vector<const ki_kernel*> full_kernels(const std::vector<const ki_kernel*>& kernels) {
  static std::deque<ki_kernel> made;
  std::vector<const ki_kernel*> list;
  for (const ki_kernel* forward : kernels) {
    if (std::string_view(forward->pass) != "forward") continue;
    const bool has_own = std::any_of(kernels.begin(), kernels.end(), [&](const ki_kernel* kernel) {
      return std::string_view(kernel->pass) == "full" &&
             std::string_view(kernel->operation) == forward->operation;
    });
    if (has_own) continue;
    for (const ki_kernel* backward : kernels) {
      if (std::string_view(backward->pass) != "backward" ||
          std::string_view(backward->operation) != forward->operation) {
        continue;
      }
      pairs().emplace_back(forward->operation, Pair{forward, backward});
      ki_kernel& kernel = made.emplace_back(*backward);
      kernel.pass = "full";
      kernel.prepare = prepare_full;
      kernel.launch = launch_full;
      kernel.release = release_full;
      list.push_back(&kernel);
    }
  }
  return list;
}

}  // namespace ki::kernels
