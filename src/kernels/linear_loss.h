// Losses of the logits of a linear layer in float64, for references.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/operation.h"

namespace ki::kernels {

struct LinearShape {
  std::size_t tokens, hidden, vocab;
};

// x weight^T with the logarithm of each row's sum of exponentials.
struct Logits {
  Logits(const LinearShape& shape, const std::vector<double>& x, const std::vector<double>& weight);
  double log_probability(std::size_t token, double target) const {
    return values[token * vocab + static_cast<std::size_t>(target)] - log_sums[token];
  }
  std::size_t vocab;
  std::vector<double> values;  // tokens x vocab
  std::vector<double> log_sums;
  double size = 0;  // of the terms of a logit
};

// What a loss does to the logits of one token: scale (softmax - 1 at the target), `size` being that
// of the terms of scale.
struct TokenGradient {
  double scale, size;
};

// dx and dweight from them, into outputs `dx` and `dx + 1`.
void spread_back(const LinearShape& shape, const Logits& logits, const std::vector<double>& targets,
                 const std::vector<TokenGradient>& gradients, const std::vector<double>& x,
                 const std::vector<double>& weight, Expected& out);

// A loss is kept in fp32, but in bf16 kernels may round the logits it is made of, each to 2^-9 of
// itself; those errors are independent and average out.
Tolerance linear_loss_tolerance(Dtype dtype, Dtype output);

}  // namespace ki::kernels
