#include <algorithm>
#include <cmath>

#include "kernels/folders.h"
#include "kernels/product.h"

namespace ki::kernels::attention {

namespace {

struct Shape {
  Shape(const Axes& axes, bool causal)
      : is_causal(causal),
        batch(size(axes, "batch")),
        heads(size(axes, "q_heads")),
        kv_heads(size(axes, "kv_heads")),
        queries(size(axes, causal ? "seq" : "queries")),
        keys(size(axes, causal ? "seq" : "keys")),
        width(size(axes, "head_dim")) {}
  static std::size_t size(const Axes& axes, std::string_view name) {
    return static_cast<std::size_t>(axes[name]);
  }
  bool is_causal;
  std::size_t batch, heads, kv_heads, queries, keys, width;
};

// One query's softmax over `count` keys, and with it the sum of their values into `to`. Returns the
// size of the terms of that sum.
double attend(const Shape& shape, const double* query, const double* keys, const double* values,
              std::size_t count, double* to) {
  const double scale = 1 / std::sqrt(static_cast<double>(shape.width));
  std::vector<double> row(count);
  double score_squares = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double* key = keys + j * shape.width;
    double squares = 0;
    for (std::size_t i = 0; i < shape.width; ++i) {
      const double term = query[i] * key[i] * scale;
      row[j] += term;
      squares += term * term;
    }
    score_squares = std::max(score_squares, squares);
  }
  const double top = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& weight : row) sum += weight = std::exp(weight - top);
  std::vector<double> squares(shape.width);
  for (std::size_t j = 0; j < count; ++j) {
    const double* value = values + j * shape.width;
    for (std::size_t i = 0; i < shape.width; ++i) {
      const double term = row[j] / sum * value[i];
      to[i] += term;
      squares[i] += term * term;
    }
  }
  return largest_root(squares) * exponent_gain(std::sqrt(score_squares));
}

// q k v -> y. The tolerance is the usual one, of sums as large as their terms; what an exponential
// makes of rounded scores is counted in that size.
void attend_all(const Shape& shape, const Values& in, Expected& out) {
  for (std::size_t row = 0; row < shape.batch * shape.heads * shape.queries; ++row) {
    const std::size_t head = row / shape.queries;
    const std::size_t of_batch = head / shape.heads * shape.kv_heads;
    const std::size_t kv_head = of_batch + head % shape.heads / (shape.heads / shape.kv_heads);
    const std::size_t first = kv_head * shape.keys * shape.width;
    const std::size_t count = shape.is_causal ? row % shape.queries + 1 : shape.keys;
    const double size = attend(shape, &in[0][row * shape.width], &in[1][first], &in[2][first],
                               count, &out.values[0][row * shape.width]);
    out.sizes[0] = std::max(out.sizes[0], size);
  }
}

// A product and a sum each for the score of a pair and for what it adds to the output.
double flops(const Shape& shape) {
  const auto queries = static_cast<double>(shape.queries);
  const double pairs =
      shape.is_causal ? queries * (queries + 1) / 2 : queries * static_cast<double>(shape.keys);
  return 4 * static_cast<double>(shape.batch * shape.heads) * pairs *
         static_cast<double>(shape.width);
}

}  // namespace

Operation full() {
  Operation made = read_operation({
      .slug = "scaled-dot-product-attention",
      .family = "attention",
      .title = "Scaled dot-product attention",
      .expression = "y = softmax(q k^T / sqrt(head_dim)) v, the softmax over keys; q_heads // "
                    "kv_heads heads of q in a row share a head of k and v",
      .inputs = "q:*[batch,q_heads,queries,head_dim] k:*[batch,kv_heads,keys,head_dim] "
                "v:*[batch,kv_heads,keys,head_dim]",
      .outputs = "y:*[batch,q_heads,queries,head_dim]",
      .derived = "group_size = q_heads // kv_heads",
      .fills = "q weight; k weight",
      .cases = "bert-base fp32 batch=8 q_heads=12 kv_heads=12 queries=512 keys=512 head_dim=64; "
               "bert-base-bf16 bf16 batch=8 q_heads=12 kv_heads=12 queries=512 keys=512 "
               "head_dim=64; "
               "llama-8b-decode bf16 batch=16 q_heads=32 kv_heads=8 queries=1 keys=4096 "
               "head_dim=128",
  });
  made.reference = [](const Context& context, Pass, const Values& in, Expected& out) {
    attend_all(Shape(context.axes, false), in, out);
  };
  made.flops = [](const Axes& axes, Pass) { return flops(Shape(axes, false)); };
  return made;
}

Operation causal() {
  Operation made = read_operation({
      .slug = "causal-scaled-dot-product-attention",
      .family = "attention",
      .title = "Causal scaled dot-product attention",
      .expression = "y = softmax(q k^T / sqrt(head_dim)) v, the softmax over the keys up to the "
                    "query's own position; q_heads // kv_heads heads of q in a row share a head "
                    "of k and v",
      .inputs = "q:*[batch,q_heads,seq,head_dim] k:*[batch,kv_heads,seq,head_dim] "
                "v:*[batch,kv_heads,seq,head_dim]",
      .outputs = "y:*[batch,q_heads,seq,head_dim]",
      .derived = "group_size = q_heads // kv_heads",
      .fills = "q weight; k weight",
      .cases = "llama-8b-1k bf16 batch=1 q_heads=32 kv_heads=8 seq=1024 head_dim=128; "
               "llama-8b-2k bf16 batch=1 q_heads=32 kv_heads=8 seq=2048 head_dim=128; "
               "gpt2-1k fp32 batch=1 q_heads=12 kv_heads=12 seq=1024 head_dim=64",
  });
  made.reference = [](const Context& context, Pass, const Values& in, Expected& out) {
    attend_all(Shape(context.axes, true), in, out);
  };
  made.flops = [](const Axes& axes, Pass) { return flops(Shape(axes, true)); };
  return made;
}

}  // namespace ki::kernels::attention
