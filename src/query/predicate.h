// Conditions on axes, as implementations declare them: "16 <= d <= 256 and k % 64 == 0". Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/axis_expression.h"

namespace ki::query {

enum class Truth {
  holds,
  fails,
  open,     // names an axis that is not bound, and the others do not decide it
  not_read  // says something that is not understood: nothing follows from it
};

struct Predicate {
  Truth truth = Truth::not_read;
  std::vector<std::string> open;  // the axes that are not bound, in order, without repetition
};

// Reads and evaluates one, ignoring case. A part of it is
//   a comparison of expressions (manifest/axis_expression.h), also a chain: < <= > >= == = !=, or
//                           the mathematical signs of three of them
//   d in 16..2048           both ends are part of it
//   d in {64, 128}          also [64, 128, 256]; two in square brackets may be the ends or all
//   d divisible by 64       also "is divisible by", "[is] [a] multiple of"
// Parts are joined by "and", "&&", "," or ";" and, weaker, by "or" or "||". One part that is not
// read makes the whole not read: what was meant as "2,048" is not taken as 2.
Predicate evaluate_predicate(std::string_view text,
                             std::span<const manifest::AxisBinding> bindings);

}  // namespace ki::query
