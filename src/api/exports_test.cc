#include "api/exports.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ki::api {
namespace {

namespace fs = std::filesystem;

TEST(Exports, AreNamedByDayAndContent) {
  const Instant now = *parse_instant("2026-08-16T23:59:59Z");
  EXPECT_EQ(export_name(now, sha256("")), "catalog-2026-08-16-e3b0c442.jsonl.zst");
  EXPECT_TRUE(is_export_name(export_name(now, sha256("x"))));
  for (const char* name :
       {"catalog.jsonl.zst", "catalog-2026-08-16-94af2ae.jsonl.zst",
        "catalog-2026-08-16-94AF2AE7.jsonl.zst", "catalog-2026-0816-94af2ae77.jsonl.zst",
        "../ki.db", "", "catalog-2026-08-16-94af2ae7.jsonl.gz_"}) {
    EXPECT_FALSE(is_export_name(name)) << name;
  }
}

TEST(Exports, OfAFolderComeNewestFirstAndNothingElseCounts) {
  const fs::path folder = fs::temp_directory_path() / ("ki_exports_" + std::to_string(::getpid()));
  fs::create_directories(folder / "catalog-2026-08-16-00000000.jsonl.zst");  // a folder
  const auto made = fs::file_time_type::clock::now();
  int age = 0;
  for (const char* name :
       {"catalog-2026-08-16-aaaaaaaa.jsonl.zst", "catalog-2026-08-15-bbbbbbbb.jsonl.zst", "ki.db",
        "catalog-2026-08-17-cccccccc.jsonl.zst"}) {
    std::ofstream(folder / name) << name;
    fs::last_write_time(folder / name, made - std::chrono::hours(age++));
  }
  EXPECT_EQ(exports_in(folder),
            (std::vector<std::string>{"catalog-2026-08-16-aaaaaaaa.jsonl.zst",
                                      "catalog-2026-08-15-bbbbbbbb.jsonl.zst",
                                      "catalog-2026-08-17-cccccccc.jsonl.zst"}));
  fs::remove_all(folder);
  EXPECT_TRUE(exports_in(folder).empty());
}

}  // namespace
}  // namespace ki::api
