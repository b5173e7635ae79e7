// A catalog in a fresh file for one test, and short ways to look into it.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "publish/publish.h"
#include "support/bundles.h"

namespace ki::test {

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("ki_store_" + std::string(info->name()) + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "ki.db").string(); }

  catalog::Catalog open(db::OpenOptions options = {.mode = db::Mode::create}) {
    auto opened = catalog::Catalog::open(path(), clock_, options);
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(opened).value();
  }

  publish::Report publish_ok(catalog::Catalog& catalog, const publish::Bundle& bundle,
                             const publish::Options& options = {}) {
    auto report = publish::publish(catalog, bundle, clock_, options);
    EXPECT_TRUE(report) << to_string(report.error());
    return report ? std::move(*report) : publish::Report{};
  }

  // Rows of each table, by name; empty tables are left out.
  static std::map<std::string, std::int64_t> counts(catalog::Catalog& catalog) {
    const auto counted = catalog.connection().count_tables();
    EXPECT_TRUE(counted);
    std::map<std::string, std::int64_t> out;
    for (const auto& table : *counted) {
      if (table.rows > 0) out.emplace(table.table, table.rows);
    }
    return out;
  }

  // One text, or "null", from a query that gives one row; "none" when it gives no row.
  template <class... Arguments>
  static std::string text(catalog::Catalog& catalog, std::string_view sql,
                          const Arguments&... arguments) {
    auto rows = catalog.connection().query(db::Sql{"test", sql}, arguments...);
    EXPECT_TRUE(rows) << to_string(rows.error());
    if (!rows->next().value()) return "none";
    return rows->maybe_string(0).value_or("null");
  }

  // The slug of the implementation that holds the record, "none" without one.
  static std::string holder(catalog::Catalog& catalog) {
    return text(catalog,
                "SELECT i.slug FROM holder h JOIN run r ON r.id = h.run_id"
                " JOIN implementation i ON i.id = r.implementation_id");
  }

  // The id of the run of an implementation.
  static std::string run_of(catalog::Catalog& catalog, std::string_view slug) {
    return text(catalog,
                "SELECT r.id FROM run r JOIN implementation i ON i.id = r.implementation_id"
                " WHERE i.slug = $1 ORDER BY r.observed_at DESC",
                slug);
  }

  // "a>b new_run, ..." : who took the record from whom, and why, in time order.
  static std::string events(catalog::Catalog& catalog) {
    return text(catalog,
                "SELECT group_concat(step, ', ') FROM (SELECT COALESCE(p.slug, '') || '>' ||"
                " i.slug || ' ' || e.cause AS step FROM record_event e"
                " JOIN run r ON r.id = e.run_id"
                " JOIN implementation i ON i.id = r.implementation_id"
                " LEFT JOIN run q ON q.id = e.previous_run_id"
                " LEFT JOIN implementation p ON p.id = q.implementation_id ORDER BY e.at, e.id)");
  }

  std::filesystem::path folder_;
  FixedClock clock_{*parse_instant("2026-02-01T00:00:00Z")};
};

}  // namespace ki::test
