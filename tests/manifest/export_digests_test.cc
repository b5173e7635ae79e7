// Every manifest of a real catalog export is valid here and has the digest stored beside it.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "manifest/documents.h"
#include "manifest/testing.h"
#include "support/places.h"

namespace ki::manifest {
namespace {

using json::Value;

std::string decompressed(const std::string& bytes) {
  std::string out(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  EXPECT_FALSE(ZSTD_isError(size)) << ZSTD_getErrorName(size);
  return out;
}

// The columns that hold the digests of a row's manifests, in the order the manifests are read.
const std::map<std::string, std::vector<std::string>, std::less<>> kDigestColumns = {
    {"projects", {}},
    {"operations", {"semanticDigest"}},
    {"workloads", {"workloadDigest"}},
    {"implementations", {"implementationDigest"}},
    {"benchmark_runs", {"runDigest", "protocolKey", "environmentKey"}},
};

TEST(Export, EveryDigestIsThatOfItsManifest) {
  const auto path = places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst");
  if (!path) GTEST_SKIP() << "the shared folder is absent";
  std::istringstream lines(decompressed(testing::read(*path)));
  std::map<std::string, int> manifests;
  int digests = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto row = json::parse(line, json::kBundleLimits);
    ASSERT_TRUE(row) << to_string(row.error());
    const std::string table(row->root.find("table")->string());
    const auto columns = kDigestColumns.find(table);
    if (columns == kDigestColumns.end()) continue;
    const Value& values = *row->root.find("row");
    std::string text;
    json::append_compact(text, *values.find("manifest"));
    const Documents documents = read_documents(text, table + ".json");
    ASSERT_TRUE(documents.issues.empty()) << to_string(documents.issues) << text;
    manifests[table] += static_cast<int>(documents.entries.size());
    for (std::size_t i = 0; i < columns->second.size(); ++i) {
      const Manifest& manifest = documents.entries.at(i).manifest;
      EXPECT_EQ(to_string(manifest.digest()), values.find(columns->second[i])->string()) << text;
      EXPECT_TRUE(manifest.changes().empty()) << "a published manifest is in normal form";
      ++digests;
    }
  }
  EXPECT_EQ(manifests, (std::map<std::string, int>{{"projects", 588},
                                                   {"operations", 449},
                                                   {"workloads", 5627},
                                                   {"implementations", 4250},
                                                   {"benchmark_runs", 3 * 7857}}));
  EXPECT_EQ(digests, 449 + 5627 + 4250 + 3 * 7857);
}

}  // namespace
}  // namespace ki::manifest
