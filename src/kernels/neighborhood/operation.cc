#include <algorithm>
#include <cmath>

#include "kernels/folders.h"
#include "kernels/product.h"

namespace ki::kernels::neighborhood {

namespace {

struct Shape {
  explicit Shape(const Axes& axes)
      : seq(axes["seq"]),
        heads(axes["heads"]),
        width(static_cast<std::size_t>(axes["head_dim"])),
        hidden(static_cast<std::size_t>(axes["hidden"])),
        tokens(static_cast<std::size_t>(axes["batch"] * axes["seq"])),
        half(axes["kernel_size"] / 2),
        dilation(axes["dilation"]),
        scale(1 / std::sqrt(static_cast<double>(axes["head_dim"]))) {}
  std::int64_t seq, heads;
  std::size_t width, hidden, tokens;
  std::int64_t half, dilation;
  double scale;

  // Tokens that `token` attends to, by their places in all of the batch.
  std::vector<std::size_t> window(std::size_t token) const {
    const auto at = static_cast<std::int64_t>(token) % seq;
    const auto first = static_cast<std::int64_t>(token) - at;
    std::vector<std::size_t> places;
    for (std::int64_t step = -half; step <= half; ++step) {
      const std::int64_t other = at + step * dilation;
      if (other >= 0 && other < seq) places.push_back(static_cast<std::size_t>(first + other));
    }
    return places;
  }
};

using Numbers = std::vector<double>;

double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

double root_of_terms(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i] * a[i] * b[i];
  return std::sqrt(sum);
}

// tokens x hidden times a transposed weight, plus bias.
Numbers project(const Shape& shape, const Numbers& from, const Numbers& weight,
                const Numbers& bias) {
  Numbers to(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = bias[i % shape.hidden];
  multiply({from, shape.hidden, 1}, {weight, 1, shape.hidden}, shape.tokens, shape.hidden,
           shape.hidden, to);
  return to;
}

// What each head of each token gives to those in its window.
struct Attention {
  Attention(const Shape& shape, const Numbers& q, const Numbers& k, const Numbers& v)
      : context(q.size()) {
    for (std::size_t token = 0; token < shape.tokens; ++token) {
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        add(shape, q, k, v, token, static_cast<std::size_t>(head));
      }
    }
  }

  void add(const Shape& shape, const Numbers& q, const Numbers& k, const Numbers& v,
           std::size_t token, std::size_t head) {
    const std::vector<std::size_t> window = shape.window(token);
    const std::size_t at = token * shape.hidden + head * shape.width;
    Numbers row;
    for (const std::size_t other : window) {
      const double* key = &k[other * shape.hidden + head * shape.width];
      row.push_back(dot(&q[at], key, shape.width) * shape.scale);
      score_size = std::max(score_size, root_of_terms(&q[at], key, shape.width) * shape.scale);
    }
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& value : row) sum += value = std::exp(value - top);
    for (std::size_t n = 0; n < window.size(); ++n) {
      row[n] /= sum;
      const double* value = &v[window[n] * shape.hidden + head * shape.width];
      for (std::size_t i = 0; i < shape.width; ++i) context[at + i] += row[n] * value[i];
    }
    weights.push_back(std::move(row));
  }

  Numbers context;
  std::vector<Numbers> weights;  // of token and head
  double score_size = 0;         // of the terms of a score
};

// Gradients of the projections, and of each the size of the terms before they cancel: a softmax's
// gradient is a difference.
struct Gradients {
  explicit Gradients(std::size_t count)
      : dq(count), dk(count), dv(count), dq_size(count), dk_size(count) {}
  Numbers dq, dk, dv, dq_size, dk_size;
};

void differentiate(const Shape& shape, const Numbers& q, const Numbers& k, const Numbers& v,
                   const Attention& attention, const Numbers& given, std::size_t token,
                   std::size_t head, Gradients& out) {
  const std::vector<std::size_t> window = shape.window(token);
  const std::size_t offset = head * shape.width;
  const std::size_t at = token * shape.hidden + offset;
  const Numbers& p = attention.weights[token * static_cast<std::size_t>(shape.heads) + head];
  Numbers upstream;
  double mean = 0;
  double mean_size = 0;
  for (std::size_t n = 0; n < window.size(); ++n) {
    upstream.push_back(dot(&given[at], &v[window[n] * shape.hidden + offset], shape.width));
    mean += p[n] * upstream[n];
    mean_size += p[n] * std::abs(upstream[n]);
  }
  for (std::size_t n = 0; n < window.size(); ++n) {
    const std::size_t other = window[n] * shape.hidden + offset;
    const double slope = p[n] * (upstream[n] - mean) * shape.scale;
    // What cancels is the difference to the others: a position alone has none.
    const double own = std::abs(upstream[n]);
    const double size = p[n] * ((1 - p[n]) * own + mean_size - p[n] * own) * shape.scale;
    for (std::size_t i = 0; i < shape.width; ++i) {
      out.dq[at + i] += slope * k[other + i];
      out.dk[other + i] += slope * q[at + i];
      out.dv[other + i] += p[n] * given[at + i];
      out.dq_size[at + i] += std::abs(size * k[other + i]);
      out.dk_size[other + i] += std::abs(size * q[at + i]);
    }
  }
}

// The sums of the columns of tokens x hidden; returns the size of the terms.
double sum_columns(const Shape& shape, const Numbers& from, const Numbers& sizes, Numbers& to) {
  Numbers squares(shape.hidden);
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i % shape.hidden] += from[i];
    squares[i % shape.hidden] += sizes[i] * sizes[i];
  }
  return largest_root(squares);
}

void backward(const Shape& shape, const Values& in, Expected& out) {
  const Numbers& dy = in[0];
  const Numbers& x = in[1];
  const Numbers q = project(shape, x, in[2], in[6]);
  const Numbers k = project(shape, x, in[3], in[7]);
  const Numbers v = project(shape, x, in[4], in[8]);
  const Attention attention(shape, q, k, v);
  const std::size_t n = shape.tokens;
  const std::size_t h = shape.hidden;
  const double gain = exponent_gain(attention.score_size);
  Numbers given(x.size());
  multiply({dy, h, 1}, {in[5], h, 1}, n, h, h, given);
  Gradients g(x.size());
  for (std::size_t token = 0; token < n; ++token) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      differentiate(shape, q, k, v, attention, given, token, static_cast<std::size_t>(head), g);
    }
  }
  const Numbers* const gradients[] = {&g.dq, &g.dk, &g.dv};
  const Numbers* const sizes[] = {&g.dq_size, &g.dk_size, &g.dv};
  Numbers unused(std::max(n, h) * h);
  for (std::size_t i = 0; i < 3; ++i) {
    multiply({*gradients[i], h, 1}, {in[2 + i], h, 1}, n, h, h, out.values[0]);
    const double of_x = multiply({*sizes[i], h, 1}, {in[2 + i], h, 1}, n, h, h, unused);
    out.sizes[0] = std::max(out.sizes[0], of_x * gain);
    multiply({*gradients[i], 1, h}, {x, h, 1}, h, h, n, out.values[1 + i]);
    out.sizes[1 + i] = multiply({*sizes[i], 1, h}, {x, h, 1}, h, h, n, unused) * gain;
  }
  out.sizes[5] = sum_columns(shape, g.dq, g.dq_size, out.values[5]) * gain;
  out.sizes[6] = sum_columns(shape, g.dv, g.dv, out.values[6]) * gain;
  out.sizes[4] = multiply({dy, 1, h}, {attention.context, h, 1}, h, h, n, out.values[4]) * gain;
  out.sizes[7] = sum_columns(shape, dy, dy, out.values[7]);
}

// hidden_states q_weight k_weight v_weight out_weight q_bias k_bias v_bias out_bias -> y;
// dy and all of these but out_bias -> the gradients of all but k_bias, which adds the same to every
// score of a softmax and so has the gradient 0. A score is q k / sqrt(head_dim).
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const Shape shape(context.axes);
  if (pass == Pass::backward) return backward(shape, in, out);
  const Attention attention(shape, project(shape, in[0], in[1], in[5]),
                            project(shape, in[0], in[2], in[6]),
                            project(shape, in[0], in[3], in[7]));
  out.values[0] = project(shape, attention.context, in[4], in[8]);
  Numbers unused(out.values[0].size());
  out.sizes[0] = multiply({attention.context, shape.hidden, 1}, {in[4], 1, shape.hidden},
                          shape.tokens, shape.hidden, shape.hidden, unused) *
                 exponent_gain(attention.score_size);
}

double projection(const Axes& axes) {
  return 2 * static_cast<double>(axes["batch"] * axes["seq"]) *
         static_cast<double>(axes["hidden"]) * static_cast<double>(axes["hidden"]);
}

// Scores and contexts: a product and a sum each for every pair in a window, as if none were cut.
double attending(const Axes& axes) {
  return 4 * static_cast<double>(axes["batch"] * axes["seq"]) *
         static_cast<double>(axes["hidden"]) * static_cast<double>(axes["kernel_size"]);
}

// Four projections forward. Backward three of them again, one for the gradient of the context,
// three for that of the input and four for the weights; the attention again and twice as much.
double flops(const Axes& axes, Pass pass) {
  if (pass == Pass::forward) return 4 * projection(axes) + attending(axes);
  return 11 * projection(axes) + 3 * attending(axes);
}

double recomputed(const Axes& axes) { return 3 * projection(axes) + attending(axes); }

std::string problem(const Axes& axes) {
  if (axes["kernel_size"] % 2 == 0) return "kernel_size must be odd, so that windows have a middle";
  if (axes["kernel_size"] > 1024) return "kernel_size must be at most 1024";
  const bool reaches = axes["dilation"] == 1 || axes["dilation"] < axes["seq"];
  return reaches ? "" : "dilation must be 1 or below seq: no window would reach another position";
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "fused-neighborhood-attention",
      .family = "neighborhood-attention",
      .title = "Neighborhood attention",
      .expression =
          "q, k and v projected from hidden_states with bias; each position attends, by a softmax, "
          "to the kernel_size positions around it at multiples of dilation, windows cut off at the "
          "ends of the sequence; then the output projection with bias",
      .inputs = "hidden_states:*[batch,seq,hidden] q_weight:*[hidden,hidden] "
                "k_weight:*[hidden,hidden] v_weight:*[hidden,hidden] out_weight:*[hidden,hidden] "
                "q_bias:*[hidden] k_bias:*[hidden] v_bias:*[hidden] out_bias:*[hidden]",
      .outputs = "y:*[batch,seq,hidden]",
      .derived = "head_dim = hidden // heads",
      .further_axes = "kernel_size dilation",
      .back_inputs = "dy:*[batch,seq,hidden] hidden_states q_weight k_weight v_weight out_weight "
                     "q_bias k_bias v_bias",
      .back_outputs =
          "dhidden_states:*[batch,seq,hidden] dq_weight:*[hidden,hidden] "
          "dk_weight:*[hidden,hidden] dv_weight:*[hidden,hidden] dout_weight:*[hidden,hidden] "
          "dq_bias:*[hidden] dv_bias:*[hidden] dout_bias:*[hidden]",
      .fills = "q_weight weight hidden; k_weight weight hidden; v_weight weight hidden; "
               "out_weight weight hidden",
      .cases = "seq-512 fp32 batch=1 seq=512 hidden=768 heads=12 kernel_size=7 dilation=1; "
               "seed fp32 batch=4 seq=2048 hidden=768 heads=12 kernel_size=7 dilation=1; "
               "dilated bf16 batch=1 seq=2048 hidden=768 heads=12 kernel_size=13 dilation=4",
  });
  made.reference = reference;
  made.flops = flops;
  made.recomputed = recomputed;
  made.tolerance = chain_tolerance;
  made.problem = problem;
  return made;
}

}  // namespace ki::kernels::neighborhood
