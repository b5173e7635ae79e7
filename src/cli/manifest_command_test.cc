// What `ki manifest` prints and how it ends.
#include "cli/manifest_command.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "manifest/documents.h"
#include "policy/facts.h"

namespace ki::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ManifestCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("ki-manifest-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    write("good.yaml",
          "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\nmetadata: {name: pebble}\n"
          "spec: {repository: 'https://example.org/pebble', name: Pebble}\n");
    write("bad.yaml",
          "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProjekt\n"
          "metadata: {name: pebble}\nspec: {name: 3.10}\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Context context(Output output = Output::table) {
    return {.out = out_, .err = err_, .output = output};
  }

  std::filesystem::path folder_;
  std::ostringstream out_;
  std::ostringstream err_;
};

constexpr std::string_view kDigest =
    "sha256:75dd9a3aeeffbf879f3db032276bcf54eb67b9e9023917731e06f70588432c42";

TEST_F(ManifestCommand, DigestPrintsTheDigestAndTheFile) {
  EXPECT_EQ(manifest_digest(context(), {.files = {path("good.yaml")}}), kOk);
  EXPECT_EQ(out_.str(), std::string(kDigest) + "  " + path("good.yaml") + "\n");
  EXPECT_THAT(err_.str(), IsEmpty());
}

TEST_F(ManifestCommand, DigestOfABadFilePrintsIssuesAndGoesOn) {
  EXPECT_EQ(manifest_digest(context(), {.files = {path("bad.yaml"), path("good.yaml")}}), kFailed);
  EXPECT_EQ(out_.str(), std::string(kDigest) + "  " + path("good.yaml") + "\n");
  EXPECT_THAT(err_.str(), HasSubstr(path("bad.yaml") + ":2:7: /kind: "));
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"SoftwareProject\"?"));
}

TEST_F(ManifestCommand, ExpandsPatternsItself) {
  EXPECT_EQ(manifest_validate(context(), {path("g*.yaml")}), kOk);
  EXPECT_EQ(out_.str(), "valid  SoftwareProject  pebble  " + path("good.yaml") + "\n");
}

TEST_F(ManifestCommand, SaysWhichFileIsAbsent) {
  EXPECT_EQ(manifest_validate(context(), {path("none*.yaml")}), kFailed);
  EXPECT_THAT(err_.str(), HasSubstr("none*.yaml"));
}

TEST_F(ManifestCommand, ExplainShowsTheCanonicalBytesAndEveryChange) {
  write(
      "protocol.yaml",
      "apiVersion: kernelindex.dev/v1alpha1\nkind: BenchmarkProtocol\nmetadata: {name: p}\nspec:\n"
      "  harness: {name: h, version: '1'}\n"
      "  measurement: {timer: cuda_events, warmupDuration: 0.25 s, samples: 10,\n"
      "    primaryStatistic: median}\n  comparability: {family: h, notes: 'n'}\n");
  EXPECT_EQ(manifest_digest(context(), {.files = {path("protocol.yaml")}, .explain = true}), kOk);
  EXPECT_THAT(out_.str(),
              StartsWith("sha256:820e569777e8b086496faf8b79ae4310ed54401d704ebbea643ad"));
  EXPECT_THAT(out_.str(), HasSubstr(R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":)"));
  EXPECT_THAT(out_.str(),
              HasSubstr("/spec/measurement/warmupDuration: duration: \"0.25 s\" -> 250000000\n"));
}

TEST_F(ManifestCommand, PrintsJson) {
  EXPECT_EQ(manifest_validate(context(Output::json), {path("good.yaml"), path("bad.yaml")}),
            kFailed);
  EXPECT_THAT(out_.str(), StartsWith("[{\"file\":\"" + path("good.yaml") + "\",\"valid\":true,"));
  EXPECT_THAT(out_.str(), HasSubstr("\"valid\":false,\"manifests\":[],\"issues\":[{\"code\":"
                                    "\"invalid_union\""));
  out_.str("");
  EXPECT_EQ(manifest_digest(context(Output::jsonl),
                            {.files = {path("good.yaml"), path("good.yaml")}, .explain = true}),
            kOk);
  EXPECT_THAT(out_.str(), HasSubstr("\"changes\":[]}\n{\"file\":"));
}

TEST_F(ManifestCommand, InitPrintsWhatValidates) {
  EXPECT_EQ(manifest_init(context(), {.kinds = {"benchmarkrun"}}), kOk);
  write("run.yaml", out_.str());
  EXPECT_EQ(manifest_validate(context(), {path("run.yaml")}), kOk);
}

TEST_F(ManifestCommand, NamesTheNearestKind) {
  EXPECT_EQ(manifest_schema(context(), "BenchmarkRuns"), kUsage);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean BenchmarkRun?"));
  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST_F(ManifestCommand, InitOfSeveralKindsFitsItself) {
  const ManifestInitOptions options{.kinds = {"project", "OPERATION", "WorkloadCase",
                                              "implementation", "protocol", "environment", "run"}};
  ASSERT_EQ(manifest_init(context(), options), kOk) << err_.str();
  write("all.yaml", out_.str());
  const auto documents = manifest::read_documents(out_.str(), "all.yaml");
  EXPECT_THAT(documents.issues, IsEmpty());
  ASSERT_EQ(documents.entries.size(), 7U);
  std::vector<std::string> own;
  for (const auto& entry : documents.entries) own.push_back(to_string(entry.manifest.digest()));
  int references = 0;
  const std::string text = out_.str();
  for (auto at = text.find("sha256:"); at != std::string::npos; at = text.find("sha256:", at + 1)) {
    EXPECT_THAT(own, ::testing::Contains(text.substr(at, 71)));
    ++references;
  }
  EXPECT_EQ(references, 6) << "of workload and implementation one, of the run four";
}

TEST_F(ManifestCommand, InitStatesPassAndInterval) {
  ASSERT_EQ(manifest_init(context(), {.kinds = {"protocol", "run"}}), kOk);
  const auto documents = manifest::read_documents(out_.str(), "two.yaml");
  ASSERT_EQ(documents.entries.size(), 2U);
  EXPECT_EQ(policy::timed_pass(documents.entries[0].manifest.root()), policy::Pass::forward);
  const auto& run = documents.entries[1].manifest.spec();
  EXPECT_NE(run.find("timing")->find("latencyNs")->find("confidence95"), nullptr);
}

TEST_F(ManifestCommand, InitOfAllIsEveryKindOnceAndAnUnknownOneNothing) {
  ASSERT_EQ(manifest_init(context(), {.kinds = {}, .all = true}), kOk);
  const auto documents = manifest::read_documents(out_.str(), "all.yaml");
  EXPECT_THAT(documents.issues, IsEmpty());
  EXPECT_EQ(documents.entries.size(), manifest::all_kinds().size());
  out_.str("");
  EXPECT_EQ(manifest_init(context(), {.kinds = {"run", "rum"}}), kUsage);
  EXPECT_EQ(manifest_init(context(), {}), kUsage);
  EXPECT_THAT(out_.str(), IsEmpty());
}

}  // namespace
}  // namespace ki::cli
