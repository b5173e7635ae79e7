// Binds a row's swept value and configuration to a kernel's axes, type and scalars.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/liger/kernels.h"
#include "json/value.h"

namespace ki::importer::liger {

struct Scalar {
  std::string name;
  std::string dtype;
  double value = 0;
};

using Axes = std::map<std::string, std::int64_t, std::less<>>;

struct Binding {
  Axes axes;          // those of the public signature
  Axes axes_stated;   // mapping distinct: those it leaves out
  std::string dtype;  // the case's float type
  std::vector<Scalar> scalars;
  std::vector<Scalar> scalars_stated;  // mapping distinct
};

enum class Strictness {
  // Members that no rule mentions are ignored, as the public importer does.
  lenient,
  // Every member has to be one we know, for an unknown one may change what is computed.
  strict,
};

// The swept value as a positive whole number, or what is wrong with it.
std::expected<std::int64_t, std::string> read_swept(std::string_view x_value);

// bf16, fp16 or fp32 for the configuration's member "dtype", "" when it is absent or another.
std::string dtype_of(const json::Value& config);

// The binding of the first rule for `x_name`, or why it does not accept the row.
std::expected<Binding, std::string> bind_row(const Kernel& kernel, std::string_view x_name,
                                             std::int64_t swept, const json::Value& config,
                                             Strictness strictness);

// "batch2-k3-bf16": names in the order '_', digits, letters, each with its value; then the type.
std::string case_key(const Axes& axes, std::string_view dtype);

// The value of a derived axis of our table. Requires axes that a rule bound.
std::int64_t derive(std::string_view expression, const Axes& axes);

}  // namespace ki::importer::liger
