// What an operation computes, without any implementation: its axes, tensors, cost, inputs, float64
// reference and tolerance. One folder of this module per operation; registry.h lists them.
// C++17, free of the other modules, so that nvcc reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ki_kernel.h"

namespace ki::kernels {

using Dtype = ki_kernel_dtype;
std::string_view name_of(Dtype dtype);                 // "bf16"
bool read_dtype(std::string_view name, Dtype& dtype);  // false: no such dtype
std::int64_t size_bytes(Dtype dtype);

enum class Pass { forward, backward, full };
std::string_view name_of(Pass pass);
bool read_pass(std::string_view name, Pass& pass);

// How an input is filled. The value distributions are those of problem.h, chosen by the caller.
enum class Fill {
  value,     // the distribution itself
  near_one,  // 1 + a tenth of it: weights of norms
  scaled,    // over sqrt(axis): weights of products, so that outputs stay of the order of 1
  weight,    // a bell whatever the distribution, over sqrt(axis) if one is named: of what becomes
             // an exponent, of which others would leave one probability of 1, or infinity
  below,     // integers, uniform in [0, axis)
  softmax,   // probabilities: the softmax of the distribution over the last axis
  log_softmax,
  cosine,  // of position * 10000^(-2 (i mod half) / dim), over the last two axes
  sine,
};

struct Argument {
  std::string name;
  std::string dtype;              // "*": the case's
  bool is_open = false;           // the specification says "float" and leaves the type open
  std::vector<std::string> dims;  // axes or numbers; empty = a single number as [1]
  Fill fill = Fill::value;
  std::string axis;  // of `scaled`, `weight` and `below`
};

// "head_dim = hidden // q_heads": the only operators are * and //.
struct DerivedAxis {
  std::string name, left, right;
  char operation = '*';  // '*' or '/'
};

// A value of a case: an axis or a scalar.
struct Setting {
  std::string name;
  double value = 0;
};

struct Case {
  std::string operation;  // slug
  Pass pass = Pass::forward;
  Dtype dtype = KI_KERNEL_FP32;
  std::vector<std::pair<std::string, std::int64_t>> axes;  // all variable axes
  std::vector<Setting> scalars;                            // those not named take their default
};

// Values of every axis, the derived included; KI_CHECKed lookups are the operation's own names.
class Axes {
 public:
  void set(std::string name, std::int64_t value) { values_.emplace_back(std::move(name), value); }
  const std::int64_t* find(std::string_view name) const;
  std::int64_t operator[](std::string_view name) const;  // aborts when there is no such axis
  const std::vector<std::pair<std::string, std::int64_t>>& all() const { return values_; }

 private:
  std::vector<std::pair<std::string, std::int64_t>> values_;
};

// Dense float64 values of tensors, in the operation's order; row-major.
using Values = std::vector<std::vector<double>>;

// What a reference computes.
struct Expected {
  Values values;  // of the outputs; come to the reference sized and zeroed
  // Of each output, the size of the terms it is a sum or difference of, where they may cancel: the
  // rounding of those is what a kernel cannot avoid. Of sums over many rows the root of the sum of
  // squares, since roundings are independent. 0 = nothing cancels.
  std::vector<double> sizes;
};

// The size of sums over rows, one a column: the largest root of `squares`, those of their terms.
double largest_root(const std::vector<double>& squares);

struct Tolerance {
  double relative = 0;  // of each element
  double of_size = 0;   // of the root mean square of the output, or of Expected::sizes if larger
};

// |actual - expected| <= relative * |expected| + absolute, for each element. NaN passes nothing.
struct Allowance {
  double relative = 0;
  double absolute = 0;
};

struct NamedCase {
  std::string name;  // "llama-8b-4k"
  std::vector<std::pair<std::string, std::int64_t>> axes;
  Dtype dtype = KI_KERNEL_FP32;
};

// What a pass computes on.
struct Context {
  const Axes& axes;
  const std::vector<Setting>& scalars;
  double scalar(std::string_view name) const;  // aborts when the operation has none of that name
};

struct Operation {
  std::string slug, family, title;
  std::string expression;         // what is computed, in words and formulas
  std::vector<std::string> axes;  // variable ones, in order of first appearance
  std::vector<DerivedAxis> derived;
  std::vector<Setting> scalars;  // with their defaults
  std::vector<Dtype> dtypes;
  std::vector<Argument> inputs, outputs;  // of the forward pass: the specification's arguments
  std::vector<Argument> tables;           // further inputs of the forward pass (cos and sin)
  std::vector<Argument> back_inputs, back_outputs;  // of the backward pass; empty = it has none
  std::vector<NamedCase> cases;

  // Forward or backward in float64, straight from the expression.
  void (*reference)(const Context& context, Pass pass, const Values& in, Expected& out) = nullptr;
  // Where the forward pass takes part of itself for constant in the backward pass: the forward
  // outputs at `in` with that part from the inputs `fixed`. nullptr = nothing is held.
  void (*held)(const Context& context, const Values& in, const Values& fixed,
               Expected& out) = nullptr;
  // Floating-point operations of forward or backward, a multiply-add as two; nullptr = not counted.
  double (*flops)(const Axes& axes, Pass pass) = nullptr;
  // Of those of the backward pass, what the full pass has from its forward half; nullptr = none.
  double (*recomputed)(const Axes& axes) = nullptr;
  // Bytes that must move, where they are fewer than every tensor once; nullptr = every tensor once.
  double (*bytes)(const Axes& axes, Dtype dtype, Pass pass) = nullptr;
  // Whether the axes fit each other; "" or what is wrong. nullptr = any do.
  std::string (*problem)(const Axes& axes) = nullptr;
  // The tolerance of an output of type `output` in a case of type `dtype`, where an operation needs
  // another; its doc comment says why.
  Tolerance (*tolerance)(Dtype dtype, Dtype output) = nullptr;

  bool has(Pass pass) const { return pass == Pass::forward || !back_outputs.empty(); }
  // Arguments of a pass. `full` takes what both take except what forward makes, and makes both's.
  std::vector<Argument> inputs_of(Pass pass) const;
  std::vector<Argument> outputs_of(Pass pass) const;
};

struct Tensor {
  std::string name;
  Dtype dtype = KI_KERNEL_FP32;
  std::vector<std::int64_t> shape, strides;  // in elements
  std::int64_t elements() const;             // of the shape
  std::int64_t span() const;                 // from the first element to behind the last
  bool is_dense() const { return span() == elements(); }
};

// A case whose shapes are known: what kernels are asked to plan.
struct Bound {
  const Operation* operation = nullptr;
  Pass pass = Pass::forward;
  Dtype dtype = KI_KERNEL_FP32;
  Axes axes;
  std::vector<Setting> scalars;
  std::vector<Tensor> inputs, outputs;

  double bytes() const;  // must move: each input read and each output written once
  double flops() const;  // 0 = not counted
};

inline constexpr std::int64_t kAxisMax = std::int64_t{1} << 32;
inline constexpr double kTensorBytesMax = 1e12;

// Row strides are `padding` elements longer than dense. On failure `problem` says what does not
// fit.
bool bind(const Case& one, Bound& bound, std::string& problem, std::int64_t padding = 0);

// The tolerance of one output type. With u the largest relative
// error of one rounding to the type (2^-8 for bf16, 2^-11 for fp16): kernels compute in fp32 or
// better and round to the output's type once, and may round one intermediate to the storage type as
// eager frameworks and separate passes do, so both parts are 2 u. For fp32, sums of n terms lose
// about sqrt(n) 2^-24 of the size of what they add, and exponentials a few units: 2^-17 and 2e-5.
// Zeros, the input, a stale output or NaN are off by the order of the values themselves, far beyond
// any of these. Integers are exact.
Tolerance tolerance_of(Dtype output);
// The same for a case: the operation's own, where it has one.
Tolerance tolerance_of(const Bound& bound, Dtype output);

// The same for output `index` as a comparison needs it.
Allowance allowance_of(const Bound& bound, const Expected& expected, std::size_t index);

}  // namespace ki::kernels
