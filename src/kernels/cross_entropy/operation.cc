#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::cross_entropy {

namespace {

// logits target -> loss; dloss logits target -> dlogits = (softmax - one at target) dloss / tokens.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto tokens = static_cast<std::size_t>(context.axes["tokens"]);
  const auto vocab = static_cast<std::size_t>(context.axes["vocab"]);
  const bool is_forward = pass == Pass::forward;
  const double n = static_cast<double>(tokens);
  for (std::size_t row = 0; row < tokens; ++row) {
    const double* logits = &in[is_forward ? 0 : 1][row * vocab];
    const auto target = static_cast<std::size_t>(in[is_forward ? 1 : 2][row]);
    const double top = *std::max_element(logits, logits + vocab);
    double sum = 0;
    for (std::size_t i = 0; i < vocab; ++i) sum += std::exp(logits[i] - top);
    const double log_sum = top + std::log(sum);
    if (is_forward) {
      out.values[0][0] += (log_sum - logits[target]) / n;
      out.sizes[0] = std::max({out.sizes[0], std::abs(log_sum), std::abs(logits[target])});
      continue;
    }
    for (std::size_t i = 0; i < vocab; ++i) {
      const double one = i == target ? 1 : 0;
      out.values[0][row * vocab + i] = (std::exp(logits[i] - log_sum) - one) * in[0][0] / n;
    }
    out.sizes[0] = std::abs(in[0][0]) / n;  // the probability of a target near 1 cancels
  }
}

// The maximum, the difference, the exponential as one, the sum; backward the scaling besides.
double flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["tokens"]) * static_cast<double>(axes["vocab"]);
  return elements * (pass == Pass::forward ? 4 : 6);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "cross-entropy",
      .family = "cross-entropy",
      .title = "Cross entropy",
      .expression = "loss = mean over tokens of log(sum(exp(logits))) - logits[target]",
      .inputs = "logits:*[tokens,vocab] target:int64[tokens]",
      .outputs = "loss:*fp32[1]",
      .back_inputs = "dloss:*fp32[1] logits target",
      .back_outputs = "dlogits:*[tokens,vocab]",
      .fills = "target below vocab",
      .cases = "llama-3 bf16 tokens=1024 vocab=128256; liger-32k fp32 tokens=4096 vocab=32768",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

}  // namespace ki::kernels::cross_entropy
