#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::rms_norm {

namespace {

// x weight -> y; dy x weight -> dx dweight. With r = 1 / sqrt(mean(x^2) + eps) and g = dy * weight:
// dx = r g - x r^3 mean(g x), and dweight sums dy x r over rows.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto rows = static_cast<std::size_t>(context.axes["rows"]);
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  const double n = static_cast<double>(hidden);
  const bool is_forward = pass == Pass::forward;
  const std::vector<double>& weight = in[is_forward ? 1 : 2];
  std::vector<double> squares_of_dweight(hidden);
  for (std::size_t row = 0; row < rows; ++row) {
    const double* x = &in[is_forward ? 0 : 1][row * hidden];
    double squares = 0;
    for (std::size_t i = 0; i < hidden; ++i) squares += x[i] * x[i];
    const double r = 1 / std::sqrt(squares / n + context.scalar("eps"));
    if (is_forward) {
      for (std::size_t i = 0; i < hidden; ++i)
        out.values[0][row * hidden + i] = x[i] * r * weight[i];
      continue;
    }
    const double* dy = &in[0][row * hidden];
    double dot = 0;
    for (std::size_t i = 0; i < hidden; ++i) dot += dy[i] * weight[i] * x[i];
    for (std::size_t i = 0; i < hidden; ++i) {
      const double direct = r * dy[i] * weight[i];
      out.values[0][row * hidden + i] = direct - x[i] * r * r * r * dot / n;
      out.values[1][i] += dy[i] * x[i] * r;
      out.sizes[0] = std::max(out.sizes[0], std::abs(direct));
      squares_of_dweight[i] += std::pow(dy[i] * x[i] * r, 2);
    }
  }
  if (!is_forward) out.sizes[1] = largest_root(squares_of_dweight);
}

// Forward: square, add, two products; backward: two reductions, and four operations for dx and two
// for dweight.
double flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["rows"]) * static_cast<double>(axes["hidden"]);
  return elements * (pass == Pass::forward ? 4 : 12);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "rms-norm",
      .family = "rmsnorm",
      .title = "RMSNorm",
      .expression = "y = x / sqrt(mean(x^2) + eps) * weight, the mean over hidden",
      .inputs = "x:*[rows,hidden] weight:*[hidden]",
      .outputs = "y:*[rows,hidden]",
      .scalars = "eps=1e-6",
      .back_inputs = "dy:*[rows,hidden] x weight",
      .back_outputs = "dx:*[rows,hidden] dweight:*[hidden]",
      .fills = "weight near_one",
      .cases = "llama-8b bf16 rows=4096 hidden=4096; small bf16 rows=512 hidden=2048; "
               "llama-8b-fp32 fp32 rows=4096 hidden=4096",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::rms_norm
