#include "kernels/folders.h"

namespace ki::kernels::transpose {

namespace {

// x -> y.
void reference(const Context& context, Pass, const Values& in, Expected& out) {
  const auto rows = static_cast<std::size_t>(context.axes["rows"]);
  const auto columns = static_cast<std::size_t>(context.axes["columns"]);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      out.values[0][c * rows + r] = in[0][r * columns + c];
    }
  }
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "transpose",
      .family = "transpose",
      .title = "Transpose",
      .expression = "y[c, r] = x[r, c]",
      .inputs = "x:*[rows,columns]",
      .outputs = "y:*[columns,rows]",
      .cases = "square fp32 rows=4096 columns=4096; square-bf16 bf16 rows=4096 columns=4096",
  });
  made.reference = reference;
  return made;
}

}  // namespace ki::kernels::transpose
