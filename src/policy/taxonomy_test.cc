#include "policy/taxonomy.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace ki::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

#include "policy/taxonomy_gpus.inc"

// The product of that name, "" for none.
std::string_view found(std::string_view name) {
  const Gpu* gpu = find_gpu(name);
  return gpu == nullptr ? "" : gpu->product;
}

std::vector<std::string> products(std::string_view phrase) {
  std::vector<std::string> out;
  if (const auto reading = read_gpu(phrase)) {
    for (const Gpu* gpu : reading->variants) out.emplace_back(gpu->product);
  }
  return out;
}

std::vector<std::string_view> tokens(std::string_view word) {
  const auto reading = read_dtype(word);
  return reading ? reading->tokens : std::vector<std::string_view>{};
}

TEST(Gpu, EveryRowOfTheTableIsWhole) {
  EXPECT_EQ(kHardwareTable, "hardware-1");
  std::set<std::string_view> products;
  for (const Gpu& gpu : kGpus) {
    EXPECT_TRUE(products.insert(gpu.product).second) << gpu.product << " is there twice";
    EXPECT_EQ(read_vendor(gpu.vendor), gpu.vendor) << gpu.product;
    EXPECT_TRUE(read_architecture(gpu.architecture)) << gpu.product;
    EXPECT_GE(gpu.memory_gb, 0) << gpu.product;
    EXPECT_LE(gpu.memory_gb, 1024) << gpu.product;
    EXPECT_FALSE(gpu.keys.empty()) << gpu.product;
    EXPECT_EQ(found(gpu.product), gpu.product) << "a product is found by its own name";
    // A name that says its memory has that memory.
    const std::string stated = std::to_string(gpu.memory_gb) + "GB";
    if (gpu.product.contains("GB ") || gpu.product.ends_with("GB")) {
      const bool grace = gpu.product.contains("GH200");  // names the memory of its CPU
      EXPECT_TRUE(grace || gpu.product.contains(stated)) << gpu.product << ", not " << stated;
    }
  }
}

TEST(Gpu, AVendorIsAMakerOfListedProducts) {
  EXPECT_EQ(read_vendor("NVIDIA"), "nvidia");
  EXPECT_EQ(read_vendor("amd"), "amd");
  EXPECT_EQ(read_vendor("acme"), std::nullopt);
  EXPECT_EQ(read_vendor(""), std::nullopt);
}

TEST(Dtype, SynonymsOfOneFormat) {
  for (const auto word : {"bf16", "bfloat16", "torch.bfloat16", "BF16"}) {
    EXPECT_THAT(tokens(word), ElementsAre("bf16")) << word;
  }
  for (const auto word : {"half", "fp16", "f16", "torch.float16"}) {
    EXPECT_THAT(tokens(word), ElementsAre("fp16")) << word;
  }
  EXPECT_THAT(tokens("float32"), ElementsAre("fp32"));
}

TEST(Dtype, AFamilyNamesEveryFormat) {
  const auto fp8 = read_dtype("fp8");
  ASSERT_TRUE(fp8.has_value());
  EXPECT_TRUE(fp8->family);
  for (const auto dtype : {"fp8_e4m3", "fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2"}) {
    EXPECT_TRUE(dtype_matches(*fp8, dtype)) << dtype;
  }
  EXPECT_FALSE(dtype_matches(*fp8, "fp8_e8m0")) << "a format of scales, not of values";
  EXPECT_FALSE(dtype_matches(*fp8, "bf16"));
  EXPECT_TRUE(dtype_matches(*read_dtype("fp4"), "float4_e2m1fn_x2"));
}

TEST(Dtype, OneEncodingIsNotItsNeighbour) {
  EXPECT_THAT(tokens("e4m3"), ElementsAre("fp8_e4m3", "fp8_e4m3fn"));
  EXPECT_THAT(tokens("fp8_e4m3fnuz"), ElementsAre("fp8_e4m3fnuz"));
  EXPECT_THAT(tokens("nvfp4"), ElementsAre("nvfp4"));
  EXPECT_THAT(tokens("mxfp4"), ElementsAre("mxfp4"));
}

TEST(Dtype, ComputeModesAndQuantizationAreNoStorage) {
  EXPECT_EQ(read_dtype("tf32")->kind, DtypeKind::compute);
  EXPECT_TRUE(dtype_matches(*read_dtype("tf32"), "fp32"));
  EXPECT_EQ(read_dtype("w4a16")->kind, DtypeKind::quantization);
  EXPECT_EQ(read_dtype("W8A8")->name, "w8a8");
  EXPECT_THAT(tokens("w4a16"), IsEmpty());
}

TEST(Dtype, OtherWordsAreLeftAlone) {
  for (const auto word : {"", "gemm", "w", "wa", "w4a", "wa16", "w4a1666", "w444a16", "float"}) {
    EXPECT_EQ(read_dtype(word).has_value(), false) << word;
  }
}

TEST(Dtype, EveryWordHasOneReading) {
  // A token named in full reads as a format that it satisfies itself.
  for (const auto word : {"fp8_e4m3", "fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz",
                          "fp8_e8m0", "float4_e2m1fn_x2", "fp4_e2m1", "int32", "bool"}) {
    ASSERT_TRUE(read_dtype(word).has_value()) << word;
    EXPECT_TRUE(dtype_matches(*read_dtype(word), word)) << word;
  }
}

TEST(GpuName, Nicknames) {
  EXPECT_THAT(products("4090"), ElementsAre("NVIDIA GeForce RTX 4090"));
  EXPECT_THAT(products("RTX 4090"), ElementsAre("NVIDIA GeForce RTX 4090"));
  EXPECT_THAT(products("rtx4090"), ElementsAre("NVIDIA GeForce RTX 4090"));
  EXPECT_THAT(products("5090"), ElementsAre("NVIDIA GeForce RTX 5090"));
  EXPECT_THAT(products("A6000"), ElementsAre("NVIDIA RTX A6000"));
  EXPECT_THAT(products("mi300x"), ElementsAre("AMD Instinct MI300X"));
  EXPECT_THAT(products("L40S"), ElementsAre("NVIDIA L40S"));
  EXPECT_THAT(products("l4"), ElementsAre("NVIDIA L4"));
  EXPECT_THAT(products("B200"), ElementsAre("NVIDIA B200"));
  EXPECT_THAT(products("rtx 6000 ada"), ElementsAre("NVIDIA RTX 6000 Ada Generation"));
}

TEST(GpuName, AnAmbiguousNameListsItsVariants) {
  EXPECT_THAT(products("h100"),
              ElementsAre("NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA H100 NVL"));
  EXPECT_TRUE(read_gpu("h100")->ambiguous());
  EXPECT_EQ(read_gpu("NVIDIA H100")->unspecified->product, "NVIDIA H100");
  EXPECT_THAT(products("h100 sxm"), ElementsAre("NVIDIA H100 80GB HBM3"));
  EXPECT_THAT(products("H100-PCIe"), ElementsAre("NVIDIA H100 PCIe"));
  EXPECT_THAT(products("a100-80g"), ElementsAre("NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB PCIe"));
  EXPECT_EQ(products("a100").size(), 4U);
  EXPECT_EQ(products("rtx pro 6000").size(), 3U);
}

TEST(GpuName, CountsMayStandBeside) {
  for (const auto phrase : {"8xH100", "h100x8", "8x h100", "h100 x8", "NVIDIA H100 x8"}) {
    const auto reading = read_gpu(phrase);
    ASSERT_TRUE(reading.has_value()) << phrase;
    EXPECT_EQ(reading->count, 8) << phrase;
  }
  EXPECT_EQ(read_gpu("mi300x")->count, std::nullopt) << "the x belongs to the name";
  EXPECT_EQ(read_gpu("8xmi300x")->count, 8);
  EXPECT_EQ(read_device_count("x8"), 8);
  EXPECT_EQ(read_device_count("16x"), 16);
  for (const auto word : {"", "x", "8", "x0", "x1025", "x-8", "xx8", "x8x"}) {
    EXPECT_EQ(read_device_count(word), std::nullopt) << word;
  }
}

TEST(GpuName, OtherWordsAreLeftAlone) {
  for (const auto phrase : {"", "nvidia", "gemm", "h100 gemm", "x8", "a b c d e f g"}) {
    EXPECT_FALSE(read_gpu(phrase).has_value()) << phrase;
  }
  EXPECT_FALSE(read_gpu(std::string(10'000, 'x')).has_value());
}

TEST(GpuMatch, IsByProductAndNeverBySubstring) {
  EXPECT_TRUE(gpu_matches(*read_gpu("b200"), "NVIDIA B200"));
  EXPECT_FALSE(gpu_matches(*read_gpu("b200"), "NVIDIA GB200"));
  EXPECT_FALSE(gpu_matches(*read_gpu("l4"), "NVIDIA L40S"));
  EXPECT_FALSE(gpu_matches(*read_gpu("mi300x"), "AMD Instinct MI325X"));
  EXPECT_FALSE(gpu_matches(*read_gpu("h100 sxm"), "NVIDIA H100 PCIe"));
  EXPECT_FALSE(gpu_matches(*read_gpu("h100 sxm"), "NVIDIA H100")) << "the variant is not known";
  EXPECT_TRUE(gpu_matches(*read_gpu("h100"), "NVIDIA H100"));
  EXPECT_FALSE(gpu_matches(*read_gpu("h100"), "a machine nobody knows"));
}

TEST(GpuMatch, ReadsNamesAsSourcesWriteThem) {
  const auto name = [](std::string_view model) {
    const Gpu* gpu = find_gpu(model);
    return gpu == nullptr ? "" : std::string(gpu->product);
  };
  EXPECT_EQ(name("NVIDIA H100-SXM-80GB"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(name("NVIDIA A100-SXM4-80GB"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(name("AMD Instinct MI300X 192GB HBM3"), "AMD Instinct MI300X");
  EXPECT_EQ(name("NVIDIA B200-SXM-180GB"), "NVIDIA B200");
  EXPECT_EQ(name("NVIDIA H200-NVL-141GB"), "NVIDIA H200 NVL");
  EXPECT_EQ(name("NVIDIA L4-PCIe-24GB"), "NVIDIA L4");
  EXPECT_EQ(name("NVIDIA A100 80GB"), "") << "fits two products";
  EXPECT_EQ(name("Intel(R) Arc(TM) 140T GPU"), "");
}

TEST(GpuMatch, TheFormFactorNamesTheVariant) {
  const auto name = [](std::string_view model, std::string_view form) {
    const Gpu* gpu = find_gpu(model, form);
    return gpu == nullptr ? "" : std::string(gpu->product);
  };
  EXPECT_EQ(name("NVIDIA H100", "80GB HBM3"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(name("NVIDIA H100", "PCIe"), "NVIDIA H100 PCIe");
  EXPECT_EQ(name("NVIDIA A100", "SXM4-80GB"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(name("NVIDIA A100", "PCIe"), "NVIDIA A100") << "two variants are PCIe";
  EXPECT_EQ(name("NVIDIA A100", "80GB"), "NVIDIA A100") << "two variants have 80 GB";
  EXPECT_EQ(name("NVIDIA H100", "shiny"), "NVIDIA H100");
  EXPECT_EQ(name("NVIDIA H100 PCIe", "80GB HBM3"), "NVIDIA H100 PCIe") << "the product is exact";
  EXPECT_EQ(name("NVIDIA GeForce RTX 3090", "desktop"), "NVIDIA GeForce RTX 3090");
  EXPECT_EQ(name("some board", "PCIe"), "");
}

TEST(GpuTable, EveryProductFindsItself) {
  for (const Gpu& gpu : kGpus) {
    EXPECT_EQ(found(gpu.product), gpu.product);
    EXPECT_FALSE(gpu.architecture.empty()) << gpu.product;
    std::set<std::string_view> keys;
    for (const auto key : split(gpu.keys, ' ')) EXPECT_TRUE(keys.insert(key).second) << key;
  }
}

TEST(Architecture, FamiliesAndTargets) {
  EXPECT_THAT(read_architecture("Hopper")->hardware, ElementsAre("sm_90"));
  EXPECT_THAT(read_architecture("blackwell")->tokens,
              ElementsAre("sm_100", "sm_103", "sm_120", "sm_121"));
  EXPECT_THAT(read_architecture("cdna3")->tokens, ElementsAre("gfx942"));
  EXPECT_THAT(read_architecture("sm90a")->tokens, ElementsAre("sm_90a"));
  EXPECT_THAT(read_architecture("sm90a")->hardware, ElementsAre("sm_90a", "sm_90"));
  EXPECT_THAT(read_architecture("SM_90")->tokens, ElementsAre("sm_90"));
  EXPECT_THAT(read_architecture("gfx942")->tokens, ElementsAre("gfx942"));
  EXPECT_THAT(read_architecture("gfx90a")->tokens, ElementsAre("gfx90a"));
  for (const auto word : {"", "sm", "sm_", "sm_90ab", "smx", "gfx", "gfxzz12", "small", "h100"}) {
    EXPECT_FALSE(read_architecture(word).has_value()) << word;
  }
}

TEST(Architecture, IsThatOfTheProductWhereTheSourceDoesNotSay) {
  EXPECT_EQ(architecture_of("NVIDIA B200", "unknown"), "sm_100");
  EXPECT_EQ(architecture_of("NVIDIA B200", "sm_100a"), "sm_100a");
  EXPECT_EQ(architecture_of("some board", "unknown"), "unknown");
}

}  // namespace
}  // namespace ki::policy
