#include "kernels/operation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "kernels/registry.h"

namespace ki::kernels {

namespace {

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  std::int64_t size_bytes;
};
constexpr DtypeRow kDtypes[] = {
    {KI_KERNEL_FP32, "fp32", 4},   {KI_KERNEL_FP64, "fp64", 8}, {KI_KERNEL_BF16, "bf16", 2},
    {KI_KERNEL_FP16, "fp16", 2},   {KI_KERNEL_INT8, "int8", 1}, {KI_KERNEL_INT32, "int32", 4},
    {KI_KERNEL_INT64, "int64", 8},
};

[[noreturn]] void no_such(const char* what, std::string_view name) {
  std::fprintf(stderr, "no %s named %.*s\n", what, static_cast<int>(name.size()), name.data());
  std::abort();
}

const DtypeRow& row_of(Dtype dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) return row;
  }
  no_such("dtype", std::to_string(static_cast<int>(dtype)));
}

bool contains(const std::vector<Argument>& arguments, const std::string& name) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const Argument& argument) { return argument.name == name; });
}

std::vector<Argument> joined(std::vector<Argument> list, const std::vector<Argument>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

std::int64_t extent_of(const Axes& axes, const std::string& dim) {
  const bool is_number = dim.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoll(dim) : axes[dim];
}

bool bind_axes(const Operation& operation, const Case& one, Axes& axes, std::string& problem) {
  for (const std::string& name : operation.axes) {
    const auto given = std::find_if(one.axes.begin(), one.axes.end(),
                                    [&](const auto& axis) { return axis.first == name; });
    if (given == one.axes.end()) {
      problem = "axis " + name + " of " + operation.slug + " is not given";
      return false;
    }
    if (given->second < 1 || given->second > kAxisMax) {
      problem = "axis " + name + " must be 1 to " + std::to_string(kAxisMax);
      return false;
    }
    axes.set(name, given->second);
  }
  for (const auto& [name, value] : one.axes) {
    if (axes.find(name) == nullptr) {
      problem = operation.slug + " has no axis " + name;
      return false;
    }
  }
  for (const DerivedAxis& derived : operation.derived) {
    const std::int64_t left = extent_of(axes, derived.left);
    const std::int64_t right = extent_of(axes, derived.right);
    const bool divides = derived.operation == '/';
    if (divides ? left % right != 0 : left > kAxisMax / right) {
      problem = derived.left + (divides ? " is no multiple of " : " is too large for times ") +
                derived.right;
      return false;
    }
    axes.set(derived.name, divides ? left / right : left * right);
  }
  problem = operation.problem != nullptr ? operation.problem(axes) : "";
  return problem.empty();
}

bool bind_scalars(const Operation& operation, const Case& one, std::vector<Setting>& scalars,
                  std::string& problem) {
  scalars = operation.scalars;
  for (const Setting& given : one.scalars) {
    const auto known = std::find_if(scalars.begin(), scalars.end(), [&](const Setting& scalar) {
      return scalar.name == given.name;
    });
    if (known == scalars.end()) {
      problem = operation.slug + " has no scalar " + given.name;
      return false;
    }
    known->value = given.value;
  }
  return true;
}

bool bind_tensors(const std::vector<Argument>& arguments, const Bound& bound, std::int64_t padding,
                  std::vector<Tensor>& tensors, std::string& problem) {
  for (const Argument& argument : arguments) {
    Tensor tensor;
    tensor.name = argument.name;
    tensor.dtype = bound.dtype;
    if (argument.dtype != "*" && !read_dtype(argument.dtype, tensor.dtype)) {
      no_such("dtype", argument.dtype);
    }
    double bytes = static_cast<double>(size_bytes(tensor.dtype));
    for (const std::string& dim : argument.dims) {
      tensor.shape.push_back(extent_of(bound.axes, dim));
      bytes *= static_cast<double>(tensor.shape.back());
    }
    if (bytes > kTensorBytesMax) {
      problem = "tensor " + argument.name + " would have more than 1e12 bytes";
      return false;
    }
    tensor.strides.assign(tensor.shape.size(), 1);
    for (std::size_t i = tensor.shape.size(); i-- > 1;) {
      const bool is_last = i + 1 == tensor.shape.size();
      tensor.strides[i - 1] = tensor.strides[i] * tensor.shape[i] + (is_last ? padding : 0);
    }
    tensors.push_back(std::move(tensor));
  }
  return true;
}

}  // namespace

std::string_view name_of(Dtype dtype) { return row_of(dtype).name; }
std::int64_t size_bytes(Dtype dtype) { return row_of(dtype).size_bytes; }

bool read_dtype(std::string_view name, Dtype& dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name != name) continue;
    dtype = row.dtype;
    return true;
  }
  return false;
}

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::backward:
      return "backward";
    case Pass::full:
      return "full";
  }
  no_such("pass", std::to_string(static_cast<int>(pass)));
}

bool read_pass(std::string_view name, Pass& pass) {
  for (const Pass one : {Pass::forward, Pass::backward, Pass::full}) {
    if (name_of(one) != name) continue;
    pass = one;
    return true;
  }
  return false;
}

const std::int64_t* Axes::find(std::string_view name) const {
  for (const auto& axis : values_) {
    if (axis.first == name) return &axis.second;
  }
  return nullptr;
}

std::int64_t Axes::operator[](std::string_view name) const {
  const std::int64_t* value = find(name);
  if (value == nullptr) no_such("axis", name);
  return *value;
}

double Context::scalar(std::string_view name) const {
  for (const Setting& one : scalars) {
    if (one.name == name) return one.value;
  }
  no_such("scalar", name);
}

double largest_root(const std::vector<double>& squares) {
  return squares.empty() ? 0 : std::sqrt(*std::max_element(squares.begin(), squares.end()));
}

std::vector<Argument> Operation::inputs_of(Pass pass) const {
  const auto forward = joined(inputs, tables);
  if (pass == Pass::forward) return forward;
  if (pass == Pass::backward) return back_inputs;
  std::vector<Argument> both = forward;
  for (const Argument& argument : back_inputs) {
    if (!contains(both, argument.name) && !contains(outputs, argument.name)) {
      both.push_back(argument);
    }
  }
  return both;
}

std::vector<Argument> Operation::outputs_of(Pass pass) const {
  if (pass == Pass::forward) return outputs;
  return pass == Pass::backward ? back_outputs : joined(outputs, back_outputs);
}

std::int64_t Tensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t Tensor::span() const {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
  return last + 1;
}

double Bound::bytes() const {
  if (operation->bytes != nullptr) {
    if (pass != Pass::full) return operation->bytes(axes, dtype, pass);
    return operation->bytes(axes, dtype, Pass::forward) +
           operation->bytes(axes, dtype, Pass::backward);
  }
  double total = 0;
  for (const auto* tensors : {&inputs, &outputs}) {
    for (const Tensor& tensor : *tensors) {
      total += static_cast<double>(tensor.elements() * size_bytes(tensor.dtype));
    }
  }
  return total;
}

double Bound::flops() const {
  if (operation->flops == nullptr) return 0;
  if (pass != Pass::full) return operation->flops(axes, pass);
  const double again = operation->recomputed == nullptr ? 0 : operation->recomputed(axes);
  return operation->flops(axes, Pass::forward) + operation->flops(axes, Pass::backward) - again;
}

bool bind(const Case& one, Bound& bound, std::string& problem, std::int64_t padding) {
  const Operation* operation = find_operation(one.operation);
  if (operation == nullptr) {
    problem = "no operation " + one.operation;
    return false;
  }
  if (!operation->has(one.pass)) {
    problem = one.operation + " has no " + std::string(name_of(one.pass)) + " pass";
    return false;
  }
  if (std::find(operation->dtypes.begin(), operation->dtypes.end(), one.dtype) ==
      operation->dtypes.end()) {
    problem = one.operation + " is not defined for " + std::string(name_of(one.dtype));
    return false;
  }
  bound = {};
  bound.operation = operation;
  bound.pass = one.pass;
  bound.dtype = one.dtype;
  return bind_axes(*operation, one, bound.axes, problem) &&
         bind_scalars(*operation, one, bound.scalars, problem) &&
         bind_tensors(operation->inputs_of(one.pass), bound, padding, bound.inputs, problem) &&
         bind_tensors(operation->outputs_of(one.pass), bound, padding, bound.outputs, problem);
}

Tolerance tolerance_of(const Bound& bound, Dtype output) {
  const auto own = bound.operation->tolerance;
  return own == nullptr ? tolerance_of(output) : own(bound.dtype, output);
}

Tolerance tolerance_of(Dtype output) {
  switch (output) {
    case KI_KERNEL_BF16:
      return {0x1p-7, 0x1p-7};
    case KI_KERNEL_FP16:
      return {0x1p-10, 0x1p-10};
    case KI_KERNEL_FP32:
      return {0x1p-17, 2e-5};
    case KI_KERNEL_FP64:
      return {1e-12, 1e-12};
    case KI_KERNEL_INT8:
    case KI_KERNEL_INT32:
    case KI_KERNEL_INT64:
      return {};
  }
  no_such("dtype", std::to_string(static_cast<int>(output)));
}

Allowance allowance_of(const Bound& bound, const Expected& expected, std::size_t index) {
  const Tolerance tolerance = tolerance_of(bound, bound.outputs[index].dtype);
  const std::vector<double>& values = expected.values[index];
  double squares = 0;
  for (const double value : values) squares += value * value;
  const double rms = std::sqrt(squares / static_cast<double>(values.size()));
  return {tolerance.relative, tolerance.of_size * std::max(rms, expected.sizes[index])};
}

}  // namespace ki::kernels
