#include <algorithm>
#include <cmath>

#include "kernels/folders.h"
#include "kernels/simplex.h"

namespace ki::kernels::sparsemax {

namespace {

// x -> y; dy y -> dx, dy less its mean where y is above zero, else zero. A threshold is taken off
// x, so that the size of what cancels is that of x; and a mean off dy.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto width = static_cast<std::size_t>(context.axes["features"]);
  for (const double value : in[0]) out.sizes[0] = std::fmax(out.sizes[0], std::abs(value));
  if (pass == Pass::backward) {
    out.values[0] = in[0];
    return sparsemax_back(in[1], width, out.values[0]);
  }
  for (std::size_t begin = 0; begin < in[0].size(); begin += width) {
    const auto row = sparsemax_of(&in[0][begin], width);
    std::copy(row.begin(), row.end(), out.values[0].begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

// The least there is: forward the threshold's sum, a difference and a maximum; backward a sum and a
// difference.
double flops(const Axes& axes, Pass pass) {
  const double elements =
      static_cast<double>(axes["tokens"]) * static_cast<double>(axes["features"]);
  return elements * (pass == Pass::forward ? 3 : 2);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "sparsemax",
      .family = "sparsemax",
      .title = "Sparsemax",
      .expression = "y = the point of the probability simplex nearest to x, over features",
      .dtypes = "fp32",
      .inputs = "x:*[tokens,features]",
      .outputs = "y:*[tokens,features]",
      .back_inputs = "dy:*[tokens,features] y",
      .back_outputs = "dx:*[tokens,features]",
      .cases = "liger-4k fp32 tokens=2048 features=4096; liger-32k fp32 tokens=2048 features=32768",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::sparsemax
