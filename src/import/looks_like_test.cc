#include "import/looks_like.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "import/export/export.h"
#include "import/liger/liger.h"
#include "import/manifests.h"

namespace ki::importer {
namespace {

using ::testing::HasSubstr;

std::string compressed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

const std::string kExport = R"({"table":"sources","row":{"id":"1"}})"
                            "\n";
const std::string kLiger = "kernel_name,kernel_provider,metric_name\nrope,liger,speed\n";
const std::string kManifest =
    "# a case\napiVersion: kernelindex.dev/v1alpha1\nkind: WorkloadCase\n";
const std::string kEvidence = R"({"session":{"format":"kernelindex.dev/evidence/1"}})"
                              "\n";
const std::string kElse = "[\n  {\n    \"ID\": \"5.1-0001\"\n  }\n]\n";

TEST(LooksLike, TellsWhatKiReads) {
  EXPECT_EQ(content_of(kExport), Content::catalog_export);
  EXPECT_EQ(content_of(compressed(kExport)), Content::catalog_export);
  EXPECT_EQ(content_of("not json\n" + kExport), Content::catalog_export) << "one line is broken";
  EXPECT_EQ(content_of(kLiger), Content::liger_table);
  EXPECT_EQ(content_of(kManifest), Content::manifests);
  EXPECT_EQ(content_of(R"([{"apiVersion":"kernelindex.dev/v1alpha1"}])"), Content::manifests);
  EXPECT_EQ(content_of(compressed(kEvidence)), Content::evidence);
  EXPECT_EQ(content_of(compressed(kElse)), Content::compressed);
  EXPECT_EQ(content_of(kElse), Content::other);
  EXPECT_EQ(content_of(""), Content::unknown);
  EXPECT_EQ(content_of(compressed(kExport).substr(0, 8)), Content::unknown);
}

// Of a file of another kind every line was refused by itself: thousands of them.
TEST(LooksLike, AFileOfAnotherKindIsRefusedOnceAndNamesItsCommand) {
  const auto many = [](const std::string& line) {
    std::string text;
    for (int i = 0; i < 500; ++i) text += line;
    return text;
  };
  const auto exported = prepare_export({"a.csv", kLiger + many("rope,liger,speed\n")}, {});
  ASSERT_FALSE(exported);
  EXPECT_THAT(exported.error().message, HasSubstr("ki import liger reads"));
  const auto other = prepare_export({"a.json.zst", compressed(many(kElse))}, {});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("is no catalog export"));

  const InputFile catalog{"catalog.jsonl.zst", compressed(many(kExport))};
  const auto liger = prepare_liger({&catalog, 1}, {}, {});
  ASSERT_TRUE(liger);
  ASSERT_EQ(liger->report.issues.size(), 1U);
  EXPECT_THAT(liger->report.issues.front().problem, HasSubstr("ki import export reads"));

  for (const InputFile& file : {catalog, InputFile{"table.csv", kLiger},
                                InputFile{"x.evidence.zst", compressed(kEvidence)}}) {
    const auto manifests = prepare_manifests({&file, 1}, {});
    ASSERT_TRUE(manifests);
    ASSERT_EQ(manifests->report.issues.size(), 1U) << file.name;
    EXPECT_THAT(manifests->report.issues.front().problem, HasSubstr(", which ki ")) << file.name;
  }
}

}  // namespace
}  // namespace ki::importer
