// Arithmetic over axis names, as operations write it in `expression`. Pure and thread-safe.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace ki::manifest {

inline constexpr std::size_t kAxisExpressionBytesMax = 1000;

struct AxisBinding {
  std::string_view name;
  double value = 0;
};

// Evaluates + - * // % and parentheses over whole numbers and bound names, in double arithmetic:
// // is the floor of the quotient, % the remainder with the sign of the dividend, both bind as *
// does, all are left-associative, there is no unary minus. Characters that belong to no token are
// skipped, as the format has it. Dividing by zero gives an infinity or NaN, which no axis accepts.
// Errors: a name that is not bound, a missing ')', an end or operator where a value is due,
// anything left over, more than kAxisExpressionBytesMax bytes.
Result<double> evaluate(std::string_view expression, std::span<const AxisBinding> bindings);

}  // namespace ki::manifest
