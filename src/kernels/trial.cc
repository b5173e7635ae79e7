#include "kernels/trial.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace ki::kernels {

namespace {

constexpr std::int64_t kExtents[] = {1,  2,  3,  4,  5,  7,  8,   12,  15, 16,
                                     17, 31, 33, 48, 64, 67, 129, 260, 801};
constexpr double kElementsMax = 40'000;
constexpr double kFlopsMax = 4e6;
constexpr std::uint64_t kWorkspaceAlignment = 64;

bool is_small(const Bound& bound) {
  for (const auto* tensors : {&bound.inputs, &bound.outputs}) {
    for (const Tensor& tensor : *tensors) {
      if (static_cast<double>(tensor.elements()) > kElementsMax) return false;
    }
  }
  return bound.flops() <= kFlopsMax;
}

Bound draw_case(const Operation& operation, Pass pass, std::mt19937_64& random,
                std::int64_t padding, Dtype dtype, std::int64_t least) {
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    Case one{operation.slug, pass, dtype, {}, {}};
    for (const std::string& axis : operation.axes) {
      std::int64_t extent = 0;
      while (extent < least) extent = kExtents[random() % std::size(kExtents)];
      one.axes.emplace_back(axis, extent);
    }
    Bound bound;
    std::string problem;
    if (bind(one, bound, problem, padding) && is_small(bound)) return bound;
  }
  std::abort();  // axes of an operation that no drawn case fits
}

}  // namespace

Trial::Trial(Bound bound, Distribution distribution, std::uint64_t seed, std::size_t offset)
    : bound_(std::move(bound)), distribution_(distribution), seed_(seed) {
  std::vector<void*> data;
  for (const Tensor& tensor : bound_.inputs) {
    data.push_back(inputs_.emplace_back(tensor, offset).data());
    poison(tensor, data.back());
    input_addresses_.push_back(data.back());
  }
  fill_inputs(bound_, distribution, seed, data.data());
  for (std::size_t i = 0; i < data.size(); ++i) {
    input_values_.push_back(load_values(bound_.inputs[i], data[i]));
  }
  for (const Tensor& tensor : bound_.outputs) {
    output_addresses_.push_back(outputs_.emplace_back(tensor, offset).data());
  }
}

void Trial::set_input(std::size_t tensor, std::size_t index, double value) {
  input_values_[tensor][index] = value;
  store_values(bound_.inputs[tensor], input_values_[tensor], inputs_[tensor].data());
}

const Expected& Trial::expected() {
  if (expected_.values.empty()) expected_ = evaluate(bound_, input_values_);
  return expected_;
}

ki_kernel_status Trial::launch(const Plan& plan) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    poison(bound_.outputs[i], outputs_[i].data());
  }
  return relaunch(plan);
}

ki_kernel_status Trial::relaunch(const Plan& plan) {
  workspace_.resize(plan.workspace_bytes() + kWorkspaceAlignment);
  const auto address = reinterpret_cast<std::uintptr_t>(workspace_.data());
  ki_kernel_launch call{};
  call.struct_size = sizeof call;
  call.inputs = input_addresses_.data();
  call.outputs = output_addresses_.data();
  call.workspace = workspace_.data() + (kWorkspaceAlignment - address % kWorkspaceAlignment);
  return plan.launch(call);
}

Values Trial::outputs() const {
  Values values;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    values.push_back(load_values(bound_.outputs[i], outputs_[i].data()));
  }
  return values;
}

std::string Trial::problem() {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor& tensor = bound_.outputs[i];
    const Comparison result = compare(tensor, outputs_[i].data(), expected().values[i],
                                      allowance_of(bound_, expected(), i));
    if (!result.ok()) return result.message;
    if (!is_padding_intact(tensor, outputs_[i].data())) return tensor.name + ": wrote between rows";
    if (!outputs_[i].are_guards_intact()) return tensor.name + ": wrote outside the tensor";
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& tensor = bound_.inputs[i];
    if (load_values(tensor, inputs_[i].data()) != input_values_[i] ||
        !is_padding_intact(tensor, inputs_[i].data()) || !inputs_[i].are_guards_intact()) {
      return tensor.name + ": an input was written";
    }
  }
  return "";
}

std::string Trial::describe() const {
  std::string text = bound_.operation->slug + " " + std::string(name_of(bound_.pass)) + " " +
                     std::string(name_of(bound_.dtype));
  for (const auto& [name, value] : bound_.axes.all()) {
    text += " " + name + "=" + std::to_string(value);
  }
  const bool is_padded = !bound_.inputs.front().is_dense();
  return text + (is_padded ? " padded " : " ") + std::string(name_of(distribution_)) + " seed " +
         std::to_string(seed_);
}

Bound random_case(const Operation& operation, Pass pass, std::mt19937_64& random,
                  std::int64_t padding) {
  const Dtype dtype = operation.dtypes[random() % operation.dtypes.size()];
  return random_case(operation, pass, random, padding, dtype);
}

Bound random_case(const Operation& operation, Pass pass, std::mt19937_64& random,
                  std::int64_t padding, Dtype dtype) {
  return draw_case(operation, pass, random, padding, dtype, 1);
}

Bound telling_case(const Operation& operation, Pass pass, Dtype dtype) {
  std::mt19937_64 random(1);
  return draw_case(operation, pass, random, 0, dtype, 4);
}

}  // namespace ki::kernels
