// What the public index publishes, reproduced from its sources. Needs the shared data.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "import/liger/liger.h"
#include "import/liger/read_row.h"
#include "json/read.h"
#include "manifest/documents.h"
#include "policy/facts.h"
#include "support/places.h"

namespace ki::importer {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace fs = std::filesystem;

fs::path shared() { return places::shared_data("").value_or(""); }

class LigerProof : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shared().empty()) GTEST_SKIP() << "the shared data is not here";
  }

  static std::string text_of(const fs::path& path) {
    auto text = read_file(shared() / path, kInputBytesMax);
    EXPECT_TRUE(text.has_value()) << path;
    return text.value_or("");
  }

  static std::string csv() { return text_of("data/liger-all_benchmark_data.csv"); }

  static Result<Prepared> prepare(std::string text, const LigerOptions& options) {
    const InputFile file{"table.csv", std::move(text)};
    return prepare_liger({&file, 1}, options);
  }

  static Prepared prepare_well(std::string text, liger::Mapping mapping) {
    LigerOptions options;
    options.mapping = mapping;
    auto prepared = prepare(std::move(text), options);
    EXPECT_TRUE(prepared.has_value()) << (prepared ? "" : to_string(prepared.error()));
    return prepared ? std::move(*prepared) : Prepared{};
  }

  static Prepared prepare_case(std::string_view file) {
    return prepare_well(text_of(fs::path("cases") / file), liger::Mapping::distinct);
  }
};

double median_of(const publish::RunEntry& entry) {
  return entry.run.spec().find("timing")->find("latencyNs")->find("median")->number();
}

std::vector<double> medians_by_row(Prepared& prepared) {
  auto& runs = prepared.bundle.runs;
  std::ranges::sort(runs, {}, &publish::RunEntry::source_row);
  std::vector<double> medians;
  for (const auto& entry : runs) {
    if (entry.run.spec().find("timing") != nullptr) medians.push_back(median_of(entry));
  }
  return medians;
}

std::vector<std::int64_t> refused_rows(const Prepared& prepared) {
  std::vector<std::int64_t> rows;
  for (const auto& issue : prepared.report.issues) rows.push_back(issue.row.value_or(0));
  return rows;
}

std::set<Digest> digests_of(const Prepared& prepared) {
  std::set<Digest> digests;
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries) digests.insert(entry.manifest.digest());
  };
  add(prepared.bundle.operations);
  add(prepared.bundle.workloads);
  add(prepared.bundle.implementations);
  add(prepared.bundle.projects);
  for (const auto& entry : prepared.bundle.runs) {
    digests.insert(entry.run.digest());
    if (entry.protocol) digests.insert(entry.protocol->digest());
    if (entry.environment) digests.insert(entry.environment->digest());
  }
  return digests;
}

// The fenced block of the contract that begins with ```NAME.
std::vector<std::string> fenced(const std::string& text, const std::string& name) {
  std::vector<std::string> lines;
  const std::size_t begin = text.find("```" + name + "\n");
  if (begin == std::string::npos) return lines;
  const std::size_t first = text.find('\n', begin) + 1;
  for (const auto line :
       split(std::string_view(text).substr(first, text.find("\n```", first) - first), '\n')) {
    lines.emplace_back(line);
  }
  return lines;
}

TEST_F(LigerProof, EveryPublishedOperationDigestIsMade) {
  std::string_view kernel;
  int checked = 0;
  const auto lines = fenced(text_of("contract/importers.md"), "liger-kernels");
  for (const auto& line : lines) {
    const auto words = split(trim(line), ' ');
    if (words[0] == "kernel") kernel = words[1];
    if (words[0] != "op") continue;
    const auto* const known = liger::find_kernel(kernel);
    ASSERT_NE(known, nullptr) << kernel;
    const auto operation = liger::make_operation(*known, liger::Mapping::kernelindex_1);
    ASSERT_TRUE(operation.has_value());
    EXPECT_EQ(to_string(operation->digest()), "sha256:" + std::string(words[1])) << kernel;
    ++checked;
  }
  EXPECT_EQ(checked, 35);
}

// The protocols of the passes as the public index has them, by digest: only the backward one is in
// the seeds. The vectors need the others' digests alone.
TEST_F(LigerProof, EveryPublishedVectorIsMade) {
  int checked = 0;
  for (const auto& line : fenced(text_of("contract/importers.md"), "liger-vectors")) {
    const auto vector = json::parse(line);
    ASSERT_TRUE(vector.has_value());
    const auto text = [&](const char* key) {
      return std::string(vector->root.find(key)->string());
    };
    const auto y = vector->root.find("y")->items();
    std::string config;
    json::append_compact(config, *vector->root.find("cfg"));
    liger::Row row;
    row.kernel = text("k");
    row.provider = text("p");
    row.mode = text("mode");
    row.metric = "speed";
    row.unit = "ms";
    row.x_name = text("xn");
    row.x_value = text("x");
    row.y50 = y[0].string();
    row.y20 = y[1].string();
    row.y80 = y[2].string();
    row.config = config;
    row.gpu = text("gpu");
    row.timestamp = text("t");
    liger::RowReader reader(liger::Mapping::kernelindex_1);
    const auto reading = reader.read(row, "vectors");
    ASSERT_TRUE(reading.has_value()) << line;
    constexpr auto kMapping = liger::Mapping::kernelindex_1;
    const auto operation = liger::make_operation(*reading->kernel, kMapping);
    const auto workload =
        liger::make_case(*reading->kernel, reading->binding, operation->digest(), kMapping);
    ASSERT_TRUE(workload.has_value()) << line;
    EXPECT_EQ(to_string(workload->digest()), "sha256:" + text("case")) << line;
    const auto implementation =
        liger::make_implementation(reading->maker, operation->digest(), {"a", "b"}, kMapping);
    ASSERT_TRUE(implementation.has_value());
    const liger::RunFacts facts{.implementation = implementation->digest(),
                                .workload = workload->digest(),
                                .protocol = liger::public_protocol_digest(reading->pass),
                                .environment = liger::make_environment(reading->gpu)->digest(),
                                .is_latency = true,
                                .unit = "ns",
                                .values = reading->figures.values,
                                .native = reading->figures.native,
                                .benchmark = row.kernel + "/" + row.mode,
                                .external_id = reading->external_id,
                                .observed_at = to_iso(reading->observed),
                                .title = "t",
                                .labels = {}};
    const auto run = liger::make_run(facts);
    ASSERT_TRUE(run.has_value()) << line;
    EXPECT_EQ(to_string(run->digest()), "sha256:" + text("run")) << line;
    ++checked;
  }
  EXPECT_EQ(checked, 47);
}

TEST_F(LigerProof, TheTableGivesTheSeedsTheirDigestsUnderTheirProtocol) {
  LigerOptions options;
  options.mapping = liger::Mapping::kernelindex_1;
  std::set<Digest> wanted;
  for (const auto& seed : fs::directory_iterator(shared() / "data/seeds")) {
    auto documents = manifest::read_documents(text_of(seed.path()), seed.path().string());
    for (auto& entry : documents.entries) {
      if (entry.role == manifest::Role::run) wanted.insert(entry.manifest.digest());
    }
    if (options.protocols.empty()) {
      auto given = read_protocol(seed.path().string());
      ASSERT_TRUE(given.has_value()) << to_string(given.error());
      EXPECT_EQ(given->pass, liger::Pass::backward);
      options.protocols.push_back(std::move(*given));
    }
  }
  ASSERT_THAT(wanted, SizeIs(5));
  const auto prepared = prepare(csv(), options);
  ASSERT_TRUE(prepared.has_value());
  std::set<Digest> made;
  for (const auto& entry : prepared->bundle.runs) made.insert(entry.run.digest());
  for (const Digest& digest : wanted) EXPECT_TRUE(made.contains(digest)) << to_string(digest);
  EXPECT_EQ(prepared->report.skipped.at("memoryRows").at("memory"), 799);
  EXPECT_THAT(prepared->report.skipped_rows, SizeIs(799)) << "every row is a run or is listed";
  EXPECT_TRUE(skip_reasons(prepared->report).contains("memoryRows"));
  EXPECT_THAT(prepared->bundle.runs, SizeIs(1649));
}

const manifest::Manifest& with_digest(const auto& entries, std::string_view digest) {
  const auto found = std::ranges::find_if(
      entries, [&](const auto& entry) { return to_string(entry.manifest.digest()) == digest; });
  KI_CHECK(found != entries.end());
  return found->manifest;
}

// What the catalog derives for a run of the bundle under these two manifests.
policy::RunFacts facts_of(const publish::Bundle& bundle, const json::Value& run,
                          const manifest::Manifest& protocol,
                          const manifest::Manifest& environment) {
  const auto& workload = with_digest(bundle.workloads, run.find("workloadDigest")->string());
  const auto& operation =
      with_digest(bundle.operations, workload.spec().find("operationSpecDigest")->string());
  const auto& implementation =
      with_digest(bundle.implementations, run.find("implementationDigest")->string());
  auto facts =
      policy::derive_run_facts(run, protocol.spec(), environment.spec(),
                               policy::derive_workload_facts(workload.spec(), operation.spec()),
                               policy::derive_implementation_facts(implementation.spec()));
  KI_CHECK(facts.has_value());
  return std::move(*facts);
}

TEST_F(LigerProof, TheRunPagesRecordIsSecondInItsPublishedCohort) {
  constexpr std::string_view kCohort =
      "sha256:26ef57272cd81d16b03d0c177463577915cbb57cc6541d7d6e09854a46dc2abb";
  LigerOptions options;
  options.mapping = liger::Mapping::kernelindex_1;
  auto given = read_protocol((shared() / "data/seeds/004_ac5feaae2e2180a8.txt").string());
  ASSERT_TRUE(given.has_value()) << to_string(given.error());
  options.protocols.push_back(std::move(*given));
  const auto prepared = prepare(csv(), options);
  ASSERT_TRUE(prepared.has_value());
  const auto environment = liger::make_environment(liger::gpu_of("NVIDIA GeForce RTX 3090"));
  ASSERT_TRUE(environment.has_value());
  std::vector<std::pair<double, std::string>> cohort;
  for (const auto& entry : prepared->bundle.runs) {
    const json::Value& run = entry.run.spec();
    if (run.find("protocolDigest")->string() != to_string(options.protocols[0].manifest.digest()) ||
        run.find("environmentDigest")->string() != to_string(environment->digest())) {
      continue;
    }
    const auto facts = facts_of(prepared->bundle, run, options.protocols[0].manifest, *environment);
    if (to_string(facts.comparison_key) == kCohort) {
      cohort.emplace_back(facts.primary->value, entry.external_id);
    }
  }
  std::ranges::sort(cohort);
  ASSERT_THAT(cohort, SizeIs(2));
  EXPECT_EQ(cohort[0].first, 15102833);
  EXPECT_THAT(cohort[0].second, HasSubstr("/backward/liger/"));
  EXPECT_EQ(cohort[1].first, 24104448);
  EXPECT_THAT(cohort[1].second, HasSubstr("/backward/torch/"));
}

TEST_F(LigerProof, EveryRowOfTheTableIsImported) {
  const Prepared prepared = prepare_well(csv(), liger::Mapping::distinct);
  EXPECT_THAT(prepared.bundle.runs, SizeIs(1649 + 799));
  EXPECT_THAT(prepared.report.issues, SizeIs(0));
  EXPECT_TRUE(prepared.report.skipped.empty());
  EXPECT_THAT(prepared.report.ambiguities, SizeIs(0));
  EXPECT_EQ(prepared.report.discovered.at("rows"), 2448);
  EXPECT_EQ(prepared.report.discovered.at("speedRows"), 1649);
  EXPECT_EQ(prepared.report.discovered.at("memoryRows"), 799);
  EXPECT_EQ(prepared.report.discovered.at("speedRowsOfEqualQuantiles"), 367);
  EXPECT_THAT(prepared.bundle.operations, SizeIs(33));
  std::set<Digest> runs;
  for (const auto& entry : prepared.bundle.runs) runs.insert(entry.run.digest());
  EXPECT_THAT(runs, SizeIs(1649 + 799));
}

TEST_F(LigerProof, TheOrderOfTheRowsDoesNotMatter) {
  const std::string text = csv();
  auto lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  std::shuffle(lines.begin() + 1, lines.end(), random);
  std::string shuffled;
  for (const auto line : lines) shuffled += std::string(line) + "\n";
  for (const auto mapping : {liger::Mapping::distinct, liger::Mapping::kernelindex_1}) {
    const Prepared straight = prepare_well(text, mapping);
    const Prepared mixed = prepare_well(shuffled, mapping);
    EXPECT_EQ(digests_of(straight), digests_of(mixed)) << "seed " << seed;
    ASSERT_EQ(straight.bundle.implementations.size(), mixed.bundle.implementations.size());
    for (std::size_t i = 0; i < straight.bundle.implementations.size(); ++i) {
      const auto& left = straight.bundle.implementations[i];
      const auto& right = mixed.bundle.implementations[i];
      EXPECT_EQ(left.slug, right.slug) << "seed " << seed;
      EXPECT_EQ(left.manifest.to_json(), right.manifest.to_json()) << "seed " << seed;
    }
  }
}

TEST_F(LigerProof, RowsOfOneSampleAreImportedAsStated) {
  Prepared prepared = prepare_case("11-liger-one-sample/in.csv");
  EXPECT_THAT(medians_by_row(prepared), ElementsAre(84317200, 84902405, 3121152, 3120128));
  EXPECT_EQ(prepared.report.discovered.at("speedRowsOfEqualQuantiles"), 2);
  EXPECT_THAT(prepared.report.issues, SizeIs(0));
  EXPECT_THAT(prepared.report.ambiguities, Contains(HasSubstr("\"fused_ce\"")));
}

TEST_F(LigerProof, UnitsAreConvertedOrRefusedNeverGuessed) {
  Prepared prepared = prepare_case("13-liger-units/in.csv");
  EXPECT_THAT(medians_by_row(prepared), ElementsAre(25600, 25600, 25600, 25600, 25600));
  EXPECT_THAT(refused_rows(prepared), ElementsAre(5, 7, 9, 11, 12));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("\"MB\" does not fit metric speed"));
  EXPECT_THAT(prepared.report.issues[0].locator, HasSubstr("row 5, line 6"));
  std::vector<double> bytes;
  for (const auto& entry : prepared.bundle.runs) {
    if (entry.run.spec().find("timing") != nullptr) continue;
    bytes.push_back(entry.run.spec().find("measurements")->items()[0].find("value")->number());
  }
  EXPECT_THAT(bytes, ElementsAre(4295491584, 4));
  EXPECT_THAT(prepared.report.ambiguities, Contains(HasSubstr("GB is kept as it stands")));
}

TEST_F(LigerProof, ColumnsAreFoundByNameBehindAByteOrderMark) {
  Prepared prepared = prepare_case("15-liger-header-bom-crlf/a-bom-crlf.csv");
  EXPECT_THAT(medians_by_row(prepared), ElementsAre(710000, 910000));
  EXPECT_THAT(prepared.report.drift_warnings, ElementsAre(HasSubstr("torch_version")));
  EXPECT_EQ(prepared.bundle.runs[0].run.label("torch_version"), "2.12.0");
}

// The problem of a file that was refused as a whole.
std::string refusal_of(const Prepared& prepared) {
  EXPECT_TRUE(prepared.bundle.runs.empty());
  EXPECT_TRUE(prepared.bundle.snapshots.empty());
  EXPECT_THAT(prepared.report.issues, SizeIs(1));
  return prepared.report.issues.empty() ? "" : prepared.report.issues.front().problem;
}

TEST_F(LigerProof, AMissingColumnRefusesTheFileByName) {
  EXPECT_EQ(refusal_of(prepare_case("15-liger-header-bom-crlf/b-no-unit.csv")),
            "required column metric_unit is missing");
}

TEST_F(LigerProof, RaggedRecordsAreRefusedByRecordAndLine) {
  Prepared prepared = prepare_case("15-liger-header-bom-crlf/c-ragged.csv");
  EXPECT_THAT(medians_by_row(prepared), ElementsAre(710000, 710000));
  ASSERT_THAT(prepared.report.issues, SizeIs(2));
  EXPECT_THAT(prepared.report.issues[0].locator, HasSubstr("row 2, line 4"));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("13 fields"));
  EXPECT_THAT(prepared.report.issues[1].locator, HasSubstr("row 3, line 5"));
  EXPECT_THAT(prepared.report.issues[1].problem, HasSubstr("17 fields"));
}

TEST_F(LigerProof, ASemicolonTableIsRefusedWithItsSeparator) {
  EXPECT_THAT(refusal_of(prepare_case("15-liger-header-bom-crlf/d-semicolon.csv")),
              HasSubstr("separated by \";\""));
}

}  // namespace
}  // namespace ki::importer
