#include "import/liger/liger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/write.h"

namespace ki::importer {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::string_view kHeader =
    "kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,x_label,"
    "x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,timestamp,"
    "liger_version\n";

// One row of the table, a softmax unless said otherwise.
struct TestRow {
  std::string kernel = "softmax";
  std::string provider = "liger";
  std::string mode = "forward";
  std::string metric = "speed";
  std::string unit = "ms";
  std::string x_name = "N";
  std::string x_value = "1024";
  std::string y50 = "0.5";
  std::string y20 = "0.4";
  std::string y80 = "0.6";
  std::string config = R"({"M": 2048, "dtype": "torch.bfloat16"})";
  std::string gpu = "NVIDIA B200";
  std::string timestamp = "2026-01-02 03:04:05";
  std::string version = "0.5.0";

  std::string csv() const {
    std::string quoted = "\"";
    for (const char c : config) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return join({kernel, provider, mode, metric, unit, x_name, "label", x_value, y50, y20, y80,
                 quoted + "\"", gpu, timestamp, version},
                ",") +
           "\n";
  }
};

std::string table(const std::vector<TestRow>& rows) {
  std::string text(kHeader);
  for (const TestRow& row : rows) text += row.csv();
  return text;
}

Prepared prepare(std::string text, liger::Mapping mapping = liger::Mapping::distinct) {
  const InputFile file{"table.csv", std::move(text)};
  LigerOptions options;
  options.mapping = mapping;
  auto prepared = prepare_liger({&file, 1}, options);
  EXPECT_TRUE(prepared.has_value()) << (prepared ? "" : to_string(prepared.error()));
  return prepared ? std::move(*prepared) : Prepared{};
}

Prepared prepare_rows(const std::vector<TestRow>& rows,
                      liger::Mapping mapping = liger::Mapping::distinct) {
  return prepare(table(rows), mapping);
}

double median_of(const publish::RunEntry& entry) {
  return entry.run.spec().find("timing")->find("latencyNs")->find("median")->number();
}

std::string spec_of(const manifest::Manifest& manifest) { return json::canonical(manifest.spec()); }

TEST(LigerTable, EveryKernelOfTheTableMakesAValidOperationUnderBothMappings) {
  EXPECT_THAT(liger::kernels(), SizeIs(35));
  for (const liger::Kernel& kernel : liger::kernels()) {
    for (const auto mapping : {liger::Mapping::distinct, liger::Mapping::kernelindex_1}) {
      const auto operation = liger::make_operation(kernel, mapping);
      EXPECT_TRUE(operation.has_value())
          << kernel.name << (operation ? "" : to_string(operation.error()));
    }
  }
}

TEST(LigerTable, OperationsShareADigestExactlyWhereTheyShareASlug) {
  std::map<Digest, std::string_view> slugs;
  for (const liger::Kernel& kernel : liger::kernels()) {
    const auto operation = liger::make_operation(kernel, liger::Mapping::distinct);
    ASSERT_TRUE(operation.has_value());
    const auto [known, is_new] = slugs.emplace(operation->digest(), kernel.slug);
    EXPECT_EQ(known->second, kernel.slug) << kernel.name;
    EXPECT_NE(kernel.slug, kernel.public_slug);
  }
  EXPECT_THAT(slugs, SizeIs(33));
}

TEST(LigerTable, TheTwoMappingsShareNoOperationDigest) {
  std::set<Digest> digests;
  for (const liger::Kernel& kernel : liger::kernels()) {
    digests.insert(liger::make_operation(kernel, liger::Mapping::kernelindex_1)->digest());
  }
  for (const liger::Kernel& kernel : liger::kernels()) {
    const auto ours = liger::make_operation(kernel, liger::Mapping::distinct);
    EXPECT_FALSE(digests.contains(ours->digest())) << kernel.name;
  }
}

TEST(LigerDistinct, ASpeedRowBecomesARunInWholeNanoseconds) {
  const Prepared prepared = prepare_rows({{.y50 = "0.0256"}});
  ASSERT_THAT(prepared.bundle.runs, SizeIs(1));
  EXPECT_EQ(median_of(prepared.bundle.runs[0]), 25600);
  EXPECT_EQ(prepared.bundle.runs[0].external_id,
            "softmax/forward/liger/nvidia-b200/hidden1024-rows2048-bf16/2026-01-02-03-04-05");
  EXPECT_EQ(prepared.bundle.runs[0].source_line, 2);
  EXPECT_THAT(prepared.bundle.operations, SizeIs(1));
  EXPECT_THAT(prepared.bundle.workloads, SizeIs(1));
  EXPECT_THAT(prepared.bundle.implementations, SizeIs(1));
  EXPECT_TRUE(prepared.bundle.runs[0].protocol.has_value());
}

TEST(LigerDistinct, ProvidersDoNotShareAnImplementation) {
  std::vector<TestRow> rows;
  for (const auto& provider : liger::providers()) {
    rows.push_back({.provider = std::string(provider.name)});
  }
  rows.push_back({.provider = "somebody"});
  const Prepared prepared = prepare_rows(rows);
  std::set<Digest> digests;
  for (const auto& entry : prepared.bundle.implementations) digests.insert(entry.manifest.digest());
  EXPECT_THAT(digests, SizeIs(liger::providers().size() + 1));
  EXPECT_THAT(prepared.report.ambiguities, Contains(HasSubstr("\"somebody\" is not known")));
}

TEST(LigerDistinct, EqualComputationsShareOperationCaseAndImplementation) {
  const TestRow plain{.kernel = "swiglu",
                      .x_name = "T",
                      .config = R"({"B": 2, "hidden_size": 2048, "intermediate_size": 4096,
                                    "hidden_act": "silu", "dtype": "torch.bfloat16"})"};
  const TestRow tiled{.kernel = "tiled_swiglu",
                      .x_name = "T",
                      .config = R"({"bsz": 2, "hidden_size": 2048, "intermediate_size": 4096,
                                    "hidden_act": "silu", "activation_type": "swiglu",
                                    "num_shards": 4, "dtype": "torch.bfloat16"})"};
  const Prepared prepared = prepare_rows({plain, tiled});
  EXPECT_THAT(prepared.bundle.operations, SizeIs(1));
  EXPECT_THAT(prepared.bundle.workloads, SizeIs(1));
  EXPECT_THAT(prepared.bundle.implementations, SizeIs(1));
  EXPECT_THAT(prepared.bundle.runs, SizeIs(2));
}

TEST(LigerDistinct, TheNumberOfShardsTellsTiledImplementationsApart) {
  TestRow four{.kernel = "tiled_swiglu",
               .provider = "liger_tiled",
               .x_name = "T",
               .config = R"({"bsz": 2, "hidden_size": 2048, "intermediate_size": 4096,
                             "hidden_act": "silu", "num_shards": 4, "dtype": "torch.bfloat16"})"};
  TestRow eight = four;
  eight.config.replace(eight.config.find("4, \"dtype"), 1, "8");
  eight.timestamp = "2026-01-02 03:04:06";
  EXPECT_THAT(prepare_rows({four, eight}).bundle.implementations, SizeIs(2));
}

TEST(LigerDistinct, AnotherEpsilonIsAnotherCase) {
  TestRow row{.kernel = "rms_norm",
              .config = R"({"M": 2048, "dtype": "torch.bfloat16", "eps": 1e-06})"};
  TestRow other = row;
  other.config = R"({"M": 2048, "dtype": "torch.bfloat16", "eps": 1e-05})";
  const Prepared prepared = prepare_rows({row, other});
  EXPECT_THAT(prepared.bundle.workloads, SizeIs(2));
  ASSERT_THAT(prepared.bundle.runs, SizeIs(2));
  EXPECT_NE(prepared.bundle.runs[0].external_id, prepared.bundle.runs[1].external_id);
}

TEST(LigerDistinct, AConfigurationMemberWeDoNotKnowIsNotPassedOver) {
  const Prepared prepared =
      prepare_rows({{.config = R"({"M": 2048, "dtype": "torch.bfloat16", "log": true})"}});
  ASSERT_THAT(prepared.bundle.operations, SizeIs(1));
  EXPECT_THAT(prepared.bundle.operations[0].slug, HasSubstr("softmax-uncurated-bf16-"));
  EXPECT_THAT(spec_of(prepared.bundle.operations[0].manifest), HasSubstr(R"({\"log\":true})"));
  EXPECT_THAT(prepared.report.ambiguities, Contains(HasSubstr("member log is not known")));
}

TEST(LigerDistinct, TheSameRowTwiceIsImportedOnceAndCounted) {
  const Prepared prepared = prepare_rows({{}, {}});
  EXPECT_THAT(prepared.bundle.runs, SizeIs(1));
  EXPECT_EQ(prepared.report.skipped.at("duplicateRows").at("softmax"), 1);
  ASSERT_THAT(prepared.report.skipped_rows, SizeIs(1));
  EXPECT_EQ(prepared.report.skipped_rows[0].row, 2);
}

TEST(LigerDistinct, TwoFiguresForOneObservationAreBothRefused) {
  const Prepared prepared = prepare_rows({{}, {.y50 = "0.51"}});
  EXPECT_THAT(prepared.bundle.runs, SizeIs(0));
  ASSERT_THAT(prepared.report.issues, SizeIs(2));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("another row gives other figures"));
}

TEST(LigerDistinct, MemoryIsKeptInBytesApartFromLatency) {
  const Prepared prepared = prepare_rows(
      {{}, {.metric = "memory", .unit = "MB", .y50 = "4096.5", .y20 = "4096.5", .y80 = "4097"}});
  ASSERT_THAT(prepared.bundle.runs, SizeIs(2));
  const auto& memory = prepared.bundle.runs[1];
  EXPECT_THAT(memory.external_id, ::testing::EndsWith("/memory"));
  EXPECT_EQ(memory.run.spec().find("timing"), nullptr);
  const auto measurements = memory.run.spec().find("measurements")->items();
  ASSERT_THAT(measurements, SizeIs(3));
  EXPECT_EQ(measurements[0].find("metric")->string(), "peak_memory");
  EXPECT_EQ(measurements[0].find("unit")->string(), "bytes");
  EXPECT_EQ(measurements[0].find("value")->number(), 4295491584.0);
  EXPECT_EQ(memory.run.spec().find("sourceNative")->find("metrics")->find("mb_50")->number(),
            4096.5);
  EXPECT_EQ(memory.run.label("metric_unit"), "MB");
  EXPECT_NE(memory.run.spec().find("protocolDigest")->string(),
            prepared.bundle.runs[0].run.spec().find("protocolDigest")->string());
}

TEST(LigerDistinct, AMissingQuantileStaysMissing) {
  const Prepared prepared = prepare_rows({{.y20 = "", .y80 = "nan"}});
  ASSERT_THAT(prepared.bundle.runs, SizeIs(1));
  EXPECT_EQ(prepared.bundle.runs[0].run.spec().find("measurements"), nullptr);
}

TEST(LigerDistinct, AnUnknownGpuKeepsItsNameAndClaimsNoArchitecture) {
  const Prepared prepared = prepare_rows({{.gpu = "Radeon 9"}});
  ASSERT_THAT(prepared.bundle.runs, SizeIs(1));
  EXPECT_EQ(spec_of(*prepared.bundle.runs[0].environment),
            R"({"hardware":{"architecture":"unknown","product":"Radeon 9","vendor":"unknown"},)"
            R"("software":{}})");
  EXPECT_THAT(prepared.report.ambiguities, Contains(HasSubstr("Radeon 9")));
}

TEST(LigerDistinct, RefusedRowsNameRowLineAndReason) {
  const Prepared prepared = prepare_rows({{.mode = "sideways"},
                                          {.config = "{"},
                                          {.x_value = "1.5"},
                                          {.timestamp = "yesterday"},
                                          {.y50 = "0"},
                                          {.metric = "power"},
                                          {}});
  EXPECT_THAT(prepared.bundle.runs, SizeIs(1));
  ASSERT_THAT(prepared.report.issues, SizeIs(6));
  EXPECT_THAT(prepared.report.issues[0].locator, HasSubstr("table.csv: row 1, line 2"));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("\"sideways\""));
  EXPECT_THAT(prepared.report.issues[1].problem, HasSubstr("no JSON object"));
  EXPECT_THAT(prepared.report.issues[2].problem, HasSubstr("\"1.5\""));
  EXPECT_THAT(prepared.report.issues[3].problem, HasSubstr("\"yesterday\""));
  EXPECT_THAT(prepared.report.issues[4].problem, HasSubstr("no number above 0"));
  EXPECT_THAT(prepared.report.issues[5].problem, HasSubstr("neither speed nor memory"));
}

TEST(LigerTable, AFileThatIsNoTableIsRefusedAndTheOthersGoIn) {
  const std::vector<InputFile> files{{"none.csv", "kernel_name;y_value_50\nsoftmax;0,71\n"},
                                     {"one.csv", table({{.y50 = "0.5"}})},
                                     {"two.csv", table({{.kernel = "rope", .y50 = "0.6"}})}};
  const auto prepared = prepare_liger(files, {});
  ASSERT_TRUE(prepared.has_value());
  ASSERT_THAT(prepared->report.issues, SizeIs(1));
  EXPECT_EQ(prepared->report.issues[0].locator, "none.csv");
  EXPECT_EQ(prepared->report.issues[0].item, "the whole file");
  ASSERT_THAT(prepared->bundle.snapshots, SizeIs(2));
  ASSERT_THAT(prepared->bundle.runs, SizeIs(2));
  for (const auto& entry : prepared->bundle.runs) {
    const bool first = entry.external_id.starts_with("softmax/");
    EXPECT_EQ(prepared->bundle.snapshots[entry.snapshot].locator, first ? "one.csv" : "two.csv");
  }
}

TEST(LigerTable, AReportListsSoManyIssuesAndCountsAll) {
  std::string text = table({{}});
  const std::size_t bad = kIssuesListed + 5;
  for (std::size_t i = 0; i < bad; ++i) text += "a\n";
  const Prepared prepared = prepare(std::move(text));
  EXPECT_THAT(prepared.report.issues, SizeIs(kIssuesListed));
  EXPECT_EQ(prepared.report.issues_in_all, static_cast<std::int64_t>(bad));
  EXPECT_THAT(to_text(prepared.report), HasSubstr("not imported (10005)"));
  EXPECT_THAT(to_text(prepared.report), HasSubstr("and 9985 more"));
}

TEST(LigerTable, OneRowThatIsNotUtf8IsRefusedAlone) {
  const Prepared prepared = prepare(table({{.provider = "caf\xE9"}, {}}));
  EXPECT_THAT(prepared.bundle.runs, SizeIs(1));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_THAT(prepared.report.issues[0].locator, HasSubstr("row 1, line 2"));
}

TEST(LigerTable, TheVersionIsALabelOfTheRunAndNoPartOfItsIdentity) {
  for (const auto mapping : {liger::Mapping::distinct, liger::Mapping::kernelindex_1}) {
    const auto run_of = [&](const std::string& version) {
      auto prepared = prepare(table({{.version = version}}), mapping);
      EXPECT_THAT(prepared.bundle.runs, SizeIs(1));
      return std::move(prepared.bundle.runs.at(0).run);
    };
    const auto run = run_of("0.7.0");
    EXPECT_EQ(run.label("liger_version"), "0.7.0");
    EXPECT_EQ(run_of("").label("liger_version"), "") << "not stated";
    EXPECT_EQ(run_of("0.8.1").digest(), run.digest());
  }
}

TEST(LigerPublic, RowsLeftOutAreCountedByReason) {
  const Prepared prepared = prepare_rows({{.metric = "memory", .unit = "MB"},
                                          {.kernel = "fused_ce"},
                                          {.provider = "somebody"},
                                          {.config = "{}"},
                                          {.gpu = "Radeon 9"},
                                          {}},
                                         liger::Mapping::kernelindex_1);
  EXPECT_THAT(prepared.bundle.runs, SizeIs(1));
  const auto& skipped = prepared.report.skipped;
  EXPECT_EQ(skipped.at("memoryRows").at("memory"), 1);
  EXPECT_EQ(skipped.at("uncuratedKernels").at("fused_ce"), 1);
  EXPECT_EQ(skipped.at("unknownProvider").at("somebody"), 1);
  EXPECT_EQ(skipped.at("unknownConfig").at("softmax"), 1);
  EXPECT_EQ(skipped.at("unknownGpu").at("Radeon 9"), 1);
  std::map<std::int64_t, std::string> rows;
  for (const SkippedRow& row : prepared.report.skipped_rows) {
    EXPECT_EQ(row.line, row.row + 1) << "the header is a line";
    EXPECT_FALSE(row.file.empty());
    rows[row.row] = row.reason + " " + row.name;
  }
  EXPECT_THAT(rows, ElementsAre(Pair(1, "memoryRows memory"), Pair(2, "uncuratedKernels fused_ce"),
                                Pair(3, "unknownProvider somebody"),
                                Pair(4, "unknownConfig softmax"), Pair(5, "unknownGpu Radeon 9")));
  EXPECT_THAT(to_text(prepared.report), HasSubstr("row 1, line 2: memory rows, memory"));
}

TEST(LigerPublic, OurOwnProtocolIsReported) {
  const Prepared prepared = prepare_rows({{}}, liger::Mapping::kernelindex_1);
  EXPECT_THAT(prepared.report.ambiguities, Contains(HasSubstr("forward pass is bound to")));
}

TEST(LigerOptions, AMappingIsOneOfTwoWords) {
  EXPECT_EQ(parse_mapping("distinct"), liger::Mapping::distinct);
  EXPECT_EQ(parse_mapping("kernelindex-1"), liger::Mapping::kernelindex_1);
  EXPECT_FALSE(parse_mapping("kernelindex").has_value());
}

}  // namespace
}  // namespace ki::importer
