#include <algorithm>
#include <cmath>

#include "kernels/folders.h"

namespace ki::kernels::divergence {

namespace {

struct Count {
  explicit Count(const Context& context)
      : tokens(static_cast<double>(context.axes["tokens"])),
        vocab(static_cast<std::size_t>(context.axes["vocab"])) {}
  double tokens;
  std::size_t vocab;
};

// log_probs target_probs -> loss; dloss target_probs -> dlog_probs = -target_probs dloss / tokens.
// A probability of 0 adds nothing.
void kl(const Context& context, Pass pass, const Values& in, Expected& out) {
  const Count count(context);
  if (pass == Pass::backward) {
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      out.values[0][i] = -in[1][i] * in[0][0] / count.tokens;
    }
    return;
  }
  for (std::size_t i = 0; i < in[0].size(); ++i) {
    const double target = in[1][i];
    if (target == 0) continue;
    const double own = target * std::log(target);
    out.values[0][0] += (own - target * in[0][i]) / count.tokens;
    out.sizes[0] += (std::abs(own) + std::abs(target * in[0][i])) / count.tokens;
  }
}

// student_log_probs teacher_log_probs -> loss; dloss and these -> dstudent_log_probs. With q and p
// their exponentials and m the mean of the two, the gradient is q (log q - log m) / 2 for each
// token.
void jsd(const Context& context, Pass pass, const Values& in, Expected& out) {
  const Count count(context);
  const std::size_t first = pass == Pass::forward ? 0 : 1;
  for (std::size_t i = 0; i < in[first].size(); ++i) {
    const double log_q = in[first][i];
    const double log_p = in[first + 1][i];
    const double q = std::exp(log_q);
    const double p = std::exp(log_p);
    const double log_m =
        std::max(log_q, log_p) + std::log((1 + std::exp(-std::abs(log_q - log_p))) / 2);
    if (pass == Pass::forward) {
      out.values[0][0] += (q * (log_q - log_m) + p * (log_p - log_m)) / 2 / count.tokens;
      out.sizes[0] += (q * std::abs(log_q) + p * std::abs(log_p)) / count.tokens;
      continue;
    }
    const double share = in[0][0] / count.tokens / 2;
    out.values[0][i] = q * (log_q - log_m) * share;
    out.sizes[0] = std::max(out.sizes[0], std::abs(q * log_q * share));
  }
}

// p q -> loss; dloss and these -> dp: half the sign of p - q for each token, and 0 where they are
// equal, the middle of what a slope may be there.
void tvd(const Context& context, Pass pass, const Values& in, Expected& out) {
  const Count count(context);
  if (pass == Pass::backward) {
    const double share = in[0][0] / count.tokens / 2;
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      const double apart = in[1][i] - in[2][i];
      out.values[0][i] = apart > 0 ? share : apart < 0 ? -share : 0;
    }
    return;
  }
  for (std::size_t i = 0; i < in[0].size(); ++i) {
    out.values[0][0] += std::abs(in[0][i] - in[1][i]) / 2 / count.tokens;
    out.sizes[0] += (std::abs(in[0][i]) + std::abs(in[1][i])) / 2 / count.tokens;
  }
}

// A logarithm, a difference and a product; of the other also two exponentials and both twice.
double kl_flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["tokens"]) * static_cast<double>(axes["vocab"]);
  return elements * (pass == Pass::forward ? 4 : 1);
}
double jsd_flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["tokens"]) * static_cast<double>(axes["vocab"]);
  return elements * (pass == Pass::forward ? 12 : 8);
}
// The difference, its size and the sum; its sign and the product.
double tvd_flops(const Axes& axes, Pass pass) {
  const double elements = static_cast<double>(axes["tokens"]) * static_cast<double>(axes["vocab"]);
  return elements * (pass == Pass::forward ? 3 : 2);
}

}  // namespace

Operation kl() {
  Operation made = read_operation({
      .slug = "kl-div",
      .family = "kl-divergence",
      .title = "Kullback-Leibler divergence",
      .expression = "loss = sum over vocab of target_probs * (log(target_probs) - log_probs), "
                    "averaged over tokens",
      .inputs = "log_probs:*[tokens,vocab] target_probs:*[tokens,vocab]",
      .outputs = "loss:*fp32[1]",
      .back_inputs = "dloss:*fp32[1] target_probs",
      .back_outputs = "dlog_probs:*[tokens,vocab]",
      .fills = "log_probs log_softmax; target_probs softmax",
      .cases = "liger-32k fp32 tokens=4096 vocab=32768; small fp32 tokens=512 vocab=32768",
  });
  made.reference = kl;
  made.flops = kl_flops;
  return made;
}

Operation jsd() {
  Operation made = read_operation({
      .slug = "jsd",
      .family = "jsd",
      .title = "Jensen-Shannon divergence",
      .expression = "with p = exp(teacher_log_probs), q = exp(student_log_probs) and "
                    "m = (p + q) / 2: loss = (KL(p, m) + KL(q, m)) / 2, averaged over tokens",
      .inputs = "student_log_probs:*[tokens,vocab] teacher_log_probs:*[tokens,vocab]",
      .outputs = "loss:*fp32[1]",
      .back_inputs = "dloss:*fp32[1] student_log_probs teacher_log_probs",
      .back_outputs = "dstudent_log_probs:*[tokens,vocab]",
      .fills = "student_log_probs log_softmax; teacher_log_probs log_softmax",
      .cases = "liger-32k fp32 tokens=4096 vocab=32768; small fp32 tokens=512 vocab=32768",
  });
  made.reference = jsd;
  made.flops = jsd_flops;
  return made;
}

Operation tvd() {
  Operation made = read_operation({
      .slug = "tvd",
      .family = "tvd",
      .title = "Total variation distance",
      .expression = "loss = half the sum over vocab of |p - q|, averaged over tokens",
      .inputs = "p:*[tokens,vocab] q:*[tokens,vocab]",
      .outputs = "loss:*fp32[1]",
      .back_inputs = "dloss:*fp32[1] p q",
      .back_outputs = "dp:*[tokens,vocab]",
      .fills = "p softmax; q softmax",
      .cases = "liger-32k fp32 tokens=4096 vocab=32768; small fp32 tokens=512 vocab=32768",
  });
  made.reference = tvd;
  made.flops = tvd_flops;
  return made;
}

}  // namespace ki::kernels::divergence
