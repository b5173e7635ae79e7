#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::softmax {

namespace {

// x -> y; dy y -> dx = y (dy - sum(dy y)).
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto rows = static_cast<std::size_t>(context.axes["rows"]);
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  for (std::size_t row = 0; row < rows; ++row) {
    const double* first = &in[0][row * hidden];
    double* to = &out.values[0][row * hidden];
    if (pass == Pass::forward) {
      const double top = *std::max_element(first, first + hidden);
      double sum = 0;
      for (std::size_t i = 0; i < hidden; ++i) sum += std::exp(first[i] - top);
      for (std::size_t i = 0; i < hidden; ++i) to[i] = std::exp(first[i] - top) / sum;
      continue;
    }
    const double* y = &in[1][row * hidden];
    double dot = 0;
    for (std::size_t i = 0; i < hidden; ++i) dot += first[i] * y[i];
    for (std::size_t i = 0; i < hidden; ++i) {
      to[i] = y[i] * (first[i] - dot);
      out.sizes[0] = std::max(out.sizes[0], std::abs(y[i] * first[i]));
    }
  }
}

// The maximum, the difference, the exponential as one, the sum, the scaling.
double flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["rows"]) * static_cast<double>(axes["hidden"]);
  return elements * (pass == Pass::forward ? 5 : 4);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "softmax",
      .family = "softmax",
      .title = "Softmax",
      .expression = "y = exp(x) / sum(exp(x)), the sum over hidden",
      .inputs = "x:*[rows,hidden]",
      .outputs = "y:*[rows,hidden]",
      .back_inputs = "dy:*[rows,hidden] y",
      .back_outputs = "dx:*[rows,hidden]",
      .cases = "wide bf16 rows=4096 hidden=4096; narrow bf16 rows=65536 hidden=256; "
               "wide-fp32 fp32 rows=4096 hidden=4096",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::softmax
