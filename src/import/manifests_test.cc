#include "import/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/draft.h"
#include "manifest/documents.h"

namespace ki::importer {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view kProject = R"(apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: pebble}
spec: {name: Pebble}
)";
constexpr std::string_view kEnvironment = R"(apiVersion: kernelindex.dev/v1alpha1
kind: ExecutionEnvironment
metadata: {name: host}
spec:
  hardware: {vendor: unknown, product: Box, architecture: unknown}
  software: {}
)";
constexpr std::string_view kProtocol = R"(apiVersion: kernelindex.dev/v1alpha1
kind: BenchmarkProtocol
metadata: {name: by-hand}
spec:
  harness: {name: by hand}
  measurement: {timer: wall_clock, primaryStatistic: median}
  comparability: {family: by_hand}
)";

std::string implementation() {
  return R"(apiVersion: kernelindex.dev/v1alpha1
kind: ImplementationRevision
metadata: {name: pebble-axpy}
spec:
  projectRevision: {}
  operation: {specDigest: "sha256:)" +
         std::string(64, 'a') + R"("}
  callable: {language: cuda}
  support: {hardwareArchitectures: [], dtypes: []}
  licensing: {}
)";
}

Digest digest_of(std::string_view yaml) {
  const auto documents = manifest::read_documents(yaml, "x.yaml");
  EXPECT_TRUE(documents.issues.empty());
  return documents.entries.at(0).manifest.digest();
}

std::string run(std::string_view source) {
  return R"(apiVersion: kernelindex.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: a-run}
spec:
  implementationDigest: "sha256:)" +
         std::string(64, 'b') + R"("
  workloadDigest: "sha256:)" +
         std::string(64, 'c') + R"("
  protocolDigest: ")" +
         to_string(digest_of(kProtocol)) + R"("
  environmentDigest: ")" +
         to_string(digest_of(kEnvironment)) + R"("
  status: passed
  timing: {primaryStatistic: median, latencyNs: {median: 8 us}}
  observedAt: "2026-01-02T03:04:05Z"
)" +
         (source.empty()
              ? ""
              : "  sourceNative: {source: " + std::string(source) + ", externalId: one}\n");
}

Prepared prepare(const std::vector<InputFile>& files) {
  auto prepared = prepare_manifests(files);
  EXPECT_TRUE(prepared.has_value());
  return prepared ? std::move(*prepared) : Prepared{};
}

std::string bundle(const std::vector<std::string>& documents) {
  std::string text;
  for (const auto& document : documents) text += "---\n" + document;
  return text;
}

TEST(Manifests, ARunFindsItsProtocolAndEnvironmentInAnotherFile) {
  const Prepared prepared =
      prepare({{"run.yaml", run("")},
               {"rest.yaml", bundle({std::string(kProtocol), std::string(kEnvironment)})}});
  ASSERT_THAT(prepared.bundle.runs, SizeIs(1));
  EXPECT_THAT(prepared.bundle.carried.settings, SizeIs(2));
  EXPECT_EQ(prepared.bundle.runs[0].source_slug, "");
  EXPECT_EQ(prepared.bundle.source.slug, "community");
  EXPECT_THAT(prepared.report.issues, SizeIs(0));
  EXPECT_THAT(prepared.bundle.snapshots, SizeIs(2));
}

TEST(Manifests, ARunBelongsToTheSourceItNames) {
  const Prepared prepared = prepare({{"run.yaml", run("liger-kernel-bench")}});
  ASSERT_THAT(prepared.bundle.more_sources, SizeIs(1));
  EXPECT_EQ(prepared.bundle.more_sources[0].name, "Liger-Kernel benchmarks");
  EXPECT_EQ(prepared.bundle.runs[0].source_slug, "liger-kernel-bench");
  EXPECT_EQ(prepared.bundle.runs[0].external_id, "one");
}

TEST(Manifests, AnImplementationJoinsTheOnlyProjectOfItsFile) {
  const Prepared prepared =
      prepare({{"both.yaml", bundle({std::string(kProject), implementation()})}});
  ASSERT_THAT(prepared.bundle.implementations, SizeIs(1));
  EXPECT_EQ(prepared.bundle.implementations[0].project_slug, "pebble");
}

TEST(Manifests, AnImplementationWithoutAProjectIsRefusedWithAWayOut) {
  const Prepared prepared = prepare({{"alone.yaml", implementation()}});
  EXPECT_THAT(prepared.bundle.implementations, SizeIs(0));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("projectSlug"));
}

TEST(Manifests, AProtocolOrAnEnvironmentGoesInAlone) {
  const Prepared prepared =
      prepare({{"alone.yaml", bundle({std::string(kProtocol), std::string(kEnvironment)})}});
  EXPECT_THAT(prepared.report.issues, SizeIs(0));
  EXPECT_THAT(prepared.bundle.carried.settings, SizeIs(2));
}

TEST(Manifests, ABadDocumentIsNamedAndTheOthersGoIn) {
  const Prepared prepared =
      prepare({{"mixed.yaml",
                bundle({std::string(kProject), std::string(kProject) + "extra: 1\n", run("")})}});
  EXPECT_THAT(prepared.bundle.projects, SizeIs(1));
  EXPECT_THAT(prepared.bundle.runs, SizeIs(1));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_THAT(prepared.report.issues[0].locator,
              ::testing::ContainsRegex("mixed.yaml: line [0-9]+, column 1$"));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("extra"));
  EXPECT_EQ(prepared.report.issues[0].column, 1);
}

TEST(Manifests, AManifestOverOneMebibyteIsRefused) {
  const std::string padding(std::size_t{1} << 20, '#');
  const Prepared prepared = prepare({{"big.yaml", std::string(kProject) + padding + "\n"}});
  EXPECT_THAT(prepared.bundle.projects, SizeIs(0));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("1048576"));
}

TEST(Draft, ASlugKeepsUnlikeNamesApart) {
  EXPECT_NE(marked_slug("a-b", "a_b"), marked_slug("a-b", "a-b"));
  EXPECT_LE(marked_slug(std::string(300, 'x'), "y").size(), 100U);
}

TEST(Draft, TokensBeginWithALetter) {
  EXPECT_EQ(tokenize("BT"), "bt");
  EXPECT_EQ(tokenize("4 x-Size!"), "x_size");
  EXPECT_EQ(tokenize("??"), "unknown");
}

}  // namespace
}  // namespace ki::importer
