#include "kernels/manifest_text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace ki::kernels {

namespace {

// Our own words only: they need no escapes, and this sees to it.
std::string quoted(std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) {
      std::fprintf(stderr, "a text of an operation needs escapes: %.*s\n",
                   static_cast<int>(text.size()), text.data());
      std::abort();
    }
  }
  return "\"" + std::string(text) + "\"";
}

std::string number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

// Members or items with commas between them.
class List {
 public:
  void add(const std::string& item) { text_ += (text_.empty() ? "" : ",") + item; }
  void add(std::string_view key, const std::string& value) { add(quoted(key) + ":" + value); }
  std::string object() const { return "{" + text_ + "}"; }
  std::string array() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

std::string document(std::string_view kind, std::string_view name, std::string_view title,
                     const std::string& spec) {
  List metadata;
  metadata.add("name", quoted(name));
  metadata.add("title", quoted(title));
  List whole;
  whole.add("apiVersion", quoted("kernelindex.dev/v1alpha1"));
  whole.add("kind", quoted(kind));
  whole.add("metadata", metadata.object());
  whole.add("spec", spec);
  return whole.object();
}

std::string argument_text(const Argument& argument) {
  List shape;
  for (const std::string& dim : argument.dims) {
    const bool is_number = dim.find_first_not_of("0123456789") == std::string::npos;
    shape.add(is_number ? dim : quoted(dim));
  }
  List tensor;
  tensor.add("shape", shape.array());
  tensor.add("dtype", quoted(argument.is_open ? "float" : argument.dtype));
  List whole;
  whole.add("name", quoted(argument.name));
  whole.add("tensor", tensor.object());
  return whole.object();
}

std::string axes_text(const Operation& operation) {
  List axes;
  for (const std::string& name : operation.axes) {
    List axis;
    axis.add("role", quoted("variable"));
    axis.add("type", quoted("integer"));
    axes.add(name, axis.object());
  }
  for (const DerivedAxis& derived : operation.derived) {
    List axis;
    axis.add("role", quoted("derived"));
    axis.add("type", quoted("integer"));
    const char* const sign = derived.operation == '/' ? " // " : " * ";
    axis.add("expression", quoted(derived.left + sign + derived.right));
    axes.add(derived.name, axis.object());
  }
  return axes.object();
}

std::string tensor_text(const Tensor& tensor, Distribution distribution) {
  List shape;
  List strides;
  for (const std::int64_t extent : tensor.shape) shape.add(std::to_string(extent));
  for (const std::int64_t stride : tensor.strides) strides.add(std::to_string(stride));
  List data;
  data.add("generator", quoted(name_of(distribution)));
  List whole;
  whole.add("shape", shape.array());
  whole.add("dtype", quoted(name_of(tensor.dtype)));
  if (!tensor.is_dense()) whole.add("strides", strides.array());
  whole.add("data", data.object());
  return whole.object();
}

std::string name_of_case(const Bound& bound) {
  std::string name = bound.operation->slug;
  for (const auto& axis : bound.operation->axes) {
    name += "-" + axis + std::to_string(bound.axes[axis]);
  }
  std::replace(name.begin(), name.end(), '_', '-');
  return name + "-" + std::string(name_of(bound.dtype));
}

}  // namespace

std::string operation_manifest(const Operation& operation) {
  List inputs;
  for (const Argument& argument : operation.inputs) inputs.add(argument_text(argument));
  for (const Setting& scalar : operation.scalars) {
    List type;
    type.add("dtype", quoted("fp32"));
    List whole;
    whole.add("name", quoted(scalar.name));
    whole.add("scalar", type.object());
    inputs.add(whole.object());
  }
  List outputs;
  for (const Argument& argument : operation.outputs) outputs.add(argument_text(argument));
  List semantics;
  semantics.add("expression", quoted(operation.expression));
  semantics.add("mutation", quoted("none"));
  semantics.add("determinism", quoted("unspecified"));
  List spec;
  spec.add("family", quoted(operation.family));
  spec.add("axes", axes_text(operation));
  spec.add("inputs", inputs.array());
  spec.add("outputs", outputs.array());
  spec.add("semantics", semantics.object());
  return document("OperationSpec", operation.slug, operation.title, spec.object());
}

std::string workload_manifest(const Bound& bound, std::string_view operation_digest,
                              Distribution distribution) {
  List axes;
  for (const std::string& name : bound.operation->axes) {
    axes.add(name, std::to_string(bound.axes[name]));
  }
  List tensors;
  for (const Tensor& tensor : bound.inputs) {
    const auto& arguments = bound.operation->inputs;
    const bool is_argument =
        std::any_of(arguments.begin(), arguments.end(),
                    [&](const Argument& argument) { return argument.name == tensor.name; });
    if (is_argument) tensors.add(tensor.name, tensor_text(tensor, distribution));
  }
  List scalars;
  for (const Setting& scalar : bound.scalars) {
    List one;
    one.add("dtype", quoted("fp32"));
    one.add("value", number(scalar.value));
    scalars.add(scalar.name, one.object());
  }
  List correctness;
  correctness.add("comparator", quoted(kComparator));
  correctness.add("maxRelativeError", number(tolerance_of(bound, bound.outputs[0].dtype).relative));
  correctness.add("nanPolicy", quoted("reject"));
  List spec;
  spec.add("operationSpecDigest", quoted(operation_digest));
  spec.add("axes", axes.object());
  spec.add("tensors", tensors.object());
  if (!bound.scalars.empty()) spec.add("scalars", scalars.object());
  spec.add("correctness", correctness.object());
  const std::string name = name_of_case(bound);
  return document("WorkloadCase", name, name, spec.object());
}

}  // namespace ki::kernels
