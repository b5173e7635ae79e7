#include "torch/operations.h"

#include <cmath>
#include <limits>

namespace ki::providers::eager {

namespace {

using at::Tensor;
using Lasts = std::vector<Last>;

Last plain(const Tensor& value) {
  return {[=] { return value; }, [=](Tensor& out) { out.copy_(value); }};
}
Last product(const Tensor& a, const Tensor& b) {
  return {[=] { return a * b; }, [=](Tensor& out) { at::mul_out(out, a, b); }};
}
Last sum(const Tensor& a, const Tensor& b) {
  return {[=] { return a + b; }, [=](Tensor& out) { at::add_out(out, a, b); }};
}
// x weight^T over the last axis of x
Last projected(const Tensor& x, const Tensor& weight) {
  const Tensor turned = weight.t();
  return {[=] { return at::matmul(x, turned); },
          [=](Tensor& out) { at::matmul_out(out, x, turned); }};
}

Lasts gemm(const ki_kernel_case&, const Tensors& in) {
  const Tensor a = in[0];
  const Tensor b = in[1];
  return {{[=] { return at::mm(a, b); }, [=](Tensor& out) { at::mm_out(out, a, b); }}};
}

Lasts batched_gemm(const ki_kernel_case&, const Tensors& in) {
  const Tensor a = in[0];
  const Tensor b = in[1];
  return {{[=] { return at::bmm(a, b); }, [=](Tensor& out) { at::bmm_out(out, a, b); }}};
}

Lasts softmax(const ki_kernel_case&, const Tensors& in) {
  const Tensor x = in[0];
  return {{[=] { return at::softmax(x, -1); },
           [=](Tensor& out) {
             // Into rows with padding this libtorch writes as if there were none.
             if (!out.is_contiguous()) {
               out.copy_(at::softmax(x, -1));
             } else {
               at::_softmax_out(out, x, -1, false);
             }
           }}};
}

Lasts layer_norm(const ki_kernel_case& one, const Tensors& in) {
  return {plain(at::layer_norm(in[0], {in[0].size(-1)}, in[1], in[2], scalar_of(one, "eps")))};
}

Lasts group_norm(const ki_kernel_case& one, const Tensors& in) {
  const std::int64_t groups = in[0].size(1) / axis_of(one, "channels_per_group");
  return {plain(at::group_norm(in[0], groups, in[1], in[2], scalar_of(one, "eps")))};
}

Last rms_norm_of(const Tensor& x, const Tensor& weight, double eps) {
  const Tensor wide = x.to(at::kFloat);
  const Tensor scale = at::rsqrt(wide.pow(2).mean(-1, true) + eps);
  return product(weight, (wide * scale).to(x.scalar_type()));
}

Lasts rms_norm(const ki_kernel_case& one, const Tensors& in) {
  return {rms_norm_of(in[0], in[1], scalar_of(one, "eps"))};
}

Lasts add_rms_norm(const ki_kernel_case& one, const Tensors& in) {
  const Tensor residual = in[0] + in[1];
  return {rms_norm_of(residual, in[2], scalar_of(one, "eps")), plain(residual)};
}

Last rotated(const Tensor& x, const Tensor& cosine, const Tensor& sine) {
  const auto halves = x.chunk(2, -1);
  return sum(x * cosine, at::cat({-halves[1], halves[0]}, -1) * sine);
}

Lasts rope(const ki_kernel_case&, const Tensors& in) {
  return {rotated(in[0], in[2], in[3]), rotated(in[1], in[2], in[3])};
}

Lasts swiglu(const ki_kernel_case&, const Tensors& in) { return {product(at::silu(in[0]), in[1])}; }

Lasts geglu(const ki_kernel_case&, const Tensors& in) {
  return {product(at::gelu(in[0], "tanh"), in[1])};
}

Lasts geglu_mlp(const ki_kernel_case&, const Tensors& in) {
  const Tensor gate = at::gelu(at::matmul(in[0], in[1].t()), "tanh");
  return {projected(gate * at::matmul(in[0], in[2].t()), in[3])};
}

Lasts cross_entropy(const ki_kernel_case&, const Tensors& in) {
  return {plain(at::cross_entropy_loss(in[0].to(at::kFloat), in[1]).reshape({1}))};
}

Lasts linear_cross_entropy(const ki_kernel_case&, const Tensors& in) {
  const Tensor logits = at::matmul(in[0], in[1].t()).to(at::kFloat);
  return {plain(at::cross_entropy_loss(logits, in[2]).reshape({1}))};
}

// Of the tokens that were chosen.
Tensor log_probabilities(const Tensor& x, const Tensor& weight, const Tensor& ids) {
  const Tensor all = at::log_softmax(at::matmul(x, weight.t()).to(at::kFloat), -1);
  return all.gather(-1, ids.unsqueeze(-1)).squeeze(-1);
}

Lasts grpo(const ki_kernel_case&, const Tensors& in) {
  constexpr double kBeta = 0.1;
  constexpr double kClip = 0.2;
  const Tensor policy = log_probabilities(in[0], in[1], in[4]);
  const Tensor other = log_probabilities(in[2], in[3], in[4]).detach();
  const Tensor advantage = in[5].to(at::kFloat).unsqueeze(1);
  const Tensor ratio = at::exp(policy - policy.detach());
  const Tensor clipped = at::clamp(ratio, 1 - kClip, 1 + kClip);
  const Tensor gain = at::minimum(ratio * advantage, clipped * advantage);
  const Tensor away = other - policy;
  return {plain((kBeta * (at::exp(away) - away - 1) - gain).mean().reshape({1}))};
}

// With every pair of positions, those outside the windows masked.
Lasts neighborhood(const ki_kernel_case& one, const Tensors& in) {
  const std::int64_t heads = axis_of(one, "heads");
  const std::int64_t dilation = axis_of(one, "dilation");
  const std::int64_t half = axis_of(one, "kernel_size") / 2;
  const Tensor x = in[0];
  const auto project = [&](std::size_t which) {
    const Tensor all = at::matmul(x, in[which].t()) + in[which + 4];
    return all.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
  };
  const Tensor q = project(1);
  const Tensor k = project(2);
  const Tensor v = project(3);
  const Tensor place = at::arange(x.size(1), at::kLong);
  const Tensor away = (place.unsqueeze(0) - place.unsqueeze(1)).abs();
  const Tensor outside = (away > half * dilation).logical_or(away.remainder(dilation) != 0);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const Tensor scores = at::matmul(q, k.transpose(-2, -1)) * scale;
  const Tensor weights =
      at::softmax(scores.masked_fill(outside, -std::numeric_limits<double>::infinity()), -1);
  const Tensor context = at::matmul(weights, v).transpose(1, 2).reshape(x.sizes());
  return {sum(at::matmul(context, in[4].t()), in[8])};
}

// With the scores of all pairs, as frameworks without a fused kernel do.
Lasts attend(const ki_kernel_case& one, const Tensors& in, bool is_causal) {
  const Tensor& q = in[0];
  const std::int64_t group = axis_of(one, "q_heads") / axis_of(one, "kv_heads");
  const auto shared = [&](const Tensor& of_kv) {
    return group == 1 ? of_kv : of_kv.repeat_interleave(group, 1);
  };
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  Tensor scores = at::matmul(q, shared(in[1]).transpose(-2, -1)) * scale;
  if (is_causal) {
    const std::int64_t seq = q.size(-2);
    const Tensor future = at::ones({seq, seq}, at::TensorOptions().dtype(at::kBool)).triu(1);
    scores = scores.masked_fill(future, -std::numeric_limits<double>::infinity());
  }
  return {plain(at::matmul(at::softmax(scores, -1), shared(in[2])))};
}
Lasts attention(const ki_kernel_case& one, const Tensors& in) { return attend(one, in, false); }
Lasts causal_attention(const ki_kernel_case& one, const Tensors& in) {
  return attend(one, in, true);
}

// Of rows, by sorting, as the paper has it.
Tensor sparsemax(const Tensor& z) {
  const Tensor sorted = std::get<0>(z.sort(-1, true));
  const Tensor sums = sorted.cumsum(-1);
  const Tensor count = at::arange(1, z.size(-1) + 1, z.options());
  const Tensor size = (1 + count * sorted > sums).sum(-1, true);
  const Tensor threshold = (sums.gather(-1, size - 1) - 1) / size.to(z.scalar_type());
  return at::clamp_min(z - threshold, 0);
}

Lasts sparsemax_alone(const ki_kernel_case&, const Tensors& in) {
  return {plain(sparsemax(in[0]))};
}

Lasts sparse_mta(const ki_kernel_case& one, const Tensors& in) {
  const std::int64_t seq = axis_of(one, "seq");
  const Tensor future = at::ones({seq, seq}, at::TensorOptions().dtype(at::kBool)).triu(1);
  const Tensor weights = sparsemax(in[0].masked_fill(future, -1e9));
  const Tensor mixed = at::conv2d(weights, in[1], in[2], 1, axis_of(one, "k") / 2);
  return {plain(mixed.masked_fill(future, 0.0))};
}

}  // namespace

const std::vector<Operation>& operations() {
  constexpr const char* kBoth = "fp32 bf16";
  constexpr const char* kWide = "fp32";
  constexpr const char* kNone = "";
  static const std::vector<Operation> all = {
      {"gemm", kBoth, kBoth, {"m", "n", "k"}, gemm},
      {"batched-gemm", kWide, kWide, {}, batched_gemm},
      {"softmax", kBoth, kBoth, {}, softmax},
      {"layer-norm", kWide, kWide, {}, layer_norm},
      {"group-norm", kWide, kWide, {}, group_norm},
      {"rms-norm", kBoth, kBoth, {}, rms_norm},
      {"fused-add-rms-norm", kBoth, kBoth, {}, add_rms_norm},
      {"rope", kBoth, kBoth, {}, rope},
      {"swiglu", kBoth, kWide, {}, swiglu},
      {"geglu", kWide, kWide, {}, geglu},
      {"geglu-mlp", kBoth, kWide, {"batch", "seq", "hidden", "intermediate"}, geglu_mlp},
      {"cross-entropy", kBoth, kBoth, {}, cross_entropy},
      {"fused-linear-cross-entropy",
       kBoth,
       kBoth,
       {"tokens", "hidden", "vocab"},
       linear_cross_entropy},
      {"fused-linear-grpo-loss-token", kBoth, kBoth, {"batch", "seq", "hidden", "vocab"}, grpo},
      {"fused-neighborhood-attention", kWide, kWide, {}, neighborhood},
      {"sparse-multi-token-attention", kWide, kWide, {}, sparse_mta},
      {"sparsemax", kWide, kWide, {}, sparsemax_alone},
      {"scaled-dot-product-attention", kWide, kNone, {}, attention},
      {"causal-scaled-dot-product-attention", kWide, kNone, {}, causal_attention},
  };
  return all;
}

}  // namespace ki::providers::eager
