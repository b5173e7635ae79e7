#include <algorithm>
#include <cmath>

#include "kernels/folders.h"
#include "kernels/linear_loss.h"

namespace ki::kernels::grpo {

namespace {

constexpr double kBeta = 0.1;  // of the KL term; fixed by the specification, as is the clipping
constexpr double kClip = 0.2;

LinearShape shape_of(const Axes& axes) {
  return {static_cast<std::size_t>(axes["batch"] * axes["seq"]),
          static_cast<std::size_t>(axes["hidden"]), static_cast<std::size_t>(axes["vocab"])};
}

// The loss at `in` where the old log-probabilities are those at `fixed`. At in == fixed every ratio
// is 1, so that clipping never acts and the loss of a token is -advantage + beta KL, with KL
// estimated as exp(d) - d - 1, d = log(reference / policy).
void held(const Context& context, const Values& in, const Values& fixed, Expected& out) {
  const LinearShape shape = shape_of(context.axes);
  const auto seq = static_cast<std::size_t>(context.axes["seq"]);
  const Logits policy(shape, in[0], in[1]);
  const Logits old(shape, fixed[0], fixed[1]);
  const Logits other(shape, in[2], in[3]);
  const double gain = 1 + policy.size + other.size;  // the errors of exp(d), see exponent_gain
  const double n = static_cast<double>(shape.tokens);
  for (std::size_t token = 0; token < shape.tokens; ++token) {
    const double id = in[4][token];
    const double advantage = in[5][token / seq];
    const double log_policy = policy.log_probability(token, id);
    const double ratio = std::exp(log_policy - old.log_probability(token, id));
    const double clipped = std::clamp(ratio, 1 - kClip, 1 + kClip);
    const double d = other.log_probability(token, id) - log_policy;
    out.values[0][0] +=
        (kBeta * (std::exp(d) - d - 1) - std::min(ratio * advantage, clipped * advantage)) / n;
    out.sizes[0] =
        std::max({out.sizes[0], std::abs(advantage), kBeta * (std::exp(d) + std::abs(d)) * gain});
  }
}

// x weight ref_x ref_weight completion_ids advantages -> loss; dloss and these -> dx dweight. The
// reference model is not trained.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  if (pass == Pass::forward) return held(context, in, in, out);
  const LinearShape shape = shape_of(context.axes);
  const auto seq = static_cast<std::size_t>(context.axes["seq"]);
  const Logits policy(shape, in[1], in[2]);
  const Logits other(shape, in[3], in[4]);
  const double share = in[0][0] / static_cast<double>(shape.tokens);
  std::vector<TokenGradient> gradients;
  for (std::size_t token = 0; token < shape.tokens; ++token) {
    const double id = in[5][token];
    const double advantage = in[6][token / seq];
    const double d = other.log_probability(token, id) - policy.log_probability(token, id);
    const double size = std::abs(advantage) + kBeta + kBeta * std::exp(d) * (1 + other.size);
    gradients.push_back({share * (advantage - kBeta * (1 - std::exp(d))), std::abs(share) * size});
  }
  spread_back(shape, policy, in[5], gradients, in[1], in[2], out);
}

double product(const Axes& axes) {
  return 2 * static_cast<double>(axes["batch"] * axes["seq"]) *
         static_cast<double>(axes["hidden"]) * static_cast<double>(axes["vocab"]);
}

// The logits of both models; backward both again, and a product for each gradient.
double flops(const Axes& axes, Pass pass) {
  return product(axes) * (pass == Pass::forward ? 2 : 4);
}

double recomputed(const Axes& axes) { return 2 * product(axes); }

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "fused-linear-grpo-loss-token",
      .family = "grpo",
      .title = "Linear layer and GRPO loss, ratio by token",
      .expression = "log-softmax of x weight^T at completion_ids; importance ratio of each token "
                    "against the detached policy's own log-probability, clipped at 0.2 on both "
                    "sides, times advantages; plus 0.1 times the KL term against ref_x "
                    "ref_weight^T; summed and divided by the number of tokens in the batch",
      .inputs = "x:*[batch,seq,hidden] weight:*[vocab,hidden] ref_x:*[batch,seq,hidden] "
                "ref_weight:*[vocab,hidden] completion_ids:int64[batch,seq] advantages:*[batch]",
      .outputs = "loss:*fp32[1]",
      .back_inputs = "dloss:*fp32[1] x weight ref_x ref_weight completion_ids advantages",
      .back_outputs = "dx:*[batch,seq,hidden] dweight:*[vocab,hidden]",
      .fills = "x weight; ref_x weight; weight weight hidden; ref_weight weight hidden; "
               "completion_ids below vocab",
      .cases = "small bf16 batch=2 seq=128 hidden=512 vocab=8192; "
               "vocab-32k bf16 batch=4 seq=256 hidden=1024 vocab=32064; "
               "seed bf16 batch=16 seq=1024 hidden=4096 vocab=128256",
  });
  made.reference = reference;
  made.held = held;
  made.flops = flops;
  made.recomputed = recomputed;
  made.tolerance = linear_loss_tolerance;
  return made;
}

}  // namespace ki::kernels::grpo
