#include "import/registry.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "import/export/lines.h"
#include "import/liger/liger.h"
#include "json/read.h"
#include "json/write.h"
#include "support/places.h"

namespace ki::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

namespace fs = std::filesystem;

// The public records of the five cohorts.
constexpr std::string_view kRecords[] = {
    "sparse_multi_token_attention/backward/liger/nvidia-geforce-rtx-3090/"
    "batch2-heads_in4-heads_out4-k3-seq64-fp32/2025-04-30-17-22-18",
    "sparse_multi_token_attention/backward/torch/nvidia-geforce-rtx-3090/"
    "batch2-heads_in4-heads_out4-k3-seq64-fp32/2025-04-30-17-22-18",
    "fused_linear_grpo_loss_token/backward/liger/nvidia-a100-sxm4-80gb/"
    "batch16-seq1024-vocab128256-bf16/2025-08-05-00-03-11",
    "fused_linear_grpo_loss_token/backward/torch/nvidia-a100-sxm4-80gb/"
    "batch16-seq1024-vocab128256-bf16/2025-08-05-00-04-16",
    "tiled_geglu/backward/liger/nvidia-geforce-rtx-4090/"
    "batch2-hidden2048-intermediate4096-seq1024-bf16/2025-11-11-06-22-56",
    "tiled_geglu/backward/liger_tiled/nvidia-geforce-rtx-4090/"
    "batch2-hidden2048-intermediate4096-seq1024-bf16/2025-11-11-06-22-57",
    "tiled_geglu/backward/huggingface/nvidia-geforce-rtx-4090/"
    "batch2-hidden2048-intermediate4096-seq1024-bf16/2025-11-11-06-22-55",
    "tiled_geglu/backward/deepspeed_tiled/nvidia-geforce-rtx-4090/"
    "batch2-hidden2048-intermediate4096-seq1024-bf16/2025-11-11-06-22-58",
    "rope/backward/liger/nvidia-a100-sxm4-80gb/"
    "hidden8192-kv_heads8-q_heads32-seq16384-bf16/2024-09-03-15-40-08",
    "rope/backward/huggingface/nvidia-a100-sxm4-80gb/"
    "hidden8192-kv_heads8-q_heads32-seq16384-bf16/2024-09-03-15-40-10",
    "fused_neighborhood_attention/backward/liger/nvidia-geforce-rtx-3090/"
    "batch4-dilation1-heads12-hidden768-kernel_size7-seq2048-fp32/2025-05-27-15-10-02",
    "fused_neighborhood_attention/backward/torch/nvidia-geforce-rtx-3090/"
    "batch4-dilation1-heads12-hidden768-kernel_size7-seq2048-fp32/2025-05-27-15-10-05",
};

std::string_view text_at(const json::Value& value, std::string_view key) {
  return value.find(key)->string();
}

// Every object of a bundle by digest.
std::map<std::string, const manifest::Manifest*> objects_of(const publish::Bundle& bundle) {
  std::map<std::string, const manifest::Manifest*> objects;
  const auto add = [&](const manifest::Manifest& manifest) {
    objects.emplace(to_string(manifest.digest()), &manifest);
  };
  for (const auto& entry : bundle.projects) add(entry.manifest);
  for (const auto& entry : bundle.operations) add(entry.manifest);
  for (const auto& entry : bundle.workloads) add(entry.manifest);
  for (const auto& entry : bundle.implementations) add(entry.manifest);
  for (const auto& entry : bundle.runs) {
    add(entry.run);
    if (entry.protocol) add(*entry.protocol);
    if (entry.environment) add(*entry.environment);
  }
  for (const auto& entry : bundle.carried.settings) add(entry.manifest);
  for (const auto& entry : bundle.serving) add(entry.manifest);
  return objects;
}

const publish::ImplementationEntry& implementation_of(const publish::Bundle& bundle,
                                                      std::string_view digest) {
  return *std::ranges::find_if(bundle.implementations, [&](const auto& entry) {
    return to_string(entry.manifest.digest()) == digest;
  });
}

void write_list(json::Writer& out, std::string_view key,
                const std::vector<const manifest::Manifest*>& manifests) {
  out.key(key).begin_array();
  for (const auto* manifest : manifests) out.raw(manifest->to_json());
  out.end_array();
}

// One cohort as a submission document that stands alone.
std::string document_of(const publish::Bundle& bundle,
                        const std::vector<const publish::RunEntry*>& runs) {
  const auto objects = objects_of(bundle);
  const json::Value& first = runs.front()->run.spec();
  const auto* workload = objects.at(std::string(text_at(first, "workloadDigest")));
  const auto* operation = objects.at(std::string(text_at(workload->spec(), "operationSpecDigest")));
  std::vector<const publish::ImplementationEntry*> implementations;
  std::set<std::string> projects;
  for (const auto* run : runs) {
    implementations.push_back(
        &implementation_of(bundle, text_at(run->run.spec(), "implementationDigest")));
    projects.insert(implementations.back()->project_slug);
  }
  std::vector<const manifest::Manifest*> project_manifests;
  for (const auto& entry : bundle.projects) {
    if (projects.contains(entry.slug)) project_manifests.push_back(&entry.manifest);
  }
  std::string text;
  json::Writer out(text);
  out.begin_object();
  write_list(out, "projects", project_manifests);
  write_list(out, "operations", {operation});
  write_list(out, "workloads", {workload});
  out.key("implementations").begin_array();
  for (const auto* entry : implementations) {
    out.begin_object().key("projectSlug").string(entry->project_slug);
    out.key("manifest").raw(entry->manifest.to_json()).end_object();
  }
  out.end_array().key("runs").begin_array();
  for (const auto* run : runs) {
    const json::Value& spec = run->run.spec();
    out.begin_object().key("run").raw(run->run.to_json());
    out.key("protocol").raw(objects.at(std::string(text_at(spec, "protocolDigest")))->to_json());
    out.key("environment");
    out.raw(objects.at(std::string(text_at(spec, "environmentDigest")))->to_json()).end_object();
  }
  out.end_array().end_object();
  return json::pretty(json::parse(text)->root) + "\n";
}

std::string listing_of(const publish::Bundle& bundle) {
  std::string listing;
  for (const auto& [digest, manifest] : objects_of(bundle)) {
    listing +=
        fmt::format("{} {} {}\n", digest, manifest::name_of(manifest->kind()), manifest->name());
  }
  return listing;
}

bool is_updating() { return std::getenv("KI_UPDATE_GOLDEN") != nullptr; }

TEST(Registry, HoldsTwelveRunsWithAllTheyStandOn) {
  const auto prepared = prepare_registry();
  ASSERT_TRUE(prepared.has_value()) << to_string(prepared.error());
  const publish::Bundle& bundle = prepared->bundle;
  EXPECT_THAT(bundle.runs, SizeIs(12));
  EXPECT_THAT(bundle.operations, SizeIs(5));
  EXPECT_THAT(bundle.workloads, SizeIs(5));
  EXPECT_THAT(bundle.implementations, SizeIs(12));
  const auto objects = objects_of(bundle);
  std::set<std::string_view> records;
  for (const auto& entry : bundle.runs) {
    for (const auto* key :
         {"implementationDigest", "workloadDigest", "protocolDigest", "environmentDigest"}) {
      EXPECT_TRUE(objects.contains(std::string(text_at(entry.run.spec(), key)))) << key;
    }
    records.insert(entry.external_id);
  }
  EXPECT_EQ(records, std::set<std::string_view>(std::begin(kRecords), std::end(kRecords)));
}

TEST(Registry, LigerLeadsPyTorchInNeighborhoodAttention) {
  const auto prepared = prepare_registry();
  ASSERT_TRUE(prepared.has_value());
  std::map<std::string, double> medians;
  for (const auto& entry : prepared->bundle.runs) {
    if (!entry.external_id.starts_with("fused_neighborhood_attention")) continue;
    const auto& implementation =
        implementation_of(prepared->bundle, text_at(entry.run.spec(), "implementationDigest"));
    medians[implementation.slug] =
        entry.run.spec().find("timing")->find("latencyNs")->find("median")->number();
  }
  EXPECT_EQ(medians.at("fused-neighborhood-attention-liger"), 15102833);
  EXPECT_EQ(medians.at("fused-neighborhood-attention-torch"), 24104448);
}

TEST(Registry, HoldsEightServingRunsOfTheirOwnSource) {
  const auto prepared = prepare_registry();
  ASSERT_TRUE(prepared.has_value());
  std::map<std::string_view, int> kinds;
  for (const auto& entry : prepared->bundle.serving) {
    ++kinds[manifest::name_of(entry.manifest.kind())];
    EXPECT_EQ(entry.source_slug, "mlperf-inference");
  }
  EXPECT_EQ(kinds, (std::map<std::string_view, int>{{"ModelRevision", 1},
                                                    {"ServingStackRevision", 4},
                                                    {"ServingConfiguration", 4},
                                                    {"ServingWorkload", 2},
                                                    {"ServingRun", 8}}));
}

// Each serving run names the upstream row that it restates, and says what that says.
TEST(Registry, ServingRunsAreRowsOfThePublishedResults) {
  const auto file = places::shared_data("data/mlperf-inference-v5.1-summary_results.json.zst");
  if (!file) GTEST_SKIP() << "the shared data is not here";
  const auto packed = read_input(file->string());
  ASSERT_TRUE(packed.has_value());
  std::string text;
  ASSERT_TRUE(for_each_line(packed->bytes, [&](std::string_view line, std::int64_t, std::uint64_t) {
    text.append(line).append("\n");
  }));
  const auto results = json::parse(text, json::kBundleLimits);
  ASSERT_TRUE(results.has_value());
  const auto prepared = prepare_registry();
  ASSERT_TRUE(prepared.has_value());
  int runs = 0;
  for (const auto& entry : prepared->bundle.serving) {
    if (entry.manifest.kind() != manifest::Kind::serving_run) continue;
    const json::Value& spec = entry.manifest.spec();
    const json::Value& native = *spec.find("sourceNative");
    const auto row = std::ranges::find_if(results->root.items(), [&](const json::Value& one) {
      return "v5.1/" + std::string(text_at(one, "ID")) == text_at(native, "externalId") &&
             text_at(one, "Model") == text_at(native, "benchmark") &&
             ascii_lower(text_at(one, "Scenario")) == text_at(native, "scenario");
    });
    ASSERT_NE(row, results->root.items().end()) << entry.manifest.name();
    EXPECT_EQ(row->find("Performance_Result")->number(),
              spec.find("measurements")->items()[0].find("value")->number());
    EXPECT_EQ(text_at(*row, "Accelerator"), text_at(*spec.find("topology"), "acceleratorModel"));
    EXPECT_EQ(row->find("a#")->number(),
              spec.find("topology")->find("acceleratorsPerNode")->number());
    ++runs;
  }
  EXPECT_EQ(runs, 8);
}

TEST(Registry, OperationsAreFoundByTheNamesOfTheTable) {
  const auto prepared = prepare_registry();
  ASSERT_TRUE(prepared.has_value());
  const auto& operations = prepared->bundle.operations;
  const auto geglu = std::ranges::find(operations, "geglu-mlp", &publish::OperationEntry::slug);
  ASSERT_NE(geglu, operations.end());
  EXPECT_THAT(geglu->aliases, ElementsAre("geglu", "tiled_geglu"));
}

TEST(Registry, DigestsAreThoseOfTheGoldenList) {
  const fs::path golden = places::source_dir() / "tests/golden/import/registry_digests.txt";
  const auto prepared = prepare_registry();
  ASSERT_TRUE(prepared.has_value());
  const std::string listing = listing_of(prepared->bundle);
  if (is_updating()) {
    ASSERT_TRUE(write_file(golden, listing).has_value());
  }
  EXPECT_EQ(read_file(golden, kInputBytesMax).value_or(""), listing);
}

// With KI_UPDATE_GOLDEN=1 this writes registry/*.json anew; build again to have them embedded.
TEST(Registry, IsWhatTheImporterMakesOfTheTable) {
  const auto table = places::shared_data("data/liger-all_benchmark_data.csv");
  if (!table) GTEST_SKIP() << "the shared data is not here";
  const auto file = read_input(table->string());
  ASSERT_TRUE(file.has_value());
  const auto prepared = prepare_liger({&*file, 1}, {});
  ASSERT_TRUE(prepared.has_value());
  std::map<std::string, std::vector<const publish::RunEntry*>> cohorts;
  for (const auto& entry : prepared->bundle.runs) {
    if (std::ranges::find(kRecords, entry.external_id) == std::end(kRecords)) continue;
    const std::string benchmark(text_at(*entry.run.spec().find("sourceNative"), "benchmark"));
    const auto* const kernel = liger::find_kernel(benchmark.substr(0, benchmark.find('/')));
    ASSERT_NE(kernel, nullptr);
    cohorts[std::string(kernel->slug)].push_back(&entry);
  }
  EXPECT_THAT(cohorts, SizeIs(5));
  for (const auto& [slug, runs] : cohorts) {
    const fs::path path = places::source_dir() / "registry" / (slug + ".json");
    const std::string document = document_of(prepared->bundle, runs);
    if (is_updating()) {
      ASSERT_TRUE(write_file(path, document).has_value());
    }
    EXPECT_EQ(read_file(path, kInputBytesMax).value_or(""), document) << path;
  }
}

}  // namespace
}  // namespace ki::importer
