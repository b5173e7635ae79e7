#include "kernels/case.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/registry.h"

namespace ki::kernels {

namespace {

ki_kernel_tensor view_of(const Tensor& tensor) {
  ki_kernel_tensor view{};
  view.name = tensor.name.c_str();
  view.dtype = tensor.dtype;
  view.rank = static_cast<std::uint32_t>(tensor.shape.size());
  std::copy(tensor.shape.begin(), tensor.shape.end(), view.shape);
  std::copy(tensor.strides.begin(), tensor.strides.end(), view.strides);
  return view;
}

Tensor tensor_of(const ki_kernel_tensor& view) {
  Tensor tensor;
  tensor.name = view.name;
  tensor.dtype = view.dtype;
  tensor.shape.assign(view.shape, view.shape + view.rank);
  tensor.strides.assign(view.strides, view.strides + view.rank);
  return tensor;
}

}  // namespace

CaseView::CaseView(const Bound& bound, unsigned threads) {
  for (const auto& [name, value] : bound.axes.all()) axes_.push_back({name.c_str(), value});
  for (const Setting& one : bound.scalars) scalars_.push_back({one.name.c_str(), one.value});
  for (const Tensor& tensor : bound.inputs) inputs_.push_back(view_of(tensor));
  for (const Tensor& tensor : bound.outputs) outputs_.push_back(view_of(tensor));
  case_.struct_size = sizeof case_;
  case_.threads = threads;
  case_.operation = bound.operation->slug.c_str();
  case_.pass = name_of(bound.pass).data();  // of literals, so ended with NUL
  case_.dtype = bound.dtype;
  case_.axes_count = static_cast<std::uint32_t>(axes_.size());
  case_.scalars_count = static_cast<std::uint32_t>(scalars_.size());
  case_.inputs_count = static_cast<std::uint32_t>(inputs_.size());
  case_.outputs_count = static_cast<std::uint32_t>(outputs_.size());
  case_.axes = axes_.data();
  case_.scalars = scalars_.data();
  case_.inputs = inputs_.data();
  case_.outputs = outputs_.data();
}

bool bound_of(const ki_kernel_case& one, Bound& bound) {
  bound = {};
  bound.operation = find_operation(one.operation);
  if (bound.operation == nullptr || !read_pass(one.pass, bound.pass)) return false;
  bound.dtype = one.dtype;
  for (std::uint32_t i = 0; i < one.axes_count; ++i) {
    bound.axes.set(one.axes[i].name, one.axes[i].value);
  }
  for (std::uint32_t i = 0; i < one.scalars_count; ++i) {
    bound.scalars.push_back({one.scalars[i].name, one.scalars[i].value});
  }
  for (std::uint32_t i = 0; i < one.inputs_count; ++i) {
    bound.inputs.push_back(tensor_of(one.inputs[i]));
  }
  for (std::uint32_t i = 0; i < one.outputs_count; ++i) {
    bound.outputs.push_back(tensor_of(one.outputs[i]));
  }
  return true;
}

void say(char* message, std::size_t message_size, std::string_view text) {
  if (message == nullptr || message_size == 0) return;
  const std::size_t count = std::min(text.size(), message_size - 1);
  std::memcpy(message, text.data(), count);
  message[count] = '\0';
}

}  // namespace ki::kernels
