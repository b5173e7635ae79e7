#include "import/export/export.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/files.h"
#include "base/text.h"
#include "import/export/lines.h"
#include "import/liger/liger.h"
#include "json/write.h"
#include "support/places.h"

namespace ki::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace fs = std::filesystem;

std::string compressed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

std::vector<std::string> lines_of(std::string_view bytes, Status* status = nullptr,
                                  const LineLimits& limits = {}) {
  std::vector<std::string> lines;
  auto read = for_each_line(
      bytes, [&](std::string_view line, std::int64_t, std::uint64_t) { lines.emplace_back(line); },
      limits);
  if (status != nullptr) {
    *status = std::move(read);
  } else {
    EXPECT_TRUE(read.has_value());
  }
  return lines;
}

TEST(ExportLines, CompressedAndPlainTextGiveTheSameLines) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "line " + std::to_string(i) + "\n";
  const auto plain = lines_of(text);
  EXPECT_THAT(plain, SizeIs(100000));
  EXPECT_EQ(lines_of(compressed(text)), plain);
}

TEST(ExportLines, TheLastLineNeedsNoLineBreakAndEmptyOnesAreSkipped) {
  EXPECT_THAT(lines_of("a\n\nb\r\nc"), ElementsAre("a", "b", "c"));
}

TEST(ExportLines, DamagedAndCutOffCompressionIsRefused) {
  std::string bytes = compressed(std::string(1000, 'x') + "\n");
  Status status;
  lines_of(bytes.substr(0, bytes.size() - 3), &status);
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("ends in the middle"));
  bytes[6] = static_cast<char>(0xFF);
  bytes[7] = static_cast<char>(0xFF);
  lines_of(bytes, &status);
  EXPECT_FALSE(status.has_value());
}

TEST(ExportLines, LimitsHoldAtAndPastTheLimit) {
  Status status;
  lines_of("12345\n", &status, {.line_bytes_max = 5, .text_bytes_max = 6});
  EXPECT_TRUE(status.has_value());
  lines_of("123456\n", &status, {.line_bytes_max = 5, .text_bytes_max = 100});
  EXPECT_FALSE(status.has_value());
  lines_of(compressed("12345\n6"), &status, {.line_bytes_max = 5, .text_bytes_max = 6});
  EXPECT_FALSE(status.has_value());
}

Prepared prepare(std::string text) {
  auto prepared = prepare_export({"export.jsonl", std::move(text)});
  EXPECT_TRUE(prepared.has_value());
  return prepared ? std::move(*prepared) : Prepared{};
}

constexpr std::string_view kProjectManifest =
    R"("manifest":{"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject",)"
    R"("metadata":{"name":"p"},"spec":{"name":"Pebble"}})";

std::string project_row(std::string_view normalized) {
  return R"({"table":"projects","row":{"id":"01a00328-cf3c-71d4-a396-3ad177ec277a","slug":"p",)"
         R"("name":"Pebble","normalizedName":")" +
         std::string(normalized) + R"(","canonicalUrl":null,"licenseExpression":null,)" +
         std::string(kProjectManifest) + R"(,"createdAt":"2026-08-15T02:02:57.440Z"}})" + "\n";
}

TEST(Export, ARowKeepsItsIdAndTime) {
  const Prepared prepared = prepare(project_row("pebble"));
  ASSERT_THAT(prepared.bundle.projects, SizeIs(1));
  EXPECT_EQ(prepared.bundle.projects[0].preset->id, "01a00328-cf3c-71d4-a396-3ad177ec277a");
  EXPECT_EQ(prepared.bundle.projects[0].preset->created_at, "2026-08-15T02:02:57.440Z");
}

// Manifests are decoded ahead, before anybody knows what their row is: of rows of runs it is the
// one in the member "run", which is no manifest of any other row.
TEST(Export, AManifestReadAheadIsTheOneItsRowNames) {
  std::string row = project_row("pebble");
  const std::string manifest = "{" + std::string(kProjectManifest) + "}";
  const std::string inner = manifest.substr(manifest.find(':') + 1);
  const auto place = row.find(R"("kind":)");
  row.insert(place, R"("run":)" + inner.substr(0, inner.size() - 1) + ",");
  const Prepared prepared = prepare(row);
  EXPECT_THAT(prepared.bundle.projects, SizeIs(0));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("unknown member \"run\""));
}

// The exporting catalog may show a project under a name of later than its manifest.
TEST(Export, AProjectKeepsTheNameOfItsRow) {
  std::string row = project_row("brook");
  row.replace(row.find("Pebble"), 6, "Brook");
  const Prepared prepared = prepare(row);
  ASSERT_THAT(prepared.bundle.projects, SizeIs(1));
  EXPECT_EQ(prepared.bundle.projects[0].name, "Brook");
  EXPECT_EQ(prepared.report.discovered.at("renamedProjects"), 1);
}

TEST(Export, ANameOfAProjectIsBounded) {
  std::string row = project_row("brook");
  row.replace(row.find("Pebble"), 6, std::string(801, 'x'));
  const Prepared prepared = prepare(row);
  EXPECT_THAT(prepared.bundle.projects, SizeIs(0));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_THAT(prepared.report.issues[0].problem, HasSubstr("name: has 801 bytes"));
}

TEST(Export, AStoredFactThatDiffersIsLeftOutWithBothValues) {
  const Prepared prepared = prepare(project_row("rock"));
  EXPECT_THAT(prepared.bundle.projects, SizeIs(0));
  ASSERT_THAT(prepared.report.issues, SizeIs(1));
  EXPECT_EQ(prepared.report.issues[0].item, "projects 01a00328-cf3c-71d4-a396-3ad177ec277a");
  EXPECT_THAT(prepared.report.issues[0].problem,
              HasSubstr("normalizedName is stored as \"rock\" and recomputed as pebble"));
  EXPECT_EQ(prepared.report.issues[0].line, 1);
}

TEST(Export, ASlugThatIsNoneIsLeftOut) {
  for (const std::string slug :
       {"null", "7", "\"\"", "\"a/../b\"", "\"\\u0000nul\"", "\"-a\"", "\"<b>\""}) {
    std::string row = project_row("pebble");
    row.replace(row.find("\"p\""), 3, slug);
    const Prepared prepared = prepare(row);
    EXPECT_THAT(prepared.bundle.projects, SizeIs(0)) << slug;
    ASSERT_THAT(prepared.report.issues, SizeIs(1)) << slug;
    EXPECT_THAT(prepared.report.issues[0].problem, ::testing::StartsWith("slug: ")) << slug;
  }
  std::string row = project_row("pebble");
  row.replace(row.find("\"p\""), 3, "\"" + std::string(101, 'a') + "\"");
  EXPECT_THAT(prepare(row).bundle.projects, SizeIs(0));
}

TEST(Export, AnEmptyFileIsNoExport) {
  EXPECT_FALSE(prepare_export({"export.jsonl", ""}));
  EXPECT_FALSE(prepare_export({"export.jsonl", "\n\n"}));
}

// Lines are parsed some batches ahead of where they are taken.
TEST(Export, LinesAreTakenInOrderHoweverManyThereAre) {
  std::string text;
  constexpr int kLines = 3000;
  const std::string padding(1000, 'x');
  for (int i = 1; i <= kLines; ++i) {
    text += i % 2 == 0 ? "{oops " + padding + "\n"
                       : R"({"table":"moons","row":{"id":")" + std::to_string(i) + R"(","p":")" +
                             padding + "\"}}\n";
  }
  const Prepared prepared = prepare(std::move(text));
  EXPECT_EQ(prepared.report.discovered.at("lines"), kLines);
  ASSERT_THAT(prepared.report.issues, SizeIs(kLines));
  for (int i = 0; i < kLines; ++i) {
    EXPECT_EQ(prepared.report.issues[static_cast<std::size_t>(i)].line, i + 1);
  }
}

TEST(Export, UnknownTablesAndBrokenLinesAreReportedAndReadingGoesOn) {
  const Prepared prepared =
      prepare("{\"table\":\"moons\",\"row\":{}}\n{oops\n" + project_row("pebble"));
  EXPECT_THAT(prepared.bundle.projects, SizeIs(1));
  EXPECT_THAT(prepared.report.issues, SizeIs(2));
  EXPECT_THAT(prepared.report.drift_warnings, ElementsAre(HasSubstr("moons")));
}

class ExportProof : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst");
    if (!file) GTEST_SKIP() << "the shared data is not here";
    file_ = *file;
  }
  fs::path file_;
};

TEST_F(ExportProof, EveryLineOfARealExportVerifies) {
  auto file = read_input(file_.string());
  ASSERT_TRUE(file.has_value());
  const auto prepared = prepare_export(*file);
  ASSERT_TRUE(prepared.has_value());
  EXPECT_EQ(prepared->report.discovered.at("lines"), 39099);
  for (const auto& issue : prepared->report.issues) {
    ADD_FAILURE() << issue.locator << ": " << issue.item << ": " << issue.problem;
  }
  EXPECT_EQ(prepared->report.discovered.at("renamedProjects"), 331);
  const auto& bundle = prepared->bundle;
  EXPECT_THAT(bundle.more_sources, SizeIs(3));
  EXPECT_THAT(bundle.projects, SizeIs(588));
  EXPECT_THAT(bundle.operations, SizeIs(449));
  EXPECT_THAT(bundle.workloads, SizeIs(5627));
  EXPECT_THAT(bundle.implementations, SizeIs(4250));
  EXPECT_THAT(bundle.runs, SizeIs(7857));
  EXPECT_THAT(bundle.record_events, SizeIs(2948));
  EXPECT_THAT(bundle.artifacts, SizeIs(3074));
  std::size_t measurements = 0;
  for (const auto& run : bundle.runs) measurements += run.preset->measurements.size();
  EXPECT_EQ(measurements, 13853U);
}

}  // namespace
}  // namespace ki::importer
