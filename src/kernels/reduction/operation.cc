#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::reduction {

namespace {

// x -> sums; dsums -> dx, each element the gradient of its row's sum.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto rows = static_cast<std::size_t>(context.axes["rows"]);
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  std::vector<double> squares(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = row * hidden; i < (row + 1) * hidden; ++i) {
      if (pass == Pass::backward) {
        out.values[0][i] = in[0][row];
      } else {
        out.values[0][row] += in[0][i];
        squares[row] += in[0][i] * in[0][i];
      }
    }
  }
  if (pass == Pass::forward) out.sizes[0] = largest_root(squares);
}

double flops(const Axes& axes, Pass pass) {
  return pass == Pass::backward
             ? 0
             : static_cast<double>(axes["rows"]) * static_cast<double>(axes["hidden"]);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "row-sum",
      .family = "reduction",
      .title = "Sum of rows",
      .expression = "sums[r] = sum over hidden of x[r, h], accumulated and returned in fp32",
      .inputs = "x:*[rows,hidden]",
      .outputs = "sums:fp32[rows]",
      .back_inputs = "dsums:fp32[rows]",
      .back_outputs = "dx:*[rows,hidden]",
      .cases = "wide bf16 rows=4096 hidden=4096; wide-fp32 fp32 rows=4096 hidden=4096",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::reduction
