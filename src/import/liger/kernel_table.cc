#include "import/liger/kernel_table.h"

#include <vector>

namespace ki::importer::liger {

namespace {

constexpr std::string_view kMlpInputs =
    "x:*[batch,seq,hidden] w_gate:*[intermediate,hidden] w_up:*[intermediate,hidden] "
    "w_down:*[hidden,intermediate]";
constexpr std::string_view kSwigluMlp =
    "y = (silu(x w_gate^T) * (x w_up^T)) w_down^T with silu(z) = z / (1 + exp(-z))";
constexpr std::string_view kGegluMlp =
    "y = (gelu(x w_gate^T) * (x w_up^T)) w_down^T with gelu(z) = "
    "z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))";
constexpr std::string_view kDistillInputs =
    "student_input:*[tokens,student_hidden] student_weight:*[vocab,student_hidden] "
    "teacher_input:*[tokens,hidden] teacher_weight:*[vocab,hidden] target:int64[tokens]";
constexpr std::string_view kDistillRule =
    "BT: tokens=@ hidden=H vocab=V; dtype; equals bias false; even hidden; "
    "number weight_hard_loss; number weight_soft_loss";
constexpr std::string_view kPreferenceInputs =
    "x:*[batch,seq,hidden] weight:*[vocab,hidden] target:int64[batch,seq]";
constexpr std::string_view kPreferenceRule = "B: batch=@ seq=T hidden=H vocab=V; dtype";
constexpr std::string_view kRopeRules =
    "T: seq=@ hidden=hidden_size q_heads=num_q_heads kv_heads=num_kv_heads; dtype; "
    "divides q_heads hidden\n"
    "H: seq=seq_len hidden=@ q_heads=num_q_heads kv_heads=num_kv_heads; dtype; "
    "divides q_heads hidden\n"
    "*: seq=seq_len hidden=hidden_size q_heads=num_q_heads kv_heads=num_kv_heads; dtype; "
    "divides q_heads hidden";
constexpr std::string_view kMtaInputs =
    "scores:*[batch,heads_in,seq,seq] weight:*[heads_out,heads_in,k,k] bias:*[heads_out]";
constexpr std::string_view kMtaRule =
    "L: batch=B heads_in=C_in heads_out=C_out seq=@ k=K; dtype; equals groups 1; "
    "equals bias true";
constexpr std::string_view kGrpoInputs =
    "logits:*[batch,seq_next,vocab] completion_ids:int64[batch,seq] advantages:*[batch]";
constexpr std::string_view kGrpoInputsStated =
    "x:*[batch,seq,hidden] weight:*[vocab,hidden] ref_x:*[batch,seq,hidden] "
    "ref_weight:*[vocab,hidden] completion_ids:int64[batch,seq] advantages:*[batch]";

constexpr KernelText kNorms[] = {
    {.name = "rms_norm",
     .public_slug = "liger-rms-norm",
     .slug = "rms-norm",
     .family = "rmsnorm",
     .title = "RMSNorm",
     .inputs = "x:*[rows,hidden] weight:*[hidden]",
     .outputs = "y:*[rows,hidden]",
     .rules = "H,N: rows=M hidden=@; dtype; positive eps",
     .expression = "y = x / sqrt(mean(x^2) + eps) * weight, the mean over hidden"},
    {.name = "fused_add_rms_norm",
     .public_slug = "liger-fused-add-rms-norm",
     .slug = "fused-add-rms-norm",
     .family = "rmsnorm",
     .title = "Residual add and RMSNorm",
     .inputs = "x:*[rows,hidden] residual:*[rows,hidden] weight:*[hidden]",
     .outputs = "y:*[rows,hidden] residual_out:*[rows,hidden]",
     .rules = "H,N: rows=M hidden=@; dtype; positive eps",
     .expression = "residual_out = x + residual; y = residual_out / "
                   "sqrt(mean(residual_out^2) + eps) * weight, the mean over hidden"},
    {.name = "layer_norm",
     .public_slug = "liger-layer-norm",
     .slug = "layer-norm",
     .family = "layernorm",
     .title = "LayerNorm",
     .inputs = "x:*[rows,hidden] weight:*[hidden] bias:*[hidden]",
     .outputs = "y:*[rows,hidden]",
     .rules = "H,N: rows=M hidden=@; dtype; positive eps",
     .expression = "y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, mean and variance "
                   "over hidden"},
    {.name = "softmax",
     .public_slug = "liger-softmax",
     .slug = "softmax",
     .family = "softmax",
     .title = "Softmax",
     .inputs = "x:*[rows,hidden]",
     .outputs = "y:*[rows,hidden]",
     .rules = "H,N: rows=M hidden=@; dtype",
     .expression = "y = exp(x) / sum(exp(x)), the sum over hidden"},
};

constexpr KernelText kFirstLosses[] = {
    {.name = "cross_entropy",
     .public_slug = "liger-cross-entropy",
     .slug = "cross-entropy",
     .family = "cross-entropy",
     .title = "Cross entropy",
     .inputs = "logits:*[tokens,vocab] target:int64[tokens]",
     .outputs = "loss:*[1]",
     .rules = "V: tokens=B*T vocab=@; fixed fp32",
     .expression = "loss = mean over tokens of log(sum(exp(logits))) - logits[target]"},
    {.name = "jsd",
     .public_slug = "liger-jsd",
     .slug = "jsd",
     .family = "jsd",
     .title = "Jensen-Shannon divergence",
     .inputs = "student_log_probs:*[tokens,vocab] teacher_log_probs:*[tokens,vocab]",
     .outputs = "loss:*[1]",
     .rules = "V: tokens=B*T vocab=@; fixed fp32\n"
              "BT: tokens=@ vocab=vocab_size; fixed fp32",
     .expression = "with p = exp(teacher_log_probs), q = exp(student_log_probs) and "
                   "m = (p + q) / 2: loss = (KL(p, m) + KL(q, m)) / 2, averaged over tokens",
     .ignored = "bsz seq_len"},
    {.name = "embedding",
     .public_slug = "liger-embedding",
     .slug = "embedding",
     .family = "embedding",
     .title = "Embedding",
     .inputs = "input_ids:int64[batch,seq] weight:*[vocab,hidden]",
     .outputs = "y:*[batch,seq,hidden]",
     .rules = "V: batch=B seq=T hidden=D vocab=@; dtype",
     .expression = "y[b, s] = weight[input_ids[b, s]]"},
    {.name = "rope",
     .public_slug = "liger-rope",
     .slug = "rope",
     .family = "rope",
     .title = "Rotary position embedding",
     .inputs = "q:*[1,q_heads,seq,head_dim] k:*[1,kv_heads,seq,head_dim]",
     .outputs = "q_out:*[1,q_heads,seq,head_dim] k_out:*[1,kv_heads,seq,head_dim]",
     .derived = "head_dim = hidden // q_heads",
     .rules = kRopeRules,
     .expression = "half-split rotation: with the halves (a, b) of each head's vector in q and k, "
                   "out = (a cos - b sin, b cos + a sin), cos and sin given as tables over "
                   "position and channel; a backward pass starts from the gradient of q_out only"},
};

constexpr KernelText kActivations[] = {
    {.name = "swiglu",
     .public_slug = "liger-swiglu",
     .slug = "swiglu-mlp",
     .family = "swiglu",
     .title = "SwiGLU MLP",
     .inputs = kMlpInputs,
     .outputs = "y:*[batch,seq,hidden]",
     .rules = "T: batch=B seq=@ hidden=hidden_size intermediate=intermediate_size; dtype; "
              "equals hidden_act \"silu\"",
     .expression = kSwigluMlp},
    {.name = "geglu",
     .public_slug = "liger-geglu",
     .slug = "geglu-mlp",
     .family = "geglu",
     .title = "GeGLU MLP",
     .inputs = kMlpInputs,
     .outputs = "y:*[batch,seq,hidden]",
     .rules = "T: batch=bsz seq=@ hidden=hidden_size intermediate=intermediate_size; dtype; "
              "equals hidden_act \"gelu_pytorch_tanh\"",
     .expression = kGegluMlp},
    {.name = "relu_squared",
     .public_slug = "liger-relu-squared",
     .slug = "relu-squared",
     .family = "relu-squared",
     .title = "Squared ReLU",
     .inputs = "x:*[rows,hidden]",
     .outputs = "y:*[rows,hidden]",
     .rules = "N: rows=M hidden=@; dtype",
     .expression = "y = max(x, 0)^2"},
    {.name = "group_norm",
     .public_slug = "liger-group-norm",
     .slug = "group-norm",
     .family = "groupnorm",
     .title = "GroupNorm",
     .inputs = "x:*[batch,channels,hidden] weight:*[channels] bias:*[channels]",
     .outputs = "y:*[batch,channels,hidden]",
     .derived = "groups = channels // channels_per_group",
     .rules = "C: batch=M channels=@ hidden=H channels_per_group=channels_per_group; dtype; "
              "positive eps; divides channels_per_group channels",
     .expression = "y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, mean and variance "
                   "over hidden and the channels_per_group channels of a group"},
    {.name = "sparsemax",
     .public_slug = "liger-sparsemax",
     .slug = "sparsemax",
     .family = "sparsemax",
     .title = "Sparsemax",
     .inputs = "x:*[tokens,features]",
     .outputs = "y:*[tokens,features]",
     .rules = "V: tokens=B*T features=@; dtype; equals dim -1",
     .expression = "y = the point of the probability simplex nearest to x, over features"},
    {.name = "llama4_rope",
     .public_slug = "liger-llama4-rope",
     .slug = "llama4-rope",
     .family = "rope",
     .title = "Llama 4 rotary position embedding",
     .inputs = "q:*[1,seq,q_heads,head_dim] k:*[1,seq,kv_heads,head_dim]",
     .outputs = "q_out:*[1,seq,q_heads,head_dim] k_out:*[1,seq,kv_heads,head_dim]",
     .derived = "head_dim = hidden // q_heads",
     .rules = kRopeRules,
     .expression = "Llama 4's rotation: neighbouring channels of each head in q and k, read as "
                   "complex numbers, times a unit complex factor by position and channel"},
};

constexpr KernelText kMegatronAndMoe[] = {
    {.name = "megatron_rms_norm",
     .public_slug = "liger-megatron-rms-norm",
     .slug = "megatron-rms-norm",
     .family = "rmsnorm",
     .title = "RMSNorm in Megatron's layout",
     .inputs = "x:*[seq,batch,hidden] weight:*[hidden]",
     .outputs = "y:*[seq,batch,hidden]",
     .rules = "H: seq=S batch=B hidden=@; fixed bf16; scalar eps 0.000001",
     .expression = "y = x / sqrt(mean(x^2) + eps) * weight, the mean over hidden"},
    {.name = "megatron_swiglu",
     .public_slug = "liger-megatron-swiglu",
     .slug = "megatron-swiglu",
     .family = "swiglu",
     .title = "SwiGLU activation in Megatron's layout",
     .inputs = "y:*[seq,batch,ffn_double]",
     .outputs = "out:*[seq,batch,ffn]",
     .derived = "ffn_double = ffn * 2",
     .rules = "ffn_local: seq=S batch=B ffn=@; fixed bf16",
     .expression = "out = silu(a) * b with y = (a, b) in halves along the last axis and "
                   "silu(z) = z / (1 + exp(-z))"},
    {.name = "megatron_cross_entropy",
     .public_slug = "liger-megatron-cross-entropy",
     .slug = "megatron-cross-entropy",
     .family = "cross-entropy",
     .title = "Cross entropy over a split vocabulary in Megatron's layout",
     .inputs = "logits:*[seq,batch,vocab] target:int64[seq,batch]",
     .outputs = "loss:fp32[seq,batch]",
     .rules = "V: seq=S batch=B vocab=@; fixed bf16; equals TP 1",
     .expression = "loss[s, b] = log(sum(exp(logits))) - logits[target], with the whole "
                   "vocabulary on one device"},
    {.name = "fused_moe",
     .public_slug = "liger-fused-moe",
     .slug = "fused-moe",
     .family = "moe",
     .title = "Mixture-of-experts MLP",
     .inputs = "x:*[tokens,hidden] gate_up_proj:*[experts,intermediate_double,hidden] "
               "down_proj:*[experts,hidden,intermediate] top_k_index:int32[tokens,k] "
               "top_k_weights:*[tokens,k]",
     .outputs = "y:*[tokens,hidden]",
     .derived = "intermediate_double = intermediate * 2",
     .rules = "T: tokens=@ hidden=H intermediate=intermediate_dim experts=E k=K; dtype\n"
              "E: tokens=T hidden=H intermediate=intermediate_dim experts=@ k=K; dtype",
     .expression = "y[t] = sum over j of top_k_weights[t, j] * down_proj[e] (act(g) * u) with "
                   "e = top_k_index[t, j] and (g, u) = gate_up_proj[e] x[t]; the source's table "
                   "does not name act",
     .ignored = "sweep_dim"},
};

constexpr KernelText kAttention[] = {
    {.name = "fused_neighborhood_attention",
     .public_slug = "liger-fused-neighborhood-attention",
     .slug = "fused-neighborhood-attention",
     .family = "neighborhood-attention",
     .title = "Neighborhood attention",
     .inputs = "hidden_states:*[batch,seq,hidden] q_weight:*[hidden,hidden] "
               "k_weight:*[hidden,hidden] v_weight:*[hidden,hidden] out_weight:*[hidden,hidden] "
               "q_bias:*[hidden] k_bias:*[hidden] v_bias:*[hidden] out_bias:*[hidden]",
     .outputs = "y:*[batch,seq,hidden]",
     .derived = "head_dim = hidden // heads",
     .rules = "seq_len: batch=batch_size seq=@ hidden=hidden_size heads=num_heads "
              "kernel_size=kernel_size dilation=dilation; dtype; equals bias true; "
              "divides heads hidden",
     .expression = "q, k and v projected from hidden_states with bias; each position attends, by "
                   "a softmax, to the kernel_size positions around it at multiples of dilation, "
                   "windows cut off at the ends of the sequence; then the output projection with "
                   "bias"},
    {.name = "multi_token_attention",
     .public_slug = "liger-multi-token-attention",
     .slug = "multi-token-attention",
     .family = "multi-token-attention",
     .title = "Multi-token attention",
     .inputs = kMtaInputs,
     .outputs = "y:*[batch,heads_out,seq,seq]",
     .rules = kMtaRule,
     .expression = "scores of future positions masked out, softmax over each row, then a k by k "
                   "convolution across heads with weight and bias, then future positions set to 0"},
    {.name = "sparse_multi_token_attention",
     .public_slug = "liger-sparse-multi-token-attention",
     .slug = "sparse-multi-token-attention",
     .family = "multi-token-attention",
     .title = "Sparse multi-token attention",
     .inputs = kMtaInputs,
     .outputs = "y:*[batch,heads_out,seq,seq]",
     .rules = kMtaRule,
     .expression = "scores of future positions masked out, sparsemax over each row, then a k by k "
                   "convolution across heads with weight and bias, then future positions set to 0"},
    {.name = "tiled_swiglu",
     .public_slug = "liger-tiled-swiglu",
     .slug = "swiglu-mlp",
     .family = "swiglu",
     .title = "SwiGLU MLP",
     .inputs = kMlpInputs,
     .outputs = "y:*[batch,seq,hidden]",
     .rules = "T: batch=bsz seq=@ hidden=hidden_size intermediate=intermediate_size; dtype; "
              "equals hidden_act \"silu\"",
     .expression = kSwigluMlp,
     .ignored = "activation_type num_shards"},
    {.name = "tiled_geglu",
     .public_slug = "liger-tiled-geglu",
     .slug = "geglu-mlp",
     .family = "geglu",
     .title = "GeGLU MLP",
     .inputs = kMlpInputs,
     .outputs = "y:*[batch,seq,hidden]",
     .rules = "T: batch=bsz seq=@ hidden=hidden_size intermediate=intermediate_size; dtype; "
              "equals hidden_act \"gelu_pytorch_tanh\"",
     .expression = kGegluMlp,
     .ignored = "activation_type num_shards"},
};

constexpr KernelText kFusedLosses[] = {
    {.name = "kl_div",
     .public_slug = "liger-kl-div",
     .slug = "kl-div",
     .family = "kl-divergence",
     .title = "Kullback-Leibler divergence",
     .inputs = "log_probs:*[tokens,vocab] target_probs:*[tokens,vocab]",
     .outputs = "loss:*[1]",
     .rules = "V: tokens=B*T vocab=@; fixed fp32",
     .expression = "loss = sum over vocab of target_probs * (log(target_probs) - log_probs), "
                   "averaged over tokens"},
    {.name = "tvd",
     .public_slug = "liger-tvd",
     .slug = "tvd",
     .family = "tvd",
     .title = "Total variation distance",
     .inputs = "p:*[tokens,vocab] q:*[tokens,vocab]",
     .outputs = "loss:*[1]",
     .rules = "V: tokens=B*T vocab=@; fixed fp32",
     .expression = "loss = half the sum over vocab of |p - q|, averaged over tokens"},
    {.name = "fused_linear_cross_entropy",
     .public_slug = "liger-fused-linear-cross-entropy",
     .slug = "fused-linear-cross-entropy",
     .family = "cross-entropy",
     .title = "Linear layer and cross entropy",
     .inputs = "x:*[tokens,hidden] weight:*[vocab,hidden] target:int64[tokens]",
     .outputs = "loss:*[1]",
     .rules = "BT: tokens=@ hidden=H vocab=V; dtype",
     .expression = "logits = x weight^T; loss = mean over tokens of log(sum(exp(logits))) - "
                   "logits[target]",
     .ignored = "mode"},
    {.name = "fused_linear_jsd",
     .public_slug = "liger-fused-linear-jsd",
     .slug = "fused-linear-jsd",
     .family = "jsd",
     .title = "Linear layers and Jensen-Shannon divergence",
     .inputs = "student_input:*[tokens,hidden] student_weight:*[vocab,hidden] "
               "teacher_input:*[tokens,hidden] teacher_weight:*[vocab,hidden]",
     .outputs = "loss:*[1]",
     .rules = "BT: tokens=@ hidden=H vocab=V; dtype; scalar beta 0.5",
     .expression = "q = softmax(student_input student_weight^T), p = softmax(teacher_input "
                   "teacher_weight^T), m = beta p + (1 - beta) q; loss = beta KL(p, m) + "
                   "(1 - beta) KL(q, m), averaged over tokens",
     .ignored = "mode"},
    {.name = "distill_jsd_loss",
     .public_slug = "liger-distill-jsd-loss",
     .slug = "distill-jsd-loss",
     .family = "jsd",
     .title = "Distillation by Jensen-Shannon divergence",
     .inputs = kDistillInputs,
     .outputs = "loss:*[1]",
     .derived = "student_hidden = hidden // 2",
     .rules = kDistillRule,
     .expression = "student and teacher logits by their linear layers; loss = weight_hard_loss * "
                   "cross entropy of the student at target + weight_soft_loss * Jensen-Shannon "
                   "divergence of the two softmaxes, over the tokens whose target is kept",
     .scalars_stated = "ignore_index",
     .ignored = "mode"},
    {.name = "distill_cosine_loss",
     .public_slug = "liger-distill-cosine-loss",
     .slug = "distill-cosine-loss",
     .family = "cosine-similarity-loss",
     .title = "Distillation by cosine similarity",
     .inputs = kDistillInputs,
     .outputs = "loss:*[1]",
     .derived = "student_hidden = hidden // 2",
     .rules = kDistillRule,
     .expression = "student and teacher logits by their linear layers; loss = weight_hard_loss * "
                   "cross entropy of the student at target + weight_soft_loss * (1 - cosine "
                   "similarity of the two logits), over the tokens whose target is kept",
     .scalars_stated = "ignore_index",
     .ignored = "mode"},
};

constexpr KernelText kPreferenceLosses[] = {
    {.name = "fused_linear_orpo_loss",
     .public_slug = "liger-fused-linear-orpo-loss",
     .slug = "fused-linear-orpo-loss",
     .family = "orpo",
     .title = "Linear layer and ORPO loss",
     .inputs = kPreferenceInputs,
     .outputs = "loss:*[1]",
     .rules = kPreferenceRule,
     .expression = "log-probabilities of target from x weight^T; half the batch is chosen, half "
                   "rejected; ORPO: negative log-likelihood of the chosen half plus the log-odds-"
                   "ratio term; the source's table does not state its coefficients",
     .ignored = "mode"},
    {.name = "fused_linear_cpo_loss",
     .public_slug = "liger-fused-linear-cpo-loss",
     .slug = "fused-linear-cpo-loss",
     .family = "cpo",
     .title = "Linear layer and CPO loss",
     .inputs = kPreferenceInputs,
     .outputs = "loss:*[1]",
     .rules = kPreferenceRule,
     .expression = "log-probabilities of target from x weight^T; half the batch is chosen, half "
                   "rejected; CPO: the log-sigmoid contrastive term plus the negative "
                   "log-likelihood of the chosen half; the source's table does not state its "
                   "coefficients",
     .ignored = "mode"},
    {.name = "fused_linear_simpo_loss",
     .public_slug = "liger-fused-linear-simpo-loss",
     .slug = "fused-linear-simpo-loss",
     .family = "simpo",
     .title = "Linear layer and SimPO loss",
     .inputs = kPreferenceInputs,
     .outputs = "loss:*[1]",
     .rules = kPreferenceRule,
     .expression = "length-averaged log-probabilities of target from x weight^T; half the batch "
                   "is chosen, half rejected; SimPO: the log-sigmoid of their scaled difference "
                   "less a margin; the source's table does not state its coefficients",
     .ignored = "mode"},
    {.name = "kto_loss",
     .public_slug = "liger-fused-linear-kto-loss",
     .slug = "fused-linear-kto-loss",
     .family = "kto",
     .title = "Linear layer and KTO loss",
     .inputs = "x:*[batch,seq,hidden] ref_x:*[batch,seq,hidden] weight:*[vocab,hidden] "
               "bias:*[vocab] ref_weight:*[vocab,hidden] ref_bias:*[vocab] "
               "target:int64[batch,seq] preference_labels:bool[batch] kl:*[1]",
     .outputs = "loss:*[1]",
     .rules = "B: batch=@ seq=T hidden=H vocab=V; dtype; equals bias true; number beta",
     .expression = "log-probabilities of target from x weight^T + bias and from ref_x "
                   "ref_weight^T + ref_bias; KTO: the sigmoid of beta times their difference less "
                   "kl, with its sign by preference_labels, over the tokens whose target is kept",
     .scalars_stated = "ignore_index",
     .ignored = "mode"},
    {.name = "fused_linear_grpo_loss_token",
     .public_slug = "liger-grpo-loss-token",
     .slug = "fused-linear-grpo-loss-token",
     .family = "grpo",
     .title = "Linear layer and GRPO loss, ratio by token",
     .inputs = kGrpoInputs,
     .outputs = "loss:*[1]",
     .derived = "seq_next = seq + 1",
     .rules = "B: batch=@ seq=T vocab=V; dtype; equals importance_sampling_level \"token\"",
     .expression = "log-softmax of x weight^T at completion_ids; importance ratio of each token "
                   "against the detached policy's own log-probability, clipped at 0.2 on both "
                   "sides, times advantages; plus 0.1 times the KL term against ref_x "
                   "ref_weight^T; summed and divided by the number of tokens in the batch",
     .inputs_stated = kGrpoInputsStated,
     .axes_stated = "hidden=H"},
    {.name = "fused_linear_grpo_loss_sequence",
     .public_slug = "liger-grpo-loss-sequence",
     .slug = "fused-linear-grpo-loss-sequence",
     .family = "grpo",
     .title = "Linear layer and GRPO loss, ratio by sequence",
     .inputs = kGrpoInputs,
     .outputs = "loss:*[1]",
     .derived = "seq_next = seq + 1",
     .rules = "B: batch=@ seq=T vocab=V; dtype; equals importance_sampling_level \"sequence\"",
     .expression = "log-softmax of x weight^T at completion_ids; one importance ratio a sequence "
                   "against the detached policy's own log-probability, clipped at 0.2 on both "
                   "sides, times advantages; plus 0.1 times the KL term against ref_x "
                   "ref_weight^T; summed and divided by the number of tokens in the batch",
     .inputs_stated = kGrpoInputsStated,
     .axes_stated = "hidden=H"},
};

}  // namespace

std::span<const KernelText> kernel_table() {
  static const std::vector<KernelText> all = [] {
    std::vector<KernelText> list;
    const auto add = [&](std::span<const KernelText> part) {
      list.insert(list.end(), part.begin(), part.end());
    };
    add(kNorms);
    add(kFirstLosses);
    add(kActivations);
    add(kMegatronAndMoe);
    add(kAttention);
    add(kFusedLosses);
    add(kPreferenceLosses);
    return list;
  }();
  return all;
}

}  // namespace ki::importer::liger
