#include "kernels/problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/number.h"

namespace ki::kernels {

namespace {

constexpr unsigned char kPoison = 0xff;  // all ones: NaN in every floating-point type
constexpr unsigned char kGuard = 0xa5;

constexpr std::pair<Distribution, std::string_view> kDistributions[] = {
    {Distribution::bell, "bell"},
    {Distribution::uniform, "uniform"},
    {Distribution::outliers, "outliers"},
    {Distribution::shifted, "shifted"},
};

// SplitMix64's finaliser: consecutive counters become independent words.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t stream_of(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(seed ^ hash);
}

double bell(std::uint64_t word) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>((word >> (16 * i)) & 0xffffU);
  // Four uniform numbers in [0, 1): mean 2, variance 1/3.
  return ((sum + 2) / 65536 - 2) * std::sqrt(3.0);
}

double draw(Distribution distribution, std::uint64_t word) {
  switch (distribution) {
    case Distribution::bell:
      return bell(word);
    case Distribution::uniform:
      return static_cast<double>(word >> 11) * 0x1p-52 - 1;
    case Distribution::outliers:
      return bell(word) * (mix(word) % 256 == 0 ? 30 : 1);
    case Distribution::shifted:
      return bell(word) + 4;
  }
  std::abort();
}

// Calls `row(offset of its first element, index of its first element in dense order)`.
template <class Row>
void for_each_row(const Tensor& tensor, const Row& row) {
  const std::size_t outer = tensor.shape.size() - 1;
  const std::int64_t width = tensor.shape[outer];
  std::vector<std::int64_t> at(outer, 0);
  const std::int64_t rows = width == 0 ? 0 : tensor.elements() / width;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < outer; ++i) offset += at[i] * tensor.strides[i];
    row(offset, r * width);
    for (std::size_t i = outer; i > 0; --i) {
      if (++at[i - 1] < tensor.shape[i - 1]) break;
      at[i - 1] = 0;
    }
  }
}

template <class T>
T read_as(const void* data, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

template <class T>
void write_as(void* data, std::int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * std::int64_t{sizeof(T)}, &value, sizeof(T));
}

template <class T>
T rounded(double value) {
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  if (!(value > low)) return std::numeric_limits<T>::min();
  return value >= high ? std::numeric_limits<T>::max() : static_cast<T>(std::nearbyint(value));
}

double read_one(Dtype dtype, const void* data, std::int64_t index) {
  switch (dtype) {
    case KI_KERNEL_FP32:
      return static_cast<double>(read_as<float>(data, index));
    case KI_KERNEL_FP64:
      return read_as<double>(data, index);
    case KI_KERNEL_BF16:
      return static_cast<double>(from_bf16(read_as<std::uint16_t>(data, index)));
    case KI_KERNEL_FP16:
      return static_cast<double>(read_as<_Float16>(data, index));
    case KI_KERNEL_INT8:
      return read_as<std::int8_t>(data, index);
    case KI_KERNEL_INT32:
      return read_as<std::int32_t>(data, index);
    case KI_KERNEL_INT64:
      return static_cast<double>(read_as<std::int64_t>(data, index));
  }
  std::abort();
}

// Rounding twice, float64 to fp32 to bf16, moves no value that is itself a rounding of the exact
// one by more than the bf16 spacing allows: inputs are read back, so what counts is what is stored.
void write_one(Dtype dtype, void* data, std::int64_t index, double value) {
  switch (dtype) {
    case KI_KERNEL_FP32:
      return write_as(data, index, static_cast<float>(value));
    case KI_KERNEL_FP64:
      return write_as(data, index, value);
    case KI_KERNEL_BF16:
      return write_as(data, index, to_bf16(static_cast<float>(value)));
    case KI_KERNEL_FP16:
      return write_as(data, index, static_cast<_Float16>(value));
    case KI_KERNEL_INT8:
      return write_as(data, index, rounded<std::int8_t>(value));
    case KI_KERNEL_INT32:
      return write_as(data, index, rounded<std::int32_t>(value));
    case KI_KERNEL_INT64:
      return write_as(data, index, rounded<std::int64_t>(value));
  }
  std::abort();
}

// Rotation angles of position and channel, as every model with base 10000 tabulates them.
double angle_at(const Tensor& tensor, std::int64_t index) {
  const std::int64_t width = tensor.shape.back();
  const std::int64_t half = std::max<std::int64_t>(1, width / 2);
  const auto channel = static_cast<double>((index % width) % half);
  const auto position = static_cast<double>(index / width);
  return position * std::pow(10000.0, -channel / static_cast<double>(half));
}

double fill_value(const Argument& argument, const Bound& bound, const Tensor& tensor,
                  std::int64_t index, Distribution distribution, std::uint64_t word) {
  switch (argument.fill) {
    case Fill::near_one:
      return 1 + draw(distribution, word) / 10;
    case Fill::scaled:
      return draw(distribution, word) / std::sqrt(static_cast<double>(bound.axes[argument.axis]));
    case Fill::weight:
      if (argument.axis.empty()) return bell(word);
      return bell(word) / std::sqrt(static_cast<double>(bound.axes[argument.axis]));
    case Fill::below:
      return static_cast<double>(word % static_cast<std::uint64_t>(bound.axes[argument.axis]));
    case Fill::cosine:
      return std::cos(angle_at(tensor, index));
    case Fill::sine:
      return std::sin(angle_at(tensor, index));
    case Fill::value:
    case Fill::softmax:
    case Fill::log_softmax:
      // Integers of a quantised type: the distribution over its range.
      return draw(distribution, word) * (tensor.dtype == KI_KERNEL_INT8 ? 32 : 1);
  }
  std::abort();
}

void normalise(std::vector<double>& row, bool is_log) {
  const double top = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const double value : row) sum += std::exp(value - top);
  for (double& value : row) {
    value = is_log ? value - top - std::log(sum) : std::exp(value - top) / sum;
  }
}

void fill_one(const Bound& bound, const Argument& argument, const Tensor& tensor,
              Distribution distribution, std::uint64_t seed, void* data) {
  const std::uint64_t stream = stream_of(seed, tensor.name);
  std::vector<double> row(static_cast<std::size_t>(tensor.shape.back()));
  for_each_row(tensor, [&](std::int64_t offset, std::int64_t first) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      row[i] = fill_value(argument, bound, tensor, index, distribution,
                          mix(stream + static_cast<std::uint64_t>(index)));
    }
    if (argument.fill == Fill::softmax) normalise(row, false);
    if (argument.fill == Fill::log_softmax) normalise(row, true);
    for (std::size_t i = 0; i < row.size(); ++i) {
      write_one(tensor.dtype, data, offset + static_cast<std::int64_t>(i), row[i]);
    }
  });
}

// Outputs of the forward pass of a backward case, from inputs of the same seed.
Values made_by_forward(const Bound& bound, Distribution distribution, std::uint64_t seed,
                       Bound& forward) {
  Case one{bound.operation->slug, Pass::forward, bound.dtype, {}, bound.scalars};
  for (const std::string& axis : bound.operation->axes) {
    one.axes.emplace_back(axis, bound.axes[axis]);
  }
  std::string problem;
  if (!bind(one, forward, problem)) std::abort();  // the backward case did bind
  Values inputs;
  std::vector<Buffer> buffers;
  std::vector<void*> data;
  for (const Tensor& tensor : forward.inputs) {
    data.push_back(buffers.emplace_back(tensor).data());
  }
  fill_inputs(forward, distribution, seed, data.data());
  for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
    inputs.push_back(load_values(forward.inputs[i], data[i]));
  }
  return evaluate(forward, inputs).values;
}

std::string describe(const Tensor& tensor, const Comparison& result, double actual,
                     double expected) {
  return tensor.name + ": " + std::to_string(result.wrong) + " of " +
         std::to_string(tensor.elements()) + " elements differ, the first at " +
         std::to_string(result.first) + ": " + std::to_string(actual) + " instead of " +
         std::to_string(expected) + "; worst " + std::to_string(result.worst) +
         " times the tolerance";
}

}  // namespace

std::string_view name_of(Distribution distribution) {
  for (const auto& [one, name] : kDistributions) {
    if (one == distribution) return name;
  }
  std::abort();
}

void fill_inputs(const Bound& bound, Distribution distribution, std::uint64_t seed,
                 void* const* data) {
  const std::vector<Argument> arguments = bound.operation->inputs_of(bound.pass);
  Bound forward;
  Values made;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<Argument>& outputs = bound.operation->outputs;
    const auto output = std::find_if(outputs.begin(), outputs.end(), [&](const Argument& argument) {
      return argument.name == arguments[i].name && bound.pass == Pass::backward;
    });
    if (output == outputs.end()) {
      fill_one(bound, arguments[i], bound.inputs[i], distribution, seed, data[i]);
      continue;
    }
    if (made.empty()) made = made_by_forward(bound, distribution, seed, forward);
    store_values(bound.inputs[i], made[static_cast<std::size_t>(output - outputs.begin())],
                 data[i]);
  }
}

std::vector<double> load_values(const Tensor& tensor, const void* data) {
  std::vector<double> values(static_cast<std::size_t>(tensor.elements()));
  for_each_row(tensor, [&](std::int64_t offset, std::int64_t first) {
    for (std::int64_t i = 0; i < tensor.shape.back(); ++i) {
      values[static_cast<std::size_t>(first + i)] = read_one(tensor.dtype, data, offset + i);
    }
  });
  return values;
}

void store_values(const Tensor& tensor, const std::vector<double>& values, void* data) {
  for_each_row(tensor, [&](std::int64_t offset, std::int64_t first) {
    for (std::int64_t i = 0; i < tensor.shape.back(); ++i) {
      write_one(tensor.dtype, data, offset + i, values[static_cast<std::size_t>(first + i)]);
    }
  });
}

namespace {

Expected sized(const std::vector<Tensor>& tensors, std::size_t begin, std::size_t end) {
  Expected expected;
  for (std::size_t i = begin; i < end; ++i) {
    expected.values.emplace_back(static_cast<std::size_t>(tensors[i].elements()), 0.0);
  }
  expected.sizes.assign(end - begin, 0.0);
  return expected;
}

}  // namespace

Expected evaluate(const Bound& bound, const Values& inputs) {
  const Operation& operation = *bound.operation;
  const Context context{bound.axes, bound.scalars};
  if (bound.pass != Pass::full) {
    Expected outputs = sized(bound.outputs, 0, bound.outputs.size());
    operation.reference(context, bound.pass, inputs, outputs);
    return outputs;
  }
  const auto split = operation.outputs.size();
  Expected forward = sized(bound.outputs, 0, split);
  Expected backward = sized(bound.outputs, split, bound.outputs.size());
  const auto forward_inputs =
      static_cast<std::ptrdiff_t>(operation.inputs_of(Pass::forward).size());
  operation.reference(context, Pass::forward, {inputs.begin(), inputs.begin() + forward_inputs},
                      forward);
  Values back_inputs;
  for (const Argument& argument : operation.inputs_of(Pass::backward)) {
    for (std::size_t i = 0; i < bound.inputs.size(); ++i) {
      if (bound.inputs[i].name == argument.name) back_inputs.push_back(inputs[i]);
    }
    for (std::size_t i = 0; i < split; ++i) {
      if (operation.outputs[i].name == argument.name) back_inputs.push_back(forward.values[i]);
    }
  }
  operation.reference(context, Pass::backward, back_inputs, backward);
  for (std::size_t i = 0; i < backward.values.size(); ++i) {
    forward.values.push_back(std::move(backward.values[i]));
    forward.sizes.push_back(backward.sizes[i]);
  }
  return forward;
}

void poison(const Tensor& tensor, void* data) {
  std::memset(data, kPoison, static_cast<std::size_t>(tensor.span() * size_bytes(tensor.dtype)));
}

bool is_padding_intact(const Tensor& tensor, const void* data) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const std::int64_t size = size_bytes(tensor.dtype);
  std::int64_t end = 0;  // of the row before
  bool intact = true;
  for_each_row(tensor, [&](std::int64_t offset, std::int64_t) {
    intact = intact && std::all_of(bytes + end * size, bytes + offset * size,
                                   [](unsigned char byte) { return byte == kPoison; });
    end = offset + tensor.shape.back();
  });
  return intact;
}

Comparison compare(const Tensor& tensor, const void* data, const std::vector<double>& expected,
                   Allowance allowance) {
  const std::vector<double> actual = load_values(tensor, data);
  Comparison result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double allowed = allowance.relative * std::abs(expected[i]) + allowance.absolute;
    const double off = std::abs(actual[i] - expected[i]);
    // Equal values pass whatever they are, infinities too; NaN passes nothing.
    if (off <= allowed || actual[i] == expected[i]) {
      if (allowed > 0) result.worst = std::max(result.worst, off / allowed);
      continue;
    }
    if (result.first < 0) result.first = static_cast<std::int64_t>(i);
    ++result.wrong;
    const bool is_measure = off >= 0 && allowed > 0;
    result.worst = std::max(result.worst,
                            is_measure ? off / allowed : std::numeric_limits<double>::infinity());
  }
  if (!result.ok()) {
    const auto first = static_cast<std::size_t>(result.first);
    result.message = describe(tensor, result, actual[first], expected[first]);
  }
  return result;
}

void Buffer::Free::operator()(unsigned char* memory) const { std::free(memory); }

Buffer::Buffer(const Tensor& tensor, std::size_t offset)
    : size_bytes_(static_cast<std::size_t>(tensor.span() * kernels::size_bytes(tensor.dtype))),
      offset_bytes_(offset * static_cast<std::size_t>(kernels::size_bytes(tensor.dtype))) {
  const std::size_t whole = (2 * kGuardBytes + size_bytes_ + offset_bytes_ + 63) / 64 * 64;
  memory_.reset(static_cast<unsigned char*>(std::aligned_alloc(64, whole)));
  if (memory_ == nullptr) std::abort();
  std::memset(memory_.get(), kGuard, whole);
}

bool Buffer::are_guards_intact() const {
  const unsigned char* begin = memory_.get();
  const unsigned char* data = begin + kGuardBytes + offset_bytes_;
  const auto is_guard = [](unsigned char byte) { return byte == kGuard; };
  return std::all_of(begin, data, is_guard) &&
         std::all_of(data + size_bytes_, data + size_bytes_ + kGuardBytes - 64, is_guard);
}

}  // namespace ki::kernels
