#include "kernels/linear_loss.h"

#include <algorithm>
#include <cmath>

#include "kernels/product.h"

namespace ki::kernels {

Logits::Logits(const LinearShape& shape, const std::vector<double>& x,
               const std::vector<double>& weight)
    : vocab(shape.vocab), values(shape.tokens * shape.vocab), log_sums(shape.tokens) {
  size = multiply({x, shape.hidden, 1}, {weight, 1, shape.hidden}, shape.tokens, shape.vocab,
                  shape.hidden, values);
  for (std::size_t token = 0; token < shape.tokens; ++token) {
    const double* row = &values[token * vocab];
    const double top = *std::max_element(row, row + vocab);
    double sum = 0;
    for (std::size_t i = 0; i < vocab; ++i) sum += std::exp(row[i] - top);
    log_sums[token] = top + std::log(sum);
  }
}

void spread_back(const LinearShape& shape, const Logits& logits, const std::vector<double>& targets,
                 const std::vector<TokenGradient>& gradients, const std::vector<double>& x,
                 const std::vector<double>& weight, Expected& out) {
  std::vector<double> dlogits(logits.values.size());
  std::vector<double> sizes(logits.values.size());
  for (std::size_t token = 0; token < shape.tokens; ++token) {
    const auto target = static_cast<std::size_t>(targets[token]);
    for (std::size_t i = 0; i < shape.vocab; ++i) {
      const std::size_t at = token * shape.vocab + i;
      const double p = std::exp(logits.values[at] - logits.log_sums[token]);
      const double one = i == target ? 1 : 0;
      dlogits[at] = gradients[token].scale * (p - one);
      sizes[at] = gradients[token].size * std::max(p, one);
    }
  }
  const std::size_t n = shape.tokens;
  const std::size_t h = shape.hidden;
  const std::size_t v = shape.vocab;
  const double gain = exponent_gain(logits.size);
  multiply({dlogits, v, 1}, {weight, h, 1}, n, h, v, out.values[0]);
  multiply({dlogits, 1, v}, {x, h, 1}, v, h, n, out.values[1]);
  std::vector<double> unused(std::max(n, v) * h);
  out.sizes[0] = multiply({sizes, v, 1}, {weight, h, 1}, n, h, v, unused) * gain;
  out.sizes[1] = multiply({sizes, 1, v}, {x, h, 1}, v, h, n, unused) * gain;
}

Tolerance linear_loss_tolerance(Dtype dtype, Dtype output) {
  if (dtype == KI_KERNEL_BF16 && output == KI_KERNEL_FP32) return {0x1p-8, 0x1p-8};
  return tolerance_of(output);
}

}  // namespace ki::kernels
