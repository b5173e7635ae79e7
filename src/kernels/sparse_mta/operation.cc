#include <algorithm>
#include <cmath>

#include "kernels/folders.h"
#include "kernels/simplex.h"

namespace ki::kernels::sparse_mta {

namespace {

struct Shape {
  explicit Shape(const Axes& axes)
      : batch(axes["batch"]),
        in(axes["heads_in"]),
        out(axes["heads_out"]),
        seq(axes["seq"]),
        k(axes["k"]) {}
  std::int64_t batch, in, out, seq, k;
  std::size_t map(std::int64_t heads, std::int64_t b, std::int64_t head, std::int64_t row,
                  std::int64_t column) const {
    return static_cast<std::size_t>(((b * heads + head) * seq + row) * seq + column);
  }
  std::size_t weight(std::int64_t o, std::int64_t c, std::int64_t u, std::int64_t v) const {
    return static_cast<std::size_t>(((o * in + c) * k + u) * k + v);
  }
};

// Calls term(place in p, place in y, place in weight) for each product of the convolution whose p
// is not zero and whose y is not in the future.
template <class Term>
void convolve(const Shape& shape, const std::vector<double>& p, const Term& term) {
  const std::int64_t pad = shape.k / 2;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t c = 0; c < shape.in; ++c) {
      for (std::int64_t row = 0; row < shape.seq; ++row) {
        for (std::int64_t column = 0; column <= row; ++column) {
          const std::size_t from = shape.map(shape.in, b, c, row, column);
          if (p[from] == 0) continue;
          for (std::int64_t o = 0; o < shape.out; ++o) {
            for (std::int64_t u = 0; u < shape.k; ++u) {
              for (std::int64_t v = 0; v < shape.k; ++v) {
                const std::int64_t i = row - u + pad;
                const std::int64_t j = column - v + pad;
                if (i < 0 || i >= shape.seq || j < 0 || j > i) continue;
                term(from, shape.map(shape.out, b, o, i, j), shape.weight(o, c, u, v));
              }
            }
          }
        }
      }
    }
  }
}

// What becomes of a row's scores, and of gradients through that.
enum class Row { sparsemax, softmax };

std::vector<double> softmax_of(const double* scores, std::size_t count) {
  std::vector<double> p(scores, scores + count);
  const double top = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value - top);
  for (double& value : p) value /= sum;
  return p;
}

// Rows of gradients of p become those of the scores: p (g - sum(g p)) up to the row's own place,
// and 0 in the future, whatever stands before it.
void softmax_back(const std::vector<double>& p, std::size_t seq, std::vector<double>& gradients) {
  for (std::size_t row = 0; row < p.size() / seq; ++row) {
    const std::size_t begin = row * seq;
    const std::size_t end = begin + row % seq + 1;
    double mean = 0;
    for (std::size_t i = begin; i < end; ++i) mean += p[i] * gradients[i];
    for (std::size_t i = begin; i < end; ++i) gradients[i] = p[i] * (gradients[i] - mean);
  }
}

std::vector<double> weights_of_maps(const Shape& shape, Row kind,
                                    const std::vector<double>& scores) {
  std::vector<double> p(scores.size());
  for (std::int64_t map = 0; map < shape.batch * shape.in; ++map) {
    for (std::int64_t row = 0; row < shape.seq; ++row) {
      const std::size_t begin = shape.map(1, map, 0, row, 0);
      const std::size_t count = static_cast<std::size_t>(row) + 1;
      const auto values = kind == Row::sparsemax ? sparsemax_of(&scores[begin], count)
                                                 : softmax_of(&scores[begin], count);
      std::copy(values.begin(), values.end(), p.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  }
  return p;
}

// scores weight bias -> y; dy scores weight -> dscores dweight dbias.
template <Row kKind>
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const Shape shape(context.axes);
  const bool is_forward = pass == Pass::forward;
  const std::vector<double> p = weights_of_maps(shape, kKind, in[is_forward ? 0 : 1]);
  const std::vector<double>& weight = in[is_forward ? 1 : 2];
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t o = 0; o < shape.out; ++o) {
      for (std::int64_t row = 0; row < shape.seq; ++row) {
        for (std::int64_t column = 0; column <= row; ++column) {
          const std::size_t at = shape.map(shape.out, b, o, row, column);
          if (is_forward) {
            out.values[0][at] = in[2][static_cast<std::size_t>(o)];
          } else {
            out.values[2][static_cast<std::size_t>(o)] += in[0][at];
          }
        }
      }
    }
  }
  if (is_forward) {
    convolve(shape, p, [&](std::size_t from, std::size_t to, std::size_t of_weight) {
      out.values[0][to] += weight[of_weight] * p[from];
    });
    return;
  }
  convolve(shape, p, [&](std::size_t from, std::size_t to, std::size_t of_weight) {
    out.values[0][from] += weight[of_weight] * in[0][to];
    out.values[1][of_weight] += p[from] * in[0][to];
    out.sizes[0] = std::max(out.sizes[0], std::abs(weight[of_weight] * in[0][to]));
    out.sizes[1] = std::max(out.sizes[1], std::abs(p[from] * in[0][to]));
    out.sizes[2] = std::max(out.sizes[2], std::abs(in[0][to]));
  });
  // Gradients before their mean is taken off.
  for (const double value : out.values[0]) out.sizes[0] = std::max(out.sizes[0], std::abs(value));
  if (kKind == Row::sparsemax) {
    sparsemax_back(p, static_cast<std::size_t>(shape.seq), out.values[0]);
  } else {
    softmax_back(p, static_cast<std::size_t>(shape.seq), out.values[0]);
  }
}

// As if the maps were dense: a product and a sum for each weight and place that is not in the
// future.
double flops(const Axes& axes, Pass pass) {
  const double places = static_cast<double>(axes["seq"]) * static_cast<double>(axes["seq"] + 1) / 2;
  const double weights = static_cast<double>(axes["heads_in"] * axes["heads_out"]) *
                         static_cast<double>(axes["k"] * axes["k"]);
  return 2 * static_cast<double>(axes["batch"]) * places * weights *
         (pass == Pass::forward ? 1 : 2);
}

Operation finished(Operation made,
                   void (*reference)(const Context&, Pass, const Values&, Expected&)) {
  made.reference = reference;
  made.flops = flops;
  made.problem = [](const Axes& axes) -> std::string {
    return axes["k"] % 2 == 1 ? "" : "k must be odd, so that y has the places of scores";
  };
  return made;
}

}  // namespace

Operation operation() {
  return finished(
      read_operation({
          .slug = "sparse-multi-token-attention",
          .family = "multi-token-attention",
          .title = "Sparse multi-token attention",
          .expression =
              "scores of future positions masked out, sparsemax over each row, then a k by k "
              "convolution across heads with weight and bias, then future positions set to 0",
          .dtypes = "fp32",
          .inputs = "scores:*[batch,heads_in,seq,seq] weight:*[heads_out,heads_in,k,k] "
                    "bias:*[heads_out]",
          .outputs = "y:*[batch,heads_out,seq,seq]",
          .back_inputs = "dy:*[batch,heads_out,seq,seq] scores weight",
          .back_outputs = "dscores:*[batch,heads_in,seq,seq] dweight:*[heads_out,heads_in,k,k] "
                          "dbias:*[heads_out]",
          .cases = "seed fp32 batch=2 heads_in=4 seq=64 heads_out=4 k=3; "
                   "large fp32 batch=2 heads_in=4 seq=512 heads_out=4 k=3",
      }),
      reference<Row::sparsemax>);
}

Operation dense() {
  return finished(
      read_operation({
          .slug = "multi-token-attention",
          .family = "multi-token-attention",
          .title = "Multi-token attention",
          .expression =
              "scores of future positions masked out, softmax over each row, then a k by k "
              "convolution across heads with weight and bias, then future positions set to 0",
          .dtypes = "fp32",
          .inputs = "scores:*[batch,heads_in,seq,seq] weight:*[heads_out,heads_in,k,k] "
                    "bias:*[heads_out]",
          .outputs = "y:*[batch,heads_out,seq,seq]",
          .back_inputs = "dy:*[batch,heads_out,seq,seq] scores weight",
          .back_outputs = "dscores:*[batch,heads_in,seq,seq] dweight:*[heads_out,heads_in,k,k] "
                          "dbias:*[heads_out]",
          .cases = "liger fp32 batch=2 heads_in=4 seq=64 heads_out=4 k=3; "
                   "large fp32 batch=2 heads_in=4 seq=512 heads_out=4 k=3",
      }),
      reference<Row::softmax>);
}

}  // namespace ki::kernels::sparse_mta
