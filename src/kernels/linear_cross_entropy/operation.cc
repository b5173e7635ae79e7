#include <algorithm>
#include <cmath>

#include "kernels/folders.h"
#include "kernels/linear_loss.h"

namespace ki::kernels::linear_cross_entropy {

namespace {

// x weight target -> loss; dloss x weight target -> dx dweight.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const LinearShape shape{static_cast<std::size_t>(context.axes["tokens"]),
                          static_cast<std::size_t>(context.axes["hidden"]),
                          static_cast<std::size_t>(context.axes["vocab"])};
  const std::size_t first = pass == Pass::forward ? 0 : 1;
  const Logits logits(shape, in[first], in[first + 1]);
  const std::vector<double>& targets = in[first + 2];
  const double n = static_cast<double>(shape.tokens);
  if (pass == Pass::backward) {
    const double scale = in[0][0] / n;
    const std::vector<TokenGradient> gradients(shape.tokens, {scale, std::abs(scale)});
    return spread_back(shape, logits, targets, gradients, in[1], in[2], out);
  }
  for (std::size_t token = 0; token < shape.tokens; ++token) {
    const double loss = -logits.log_probability(token, targets[token]);
    out.values[0][0] += loss / n;
    out.sizes[0] = std::max({out.sizes[0], std::abs(logits.log_sums[token]), logits.size});
  }
}

double product(const Axes& axes) {
  return 2 * static_cast<double>(axes["tokens"]) * static_cast<double>(axes["hidden"]) *
         static_cast<double>(axes["vocab"]);
}

// The logits; backward the logits again, and a product for each gradient.
double flops(const Axes& axes, Pass pass) {
  return product(axes) * (pass == Pass::forward ? 1 : 3);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "fused-linear-cross-entropy",
      .family = "cross-entropy",
      .title = "Linear layer and cross entropy",
      .expression = "logits = x weight^T; loss = mean over tokens of log(sum(exp(logits))) - "
                    "logits[target]",
      .inputs = "x:*[tokens,hidden] weight:*[vocab,hidden] target:int64[tokens]",
      .outputs = "loss:*fp32[1]",
      .back_inputs = "dloss:*fp32[1] x weight target",
      .back_outputs = "dx:*[tokens,hidden] dweight:*[vocab,hidden]",
      .fills = "weight weight hidden; target below vocab",
      .cases = "small bf16 tokens=256 hidden=512 vocab=8192; "
               "vocab-32k bf16 tokens=1024 hidden=1024 vocab=32064; "
               "llama-3 bf16 tokens=4096 hidden=4096 vocab=128256",
  });
  made.reference = reference;
  made.flops = flops;
  made.recomputed = product;
  made.tolerance = linear_loss_tolerance;
  return made;
}

}  // namespace ki::kernels::linear_cross_entropy
