// The public catalog export through publish(): everything goes in with its ids, what is derived
// equals what the export states, and verify() finds nothing.

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <unordered_map>

#include <zstd.h>

#include "base/files.h"
#include "base/text.h"
#include "catalog/dump.h"
#include "json/write.h"
#include "publish/verify.h"
#include "store/store_test.h"
#include "support/places.h"

namespace ki::test {
namespace {

namespace fs = std::filesystem;
using json::Value;

fs::path export_path() {
  return places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst").value_or("");
}

std::string decompress(const std::string& bytes) {
  std::string out(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  EXPECT_EQ(size, out.size());
  return out;
}

std::string str(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  return value != nullptr && value->is_string() ? std::string(value->string()) : "";
}

manifest::Manifest decode(const Value& value) {
  std::string text;
  json::append_compact(text, value);
  auto decoded = manifest::decode_json(text);
  if (!decoded) stop(to_string(decoded.error()).c_str(), __FILE__, __LINE__);
  return std::move(*decoded);
}

publish::Preset preset(const Value& row) {
  return {.id = str(row, "id"), .created_at = str(row, "createdAt")};
}

struct Export {
  publish::Bundle bundle;
  std::unordered_map<std::string, std::string> projects;  // id -> slug
  std::unordered_map<std::string, std::string> sources;
  std::unordered_map<std::string, std::size_t> operations;  // id -> index
  std::unordered_map<std::string, std::size_t> runs;
  std::unordered_map<std::string, std::string> keys;  // run digest -> comparison key
  std::map<std::string, std::string> events;          // id -> what it says

  void add_object(std::string_view table, const Value& row) {
    if (table == "sources") {
      sources[str(row, "id")] = str(row, "slug");
      bundle.more_sources.push_back({.slug = str(row, "slug"),
                                     .kind = str(row, "kind"),
                                     .name = str(row, "name"),
                                     .preset = preset(row)});
    } else if (table == "projects") {
      projects[str(row, "id")] = str(row, "slug");
      bundle.projects.push_back({.manifest = decode(*row.find("manifest")),
                                 .slug = str(row, "slug"),
                                 .preset = preset(row)});
    } else if (table == "operations") {
      operations[str(row, "id")] = bundle.operations.size();
      bundle.operations.push_back({.manifest = decode(*row.find("manifest")),
                                   .slug = str(row, "slug"),
                                   .preset = preset(row)});
    } else if (table == "operation_aliases") {
      bundle.operations[operations.at(str(row, "operationId"))].aliases.push_back(
          str(row, "alias"));
    } else if (table == "workloads") {
      bundle.workloads.push_back(
          {.manifest = decode(*row.find("manifest")), .preset = preset(row)});
    } else if (table == "implementations") {
      bundle.implementations.push_back({.manifest = decode(*row.find("manifest")),
                                        .slug = str(row, "slug"),
                                        .project_slug = projects.at(str(row, "projectId")),
                                        .preset = preset(row)});
    }
  }

  void add_evidence(std::string_view table, const Value& row) {
    if (table == "benchmark_runs") {
      const Value& manifests = *row.find("manifest");
      runs[str(row, "id")] = bundle.runs.size();
      keys[str(row, "runDigest")] = str(row, "comparisonKey");
      bundle.runs.push_back(
          {.run = decode(*manifests.find("run")),
           .protocol = decode(*manifests.find("protocol")),
           .environment = decode(*manifests.find("environment")),
           .source_slug = sources.at(str(row, "sourceId")),
           .preset = publish::RunPreset{
               .row = {.id = str(row, "id"), .created_at = str(row, "publishedAt")},
               .published_at = str(row, "publishedAt")}});
    } else if (table == "measurements") {
      bundle.runs[runs.at(str(row, "runId"))].preset->measurements.push_back(
          {.metric = str(row, "metric"), .statistic = str(row, "statistic"), .id = str(row, "id")});
    } else if (table == "record_events") {
      bundle.record_events.push_back({.run_id = str(row, "runId"),
                                      .cause = str(row, "cause"),
                                      .policy_version = str(row, "policyVersion"),
                                      .row = preset(row)});
      events[str(row, "id")] = str(row, "comparisonKey") + str(row, "runId") +
                               str(row, "previousRunId") + str(row, "at");
    }
  }
};

Export read_export(std::string_view text) {
  Export out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto document = json::parse(line);
    if (!document) stop(to_string(document.error()).c_str(), __FILE__, __LINE__);
    const std::string table = str(document->root, "table");
    out.add_object(table, *document->root.find("row"));
    out.add_evidence(table, *document->root.find("row"));
  }
  return out;
}

// The runs of an export, each row in its canonical form, and the families of its operations, by id.
std::map<std::string, std::string> rows_of(std::string_view text) {
  std::map<std::string, std::string> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto document = json::parse(line);
    if (!document) stop(to_string(document.error()).c_str(), __FILE__, __LINE__);
    const Value& row = *document->root.find("row");
    const std::string table = str(document->root, "table");
    if (table == "benchmark_runs") out[str(row, "id")] = json::canonical(row);
    if (table == "operations") out[str(row, "id")] = str(row, "family");
  }
  return out;
}

class Watch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();  // of the processor: other work does not count
};

class ExportedCatalog : public StoreTest {};

TEST_F(ExportedCatalog, GoesInWholeAndVerifies) {
  if (!fs::exists(export_path())) GTEST_SKIP() << "the public export is not on this machine";
  const auto bytes = read_file(export_path(), std::size_t{64} << 20);
  ASSERT_TRUE(bytes);
  const std::string lines = decompress(*bytes);
  const Export input = read_export(lines);
  catalog::Catalog catalog = open();

  const Watch publishing;
  const auto report = publish_ok(catalog, input.bundle);
  std::cout << "publish " << publishing.seconds() << " s\n";
  EXPECT_EQ(report.pending, 0);
  EXPECT_EQ(report.record_events, 2948);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM run"), "7857");
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM measurement"), "13853");

  std::map<std::string, std::string> events;
  auto rows = catalog.connection().query(
      db::Sql{"events",
              "SELECT id, comparison_key || run_id || COALESCE(previous_run_id, '') || at"
              " FROM record_event"});
  ASSERT_TRUE(rows->each([&](const db::Rows& row) { events[row.string(0)] = row.string(1); }));
  EXPECT_EQ(events, input.events);

  rows = catalog.connection().query(db::Sql{"keys", "SELECT run_digest, comparison_key FROM run"});
  ASSERT_TRUE(rows->each(
      [&](const db::Rows& row) { EXPECT_EQ(input.keys.at(row.string(0)), row.text(1)); }));

  std::string dumped;
  ASSERT_TRUE(catalog::dump(catalog.connection(), [&](std::string_view line) -> Status {
    dumped.append(line).append("\n");
    return {};
  }));
  EXPECT_TRUE(rows_of(dumped) == rows_of(lines)) << "a run or a family comes back changed";

  const Watch again;
  EXPECT_FALSE(publish_ok(catalog, input.bundle).changed);
  std::cout << "publish again " << again.seconds() << " s\n";

  const Watch verifying;
  const auto verified = publish::verify(catalog);
  std::cout << "verify " << verifying.seconds() << " s\n";
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->found, 0);
  for (const auto& finding : verified->findings) {
    ADD_FAILURE() << finding.entity << " " << finding.id << " " << finding.field << ": "
                  << finding.stored << ", expected " << finding.expected;
  }
}

}  // namespace
}  // namespace ki::test
