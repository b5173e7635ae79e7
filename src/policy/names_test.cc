#include "policy/names.h"

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

TEST(OperationName, IsWrittenForPeople) {
  EXPECT_EQ(operation_display_name("004_fused_add_rmsnorm_h2048"), "Fused add RMSNorm h2048");
  EXPECT_EQ(operation_display_name("gemm_n128_k2048"), "GEMM n128 k2048");
  EXPECT_EQ(operation_display_name("069_rms_norm"), "RMS norm");
  EXPECT_EQ(operation_display_name("fp8_mla_attention"), "FP8 MLA attention");
  EXPECT_EQ(operation_display_name("Triangle multiplicative update"),
            "Triangle multiplicative update");
  EXPECT_EQ(operation_display_name("004_"), "004_");
  EXPECT_EQ(operation_display_name("liger-rope"), "Liger-rope");
  EXPECT_EQ(operation_display_name("FP8_gemm"), "FP8 GEMM");
  EXPECT_EQ(operation_display_name("a__b"), "A b");
  EXPECT_EQ(operation_display_name(""), "");
}

std::string shown(std::string_view title, std::string_view operation, std::string_view slug) {
  return implementation_display_name(
      {.title = title, .slug = "the-slug", .operation_name = operation, .operation_slug = slug});
}

TEST(ImplementationName, DropsWhatRepeatsTheOperation) {
  EXPECT_EQ(shown("amd-fp8-mm · submission 32750", "AMD FP8 blockwise GEMM", "gpumode-amd-fp8-mm"),
            "submission 32750");
  EXPECT_EQ(shown("Ada · 042_toy_gemm", "042_toy_gemm", "042-toy-gemm"), "Ada");
  EXPECT_EQ(shown("RMSNorm · Liger fused", "RMSNorm", "liger-rms-norm"), "Liger fused");
  EXPECT_EQ(shown("Fused add + RMSNorm · fused", "Fused add + RMSNorm", "liger-norm"), "fused");
  EXPECT_EQ(shown("toy_sol", "042_toy_gemm", "042-toy-gemm"), "toy_sol");
  EXPECT_EQ(shown("", "x", "x"), "the-slug");
  EXPECT_EQ(shown("RMSNorm", "RMSNorm", "rmsnorm"), "the-slug") << "nothing is left";
  EXPECT_EQ(shown("my rmsnorm-fast", "RMSNorm", "x"), "the-slug") << "contains a long name";
  EXPECT_EQ(shown("my rope-fast", "RoPE", "x"), "my rope-fast") << "short names do not count";
}

TEST(LatencyText, ChoosesTheUnitAndTheDecimals) {
  EXPECT_EQ(latency_text(0), "0 ns");
  EXPECT_EQ(latency_text(999.4), "999 ns");
  EXPECT_EQ(latency_text(1000), "1.00 µs");
  EXPECT_EQ(latency_text(9994), "9.99 µs");
  EXPECT_EQ(latency_text(15'097'856), "15.1 ms");
  EXPECT_EQ(latency_text(24'104'448), "24.1 ms");
  EXPECT_EQ(latency_text(15'250'000), "15.3 ms") << "exact halves go up";
  EXPECT_EQ(latency_text(1.5e9), "1.50 s");
}

TEST(MeasuredText, TurnsTimesAndKeepsOtherUnits) {
  EXPECT_EQ(measured_text(1.0048658277929109e-05, "s"), "10.0 µs");
  EXPECT_EQ(measured_text(37.5, "ms"), "37.5 ms");
  EXPECT_EQ(measured_text(25, "us"), "25.0 µs");
  EXPECT_EQ(measured_text(4295491584, "bytes"), "4.00 GiB");
  EXPECT_EQ(measured_text(40475034, "bytes"), "38.6 MiB");
  for (const std::string_view unit :
       {"ns", "us", "ms", "s", "bytes", "bytes_s", "flops", "flops_s", "tokens_s", ""}) {
    for (const double value : {0.5, 999.0, 1024.0, 15.1e6, 3e12}) {
      const ShownUnit shown = shown_unit(value, unit);
      EXPECT_TRUE(measured_text(value, unit).ends_with(shown.name)) << value << " " << unit;
    }
  }
  EXPECT_EQ(shown_unit(15.1e6, "ns").factor, 1e6);
  EXPECT_EQ(shown_unit(15, "ms").factor, 1);
  EXPECT_EQ(shown_unit(2048, "bytes").factor, 1024);
  EXPECT_EQ(measured_text(1024, "bytes"), "1.00 KiB");
  EXPECT_EQ(measured_text(1023, "bytes"), "1023 bytes");
  EXPECT_EQ(measured_text(512, "tokens_s"), "512 tokens/s");
  EXPECT_EQ(measured_text(2.15e9, "bytes_s"), "2.15 GB/s") << "as bandwidths are given";
  EXPECT_EQ(measured_text(2.5 * 1024 * 1024 * 1024 * 1024, "bytes"), "2.50 TiB");
  EXPECT_EQ(measured_text(12.34e9, "flops_s"), "12.3 GFLOP/s");
  EXPECT_EQ(measured_text(1'500, "flops"), "1.50 kFLOP");
  EXPECT_EQ(metric_label("latency", "median"), "median latency");
  EXPECT_EQ(metric_label("peak_memory", "value"), "peak memory");
}

TEST(SpreadText, IsHalfTheWidthInTheLeadersUnit) {
  EXPECT_EQ(spread_text({.low = 14'900'000, .high = 15'140'000}, 15'000'000, "ns"), "± 0.12 ms");
  EXPECT_EQ(spread_text({.low = 10, .high = 14}, 12, "bytes"), "± 2.00 bytes");
  EXPECT_EQ(spread_text({.low = 1024, .high = 3072}, 2048, "bytes"), "± 1.00 KiB");
}

TEST(RelativeText, IsADashWithoutABase) {
  EXPECT_EQ(relative_text(24.1, 15.1), "1.60×");
  EXPECT_EQ(relative_text(std::nullopt, 15.1), "-");
  EXPECT_EQ(relative_text(1, std::nullopt), "-");
  EXPECT_EQ(relative_text(1, 0), "-");
}

TEST(SmallNames, SlugRevisionDateScore) {
  EXPECT_EQ(hardware_slug("NVIDIA GeForce RTX 4090"), "nvidia-geforce-rtx-4090");
  EXPECT_EQ(hardware_slug(" (A) "), "a");
  EXPECT_EQ(short_revision("ead96b618e5c67"), "ead96b6");
  EXPECT_EQ(short_revision("1.2"), "1.2");
  EXPECT_EQ(date_text("2026-01-02T03:04:05.000Z"), "2026-01-02");
  EXPECT_EQ(sol_text(0.725), "73% of SOL");
}

}  // namespace
}  // namespace ki::policy
