// A small catalog in a temporary file, for tests of the resolver: written row by row, so that every
// value a test expects stands in the test.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "catalog/rows_derived.h"
#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "catalog/rows_source.h"
#include "query/resolver.h"

namespace ki::query::testing {

// What one run of the test catalog is; everything else is filled in.
struct TestRun {
  std::string id{};  // four digits, also the end of its digest
  std::string implementation{};
  std::string workload{};
  std::string hardware = "NVIDIA H100";
  std::string form_factor{};
  std::string architecture = "sm_90";
  std::string toolkit{};  // digits and dots; "" = not stated
  double value = 100;
  bool raw_evidence = false;
  std::string status = "passed";
  double spread = 0;                 // half of p20 to p80; 0 = not stated
  std::string pass{};                // what the protocol's name says it times; "" = nothing
  std::string timer = "wall_clock";  // of the protocol
  std::string metric = "latency";
  std::string unit = "ns";
  std::string since{};                    // of the record it holds; "" = kTime
  std::string indexed_at{};               // the same of its publication
  std::optional<std::string> previous{};  // id of the run that held it before
};

inline std::string uuid(const std::string& tail) {
  return "01a00000-0000-7000-8000-00000000" + tail;
}
inline std::string digest(const std::string& tail) {
  return "sha256:" + std::string(64 - tail.size(), 'a') + tail;
}

class TestCatalog {
 public:
  TestCatalog() {
    static int made = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("ki_query_" + std::to_string(::getpid()) + "_" + std::to_string(made++) + ".db");
    remove();
    auto opened = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    EXPECT_TRUE(opened) << to_string(opened.error());
    catalog_ = std::make_unique<catalog::Catalog>(std::move(*opened));
    put(catalog::SourceRow{.id = uuid("9001"),
                           .slug = "board",
                           .kind = "leaderboard",
                           .name = "The board",
                           .policy = R"({"license":"MIT","url":"https://example.org/board"})",
                           .created_at = kTime});
    put(catalog::ProjectRow{.id = uuid("9002"),
                            .slug = "project",
                            .name = "Project",
                            .normalized_name = "project",
                            .kind = "library",
                            .canonical_url = {},
                            .license_expression = {},
                            .manifest_digest = digest("9002"),
                            .manifest = "{}",
                            .created_at = kTime});
  }
  ~TestCatalog() { remove(); }

  void operation(const std::string& id, const std::string& slug, const std::string& family);

  // The operations of one key compute the same.
  void equivalence(const std::string& operation, const std::string& key) {
    put(catalog::OperationEquivalenceRow{.operation_id = uuid(operation),
                                         .equivalence_key = digest(key)});
  }

  // A case n = `n` of the operation made last.
  void workload(const std::string& id, int n);
  // The same without tensors.
  void bare_workload(const std::string& id, int n);

  void implementation(const std::string& id, const std::string& slug, bool deployable,
                      const std::string& language = "triton", const std::string& role = "");

  // A run of the operation made last. Its cohort is its workload on its hardware, its pass and its
  // metric.
  void run(const TestRun& run);

  // Another connection sees the catalog changed.
  void touch(const std::string& id) {
    put(catalog::AuditRow{.sequence = ++touches_,
                          .id = uuid(id),
                          .at = kTime,
                          .actor = "test",
                          .action = "publish",
                          .entity_kind = "catalog",
                          .entity_id = "catalog",
                          .detail = "{}"});
  }

  std::string path() const { return path_.string(); }

  Resolver resolver() { return resolver(clock_); }
  Resolver resolver(const Clock& clock) {
    auto opened = Resolver::open(path_.string(), clock);
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(*opened);
  }

  // A row that is there already stays.
  template <class Row>
  void put(const Row& row) {
    const Status status =
        catalog::insert<Row, catalog::OnConflict::skip>(catalog_->connection(), row);
    EXPECT_TRUE(status || status.error().message.ends_with("is there already"))
        << to_string(status.error());
  }

  static constexpr const char* kTime = "2026-01-01T00:00:00.000Z";

 private:
  void remove() {
    for (const char* ending : {"", "-wal", "-shm"}) {
      std::error_code ignored;
      std::filesystem::remove(path_.string() + ending, ignored);
    }
  }

  std::filesystem::path path_;
  FixedClock clock_{*parse_instant("2026-02-01T00:00:00Z")};
  std::unique_ptr<catalog::Catalog> catalog_;
  std::string operation_;
  std::int64_t touches_ = 0;
};

}  // namespace ki::query::testing
