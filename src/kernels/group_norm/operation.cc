#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::group_norm {

namespace {

// x weight bias -> y; dy x weight -> dx dweight dbias. With s = (x - mean) r, r = 1 / sqrt(var +
// eps) of a group and g = dy * weight: dx = r (g - mean(g) - s mean(g s)); dweight and dbias sum
// dy s and dy over batch and hidden. The tolerance is the usual one; sizes count that x r carries
// the rounding of the mean into s, and r once more into dx.
struct Reference {
  Reference(const Context& context, Pass pass, const Values& in, Expected& made)
      : channels(size(context, "channels")),
        hidden(size(context, "hidden")),
        each(size(context, "channels_per_group")),
        eps(context.scalar("eps")),
        is_forward(pass == Pass::forward),
        x(in[is_forward ? 0 : 1]),
        weight(in[is_forward ? 1 : 2]),
        bias(in[2]),
        dy(in[0]),
        out(made) {
    for (std::size_t row = 0; row < size(context, "batch") * channels; row += each) group(row);
    if (is_forward) return;
    for (std::size_t output = 1; output < 3; ++output) {
      out.sizes[output] = largest_root(squares[output - 1]);
    }
  }

  static std::size_t size(const Context& context, std::string_view axis) {
    return static_cast<std::size_t>(context.axes[axis]);
  }

  void widen(double size) { out.sizes[0] = std::max(out.sizes[0], std::abs(size)); }

  // Rows [first, first + each), a row being one channel of one of the batch.
  void group(std::size_t first) {
    const std::size_t begin = first * hidden;
    const std::size_t end = begin + each * hidden;
    const auto n = static_cast<double>(end - begin);
    double mean = 0;
    double variance = 0;
    for (std::size_t i = begin; i < end; ++i) mean += x[i] / n;
    for (std::size_t i = begin; i < end; ++i) variance += (x[i] - mean) * (x[i] - mean) / n;
    const double r = 1 / std::sqrt(variance + eps);
    if (!is_forward) return differentiate(begin, end, mean, r);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t channel = i / hidden % channels;
      out.values[0][i] = (x[i] - mean) * r * weight[channel] + bias[channel];
      widen(x[i] * r);
    }
  }

  void differentiate(std::size_t begin, std::size_t end, double mean, double r) {
    const auto n = static_cast<double>(end - begin);
    double mean_g = 0;
    double mean_gs = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double g = dy[i] * weight[i / hidden % channels];
      mean_g += g / n;
      mean_gs += g * (x[i] - mean) * r / n;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t channel = i / hidden % channels;
      const double g = dy[i] * weight[channel];
      const double s = (x[i] - mean) * r;
      out.values[0][i] = r * (g - mean_g - s * mean_gs);
      out.values[1][channel] += dy[i] * s;
      out.values[2][channel] += dy[i];
      widen(r * g * std::max(1.0, std::abs(x[i] * r)));
      squares[0][channel] += std::pow(dy[i] * std::max(std::abs(s), std::abs(x[i] * r)), 2);
      squares[1][channel] += dy[i] * dy[i];
    }
  }

  std::size_t channels, hidden, each;
  double eps;
  bool is_forward;
  const std::vector<double>&x, &weight, &bias, &dy;
  Expected& out;
  std::vector<double> squares[2] = {std::vector<double>(channels), std::vector<double>(channels)};
};

void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  Reference(context, pass, in, out);
}

// As LayerNorm: forward the mean, the squares, and four for each element; backward twice the
// reductions, and eight operations for the gradients.
double flops(const Axes& axes, Pass pass) {
  const double elements =
      static_cast<double>(axes["batch"] * axes["channels"]) * static_cast<double>(axes["hidden"]);
  return elements * (pass == Pass::forward ? 8 : 18);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "group-norm",
      .family = "groupnorm",
      .title = "GroupNorm",
      .expression = "y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, mean and variance "
                    "over hidden and the channels_per_group channels of a group",
      .inputs = "x:*[batch,channels,hidden] weight:*[channels] bias:*[channels]",
      .outputs = "y:*[batch,channels,hidden]",
      .derived = "groups = channels // channels_per_group",
      .scalars = "eps=1e-6",
      .back_inputs = "dy:*[batch,channels,hidden] x weight",
      .back_outputs = "dx:*[batch,channels,hidden] dweight:*[channels] dbias:*[channels]",
      .fills = "weight near_one",
      .cases = "liger fp32 batch=128 channels=128 hidden=512 channels_per_group=4; "
               "image bf16 batch=8 channels=320 hidden=4096 channels_per_group=10",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::group_norm
