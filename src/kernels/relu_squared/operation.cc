#include <algorithm>

#include "kernels/folders.h"

namespace ki::kernels::relu_squared {

namespace {

// x -> y; dy x -> dx = 2 max(x, 0) dy.
void reference(const Context&, Pass pass, const Values& in, Expected& out) {
  for (std::size_t i = 0; i < in[0].size(); ++i) {
    const double x = in[pass == Pass::forward ? 0 : 1][i];
    const double above = std::max(x, 0.0);
    out.values[0][i] = pass == Pass::forward ? above * above : 2 * above * in[0][i];
  }
}

double flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["rows"]) * static_cast<double>(axes["hidden"]);
  return elements * (pass == Pass::forward ? 2 : 3);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "relu-squared",
      .family = "relu-squared",
      .title = "Squared ReLU",
      .expression = "y = max(x, 0)^2",
      .inputs = "x:*[rows,hidden]",
      .outputs = "y:*[rows,hidden]",
      .back_inputs = "dy:*[rows,hidden] x",
      .back_outputs = "dx:*[rows,hidden]",
      .cases = "wide bf16 rows=2048 hidden=8192; wide-fp32 fp32 rows=2048 hidden=8192",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::relu_squared
