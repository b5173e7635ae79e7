#include "import/liger/sources.h"

#include <algorithm>

namespace ki::importer::liger {

namespace {

constexpr Project kLiger{
    .slug = "liger-kernel", .name = "Liger-Kernel", .repository = "linkedin/Liger-Kernel"};
constexpr Project kPyTorch{.slug = "pytorch", .name = "PyTorch", .repository = "pytorch/pytorch"};
constexpr Project kMegatron{
    .slug = "megatron-lm", .name = "NVIDIA Megatron-LM", .repository = "NVIDIA/Megatron-LM"};
constexpr Project kDeepSpeed{
    .slug = "deepspeed", .name = "DeepSpeed", .repository = "deepspeedai/DeepSpeed"};
constexpr Project kTransformers{.slug = "transformers",
                                .name = "Hugging Face Transformers",
                                .repository = "huggingface/transformers"};

constexpr Provider liger(std::string_view name, std::string_view title, bool tiled = false) {
  return {.name = name,
          .title = title,
          .project = &kLiger,
          .language = "triton",
          .license = "BSD-2-Clause",
          .license_concluded = true,
          .pip_package = "liger-kernel",
          .baseline = false,
          .tiled = tiled};
}

constexpr Provider python(std::string_view name, std::string_view title, const Project& project,
                          std::string_view license, bool baseline, bool tiled = false) {
  return {.name = name,
          .title = title,
          .project = &project,
          .language = "python",
          .license = license,
          .license_concluded = false,
          .pip_package = "",
          .baseline = baseline,
          .tiled = tiled};
}

constexpr Provider kProviders[] = {
    liger("liger", "Liger"),
    liger("liger_fused_add_rms_norm", "Liger fused"),
    liger("liger_rms_norm", "Liger unfused"),
    liger("liger_in_place", "Liger in-place"),
    liger("liger_tiled", "Liger tiled", true),
    python("huggingface", "Transformers", kTransformers, "Apache-2.0", true),
    python("torch", "PyTorch", kPyTorch, "BSD-3-Clause", true),
    python("torch_compile", "torch.compile", kPyTorch, "BSD-3-Clause", false),
    python("megatron", "Megatron", kMegatron, "BSD-3-Clause", false),
    python("megatron-fused", "Megatron fused", kMegatron, "BSD-3-Clause", false),
    python("megatron-unfused", "Megatron unfused", kMegatron, "BSD-3-Clause", true),
    python("deepspeed_tiled", "DeepSpeed tiled", kDeepSpeed, "Apache-2.0", false, true),
};

struct KnownGpu {
  std::string_view name;
  std::string_view product;
  std::string_view architecture;
  std::string_view form_factor;
};

constexpr KnownGpu kGpus[] = {
    {"NVIDIA A100-SXM4-80GB", "NVIDIA A100", "sm_80", "SXM4-80GB"},
    {"NVIDIA H100 80GB HBM3", "NVIDIA H100", "sm_90", "80GB HBM3"},
    {"NVIDIA H100 PCIe", "NVIDIA H100", "sm_90", "PCIe"},
    {"NVIDIA B200", "NVIDIA B200", "sm_100", ""},
    {"NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 3090", "sm_86", ""},
    {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090", "sm_89", ""},
};

}  // namespace

std::span<const Provider> providers() { return kProviders; }

const Provider* find_provider(std::string_view name) {
  const auto* const found = std::ranges::find(kProviders, name, &Provider::name);
  return found == std::end(kProviders) ? nullptr : found;
}

Gpu gpu_of(std::string_view gpu_name) {
  const auto* const found = std::ranges::find(kGpus, gpu_name, &KnownGpu::name);
  if (found != std::end(kGpus)) {
    return {.product = std::string(found->product),
            .vendor = "nvidia",
            .architecture = std::string(found->architecture),
            .form_factor = std::string(found->form_factor),
            .known = true};
  }
  return {.product = std::string(gpu_name),
          .vendor = gpu_name.starts_with("NVIDIA") ? "nvidia" : "unknown",
          .architecture = "unknown",
          .form_factor = "",
          .known = false};
}

}  // namespace ki::importer::liger
