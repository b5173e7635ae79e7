#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::layer_norm {

namespace {

// x weight bias -> y; dy x weight -> dx dweight dbias. With s = (x - mean) r, r = 1 / sqrt(var +
// eps) and g = dy * weight: dx = r (g - mean(g) - s mean(g s)); dweight and dbias sum dy s and dy
// over rows.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto rows = static_cast<std::size_t>(context.axes["rows"]);
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  const double n = static_cast<double>(hidden);
  const bool is_forward = pass == Pass::forward;
  const std::vector<double>& weight = in[is_forward ? 1 : 2];
  const auto widen = [&](std::size_t output, double size) {
    out.sizes[output] = std::max(out.sizes[output], std::abs(size));
  };
  std::vector<double> squares_of_dweight(hidden);
  std::vector<double> squares_of_dbias(hidden);
  for (std::size_t row = 0; row < rows; ++row) {
    const double* x = &in[is_forward ? 0 : 1][row * hidden];
    double mean = 0;
    double squares = 0;
    for (std::size_t i = 0; i < hidden; ++i) mean += x[i] / n;
    for (std::size_t i = 0; i < hidden; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double r = 1 / std::sqrt(squares / n + context.scalar("eps"));
    if (is_forward) {
      for (std::size_t i = 0; i < hidden; ++i) {
        out.values[0][row * hidden + i] = (x[i] - mean) * r * weight[i] + in[2][i];
        widen(0, x[i] * r);  // of which the mean is taken
      }
      continue;
    }
    const double* dy = &in[0][row * hidden];
    double mean_g = 0;
    double mean_gs = 0;
    for (std::size_t i = 0; i < hidden; ++i) {
      mean_g += dy[i] * weight[i] / n;
      mean_gs += dy[i] * weight[i] * (x[i] - mean) * r / n;
    }
    for (std::size_t i = 0; i < hidden; ++i) {
      const double s = (x[i] - mean) * r;
      out.values[0][row * hidden + i] = r * (dy[i] * weight[i] - mean_g - s * mean_gs);
      out.values[1][i] += dy[i] * s;
      out.values[2][i] += dy[i];
      // x r carries the rounding of the mean into s, and r once more into dx.
      widen(0, r * dy[i] * weight[i] * std::max(1.0, std::abs(x[i] * r)));
      squares_of_dweight[i] += std::pow(dy[i] * std::max(std::abs(s), std::abs(x[i] * r)), 2);
      squares_of_dbias[i] += dy[i] * dy[i];
    }
  }
  if (is_forward) return;
  out.sizes[1] = largest_root(squares_of_dweight);
  out.sizes[2] = largest_root(squares_of_dbias);
}

// Forward: the mean, the squares, and four for each element; backward twice the reductions, and
// eight operations for the gradients.
double flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["rows"]) * static_cast<double>(axes["hidden"]);
  return elements * (pass == Pass::forward ? 8 : 18);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "layer-norm",
      .family = "layernorm",
      .title = "LayerNorm",
      .expression = "y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, mean and variance "
                    "over hidden",
      .inputs = "x:*[rows,hidden] weight:*[hidden] bias:*[hidden]",
      .outputs = "y:*[rows,hidden]",
      .scalars = "eps=1e-5",
      .back_inputs = "dy:*[rows,hidden] x weight",
      .back_outputs = "dx:*[rows,hidden] dweight:*[hidden] dbias:*[hidden]",
      .fills = "weight near_one",
      .cases = "bert-large bf16 rows=4096 hidden=1024; wide bf16 rows=4096 hidden=4096",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::layer_norm
