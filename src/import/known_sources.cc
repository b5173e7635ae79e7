#include "import/known_sources.h"

#include <algorithm>
#include <string>

namespace ki::importer {

namespace {

struct Known {
  std::string_view slug;
  std::string_view kind;
  std::string_view name;
  std::string_view policy;  // JSON, "" = none
};

constexpr Known kKnown[] = {
    {"sol-execbench", "leaderboard", "NVIDIA SOL-ExecBench", R"({"freshnessDays":10})"},
    {"gpumode-kernelbot", "leaderboard", "GPU MODE KernelBot",
     R"({"terms":"June 9 Researcher Reciprocity License v1.0",)"
     R"("attribution":"GPU Mode and the KernelBot dataset","freshnessDays":10})"},
    {"flashinfer-bench", "benchmark", "FlashInfer-Bench",
     R"({"license":"Apache-2.0","freshnessDays":10})"},
    {"liger-kernel-bench", "benchmark", "Liger-Kernel benchmarks",
     R"({"license":"BSD-2-Clause","url":"https://github.com/linkedin/Liger-Kernel",)"
     R"("freshnessDays":30})"},
    {"mlperf-inference", "benchmark", "MLPerf Inference",
     R"({"license":"Apache-2.0","freshnessDays":90})"},
    {"community", "submission", "Community submissions", ""},
    {"registry-examples", "illustrative", "Registry examples (illustrative)", ""},
    {"catalog-export", "submission", "Catalog export", ""},
};

}  // namespace

publish::SourceEntry source_of(std::string_view slug) {
  publish::SourceEntry source;
  source.slug = slug;
  source.name = slug;
  source.kind = "submission";
  const auto* const known = std::ranges::find(kKnown, slug, &Known::slug);
  if (known != std::end(kKnown)) {
    source.kind = known->kind;
    source.name = known->name;
    source.policy_json = known->policy;
  }
  return source;
}

}  // namespace ki::importer
