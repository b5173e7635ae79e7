#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::add_rms_norm {

namespace {

// x residual weight -> y sum; dy dsum sum weight -> dx dweight, with sum the second output. The
// gradient of residual is that of x. As in RMSNorm, with dsum passed through.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto rows = static_cast<std::size_t>(context.axes["rows"]);
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  const double n = static_cast<double>(hidden);
  const bool is_forward = pass == Pass::forward;
  const std::vector<double>& weight = in[is_forward ? 2 : 3];
  std::vector<double> x(hidden);
  std::vector<double> squares_of_dweight(hidden);
  for (std::size_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (std::size_t i = 0; i < hidden; ++i) {
      const std::size_t at = row * hidden + i;
      x[i] = is_forward ? in[0][at] + in[1][at] : in[2][at];
      squares += x[i] * x[i];
    }
    const double r = 1 / std::sqrt(squares / n + context.scalar("eps"));
    if (is_forward) {
      for (std::size_t i = 0; i < hidden; ++i) {
        const std::size_t at = row * hidden + i;
        out.values[0][at] = x[i] * r * weight[i];
        out.values[1][at] = x[i];
        // The sum may cancel, and what is left is then scaled up.
        const double terms = std::max(std::abs(in[0][at]), std::abs(in[1][at]));
        out.sizes[0] = std::max(out.sizes[0], terms * r);
        out.sizes[1] = std::max(out.sizes[1], terms);
      }
      continue;
    }
    const double* dy = &in[0][row * hidden];
    double dot = 0;
    for (std::size_t i = 0; i < hidden; ++i) dot += dy[i] * weight[i] * x[i];
    for (std::size_t i = 0; i < hidden; ++i) {
      const std::size_t at = row * hidden + i;
      const double direct = r * dy[i] * weight[i];
      out.values[0][at] = in[1][at] + direct - x[i] * r * r * r * dot / n;
      out.values[1][i] += dy[i] * x[i] * r;
      out.sizes[0] = std::max(out.sizes[0], std::abs(direct));
      squares_of_dweight[i] += std::pow(dy[i] * x[i] * r, 2);
    }
  }
  if (!is_forward) out.sizes[1] = largest_root(squares_of_dweight);
}

// RMSNorm's, and an addition in each pass.
double flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["rows"]) * static_cast<double>(axes["hidden"]);
  return elements * (pass == Pass::forward ? 5 : 13);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "fused-add-rms-norm",
      .family = "rmsnorm",
      .title = "Residual add and RMSNorm",
      .expression = "residual_out = x + residual; y = residual_out / "
                    "sqrt(mean(residual_out^2) + eps) * weight, the mean over hidden",
      .inputs = "x:*[rows,hidden] residual:*[rows,hidden] weight:*[hidden]",
      .outputs = "y:*[rows,hidden] residual_out:*[rows,hidden]",
      .scalars = "eps=1e-6",
      .back_inputs = "dy:*[rows,hidden] dresidual_out:*[rows,hidden] residual_out weight",
      .back_outputs = "dx:*[rows,hidden] dweight:*[hidden]",
      .fills = "weight near_one",
      .cases = "llama-8b bf16 rows=4096 hidden=4096; small bf16 rows=512 hidden=2048",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::add_rms_norm
