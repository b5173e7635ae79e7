// Provider "reference": each operation's float64 definition as a kernel. Slow on purpose.
#include <deque>
#include <memory>
#include <string>

#include "kernels/case.h"
#include "kernels/problem.h"
#include "kernels/registry.h"
#include "kernels/suite.h"

namespace ki::kernels {

namespace {

ki_kernel_status prepare_reference(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                                   std::size_t message_size) {
  auto bound = std::make_unique<Bound>();
  if (!bound_of(*one, *bound)) {
    say(message, message_size, "no such operation");
    return KI_KERNEL_UNSUPPORTED;
  }
  plan->state = bound.release();
  plan->workspace_bytes = 0;
  return KI_KERNEL_OK;
}

// Allocates, against the header's rule: it is never timed for its speed.
ki_kernel_status launch_reference(void* state, const ki_kernel_launch* call) {
  const Bound& bound = *static_cast<const Bound*>(state);
  Values inputs;
  for (std::size_t i = 0; i < bound.inputs.size(); ++i) {
    inputs.push_back(load_values(bound.inputs[i], call->inputs[i]));
  }
  const Values outputs = evaluate(bound, inputs).values;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    store_values(bound.outputs[i], outputs[i], call->outputs[i]);
  }
  return KI_KERNEL_OK;
}

void release_reference(void* state) { delete static_cast<Bound*>(state); }

std::string names_of(const std::vector<Dtype>& dtypes) {
  std::string names;
  for (const Dtype dtype : dtypes)
    names += (names.empty() ? "" : " ") + std::string(name_of(dtype));
  return names;
}

}  // namespace

std::vector<const ki_kernel*> reference_kernels() {
  // Deques: what the descriptions point to must not move, and lives as long as the program.
  static std::deque<std::string> dtypes;
  static std::deque<ki_kernel> kernels;
  std::vector<const ki_kernel*> list;
  for (const Operation& operation : operations()) {
    dtypes.push_back(names_of(operation.dtypes));
    for (const Pass pass : {Pass::forward, Pass::backward, Pass::full}) {
      if (!operation.has(pass)) continue;
      ki_kernel& kernel = kernels.emplace_back();
      kernel.struct_size = sizeof kernel;
      kernel.provider = "reference";
      kernel.variant = "";
      kernel.operation = operation.slug.c_str();
      kernel.pass = name_of(pass).data();
      kernel.dtypes = dtypes.back().c_str();
      kernel.device = "cpu";
      kernel.language = "cpp";
      kernel.prepare = prepare_reference;
      kernel.launch = launch_reference;
      kernel.release = release_reference;
      list.push_back(&kernel);
    }
  }
  return list;
}

}  // namespace ki::kernels
