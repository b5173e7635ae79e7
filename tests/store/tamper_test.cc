// What a program that is not ours does to a catalog behind the triggers is seen, whatever it is.

#include <fmt/format.h>

#include "publish/verify.h"
#include "store/whole_catalog.h"

namespace ki::test {
namespace {

struct TableColumn {
  std::string name;
  std::string type;
  bool in_key = false;
};

class Tamper : public WholeCatalogTest {
 protected:
  void SetUp() override {
    WholeCatalogTest::SetUp();
    catalog_.emplace(open());
    fill(*catalog_);
  }
  void TearDown() override {
    catalog_.reset();
    WholeCatalogTest::TearDown();
  }

  // Everything that is not derived, which `ki verify` makes anew, but the keys of clients.
  std::vector<std::string> evidence() {
    const std::set<std::string> others{"cohort",  "standing",    "record_event",
                                       "holder",  "search_term", "schema_migration",
                                       "api_key", "api_key_use", "run_trust"};
    std::vector<std::string> out;
    const auto tables = catalog_->connection().count_tables();
    EXPECT_TRUE(tables);
    for (const auto& table : *tables) {
      if (others.contains(table.table)) continue;
      EXPECT_GT(table.rows, 0) << table.table << " is not tested";
      out.push_back(table.table);
    }
    EXPECT_GE(out.size(), 20U);
    return out;
  }

  std::vector<TableColumn> columns(const std::string& table) {
    std::vector<TableColumn> out;
    const std::string sql =
        "SELECT name, type, pk > 0 FROM pragma_table_info('" + table + "') ORDER BY cid";
    auto rows = catalog_->connection().query(db::Sql{"columns", sql});
    EXPECT_TRUE(rows && rows->each([&](const db::Rows& row) {
      out.push_back({.name = row.string(0), .type = row.string(1), .in_key = row.flag(2)});
    }));
    return out;
  }

  // "WHERE" the `n`th row, by its key.
  std::string row(const std::string& table, std::int64_t n) {
    std::string key;
    for (const TableColumn& column : columns(table)) {
      if (column.in_key) key += (key.empty() ? "" : ", ") + column.name;
    }
    return fmt::format(" WHERE ({0}) = (SELECT {0} FROM {1} ORDER BY {0} LIMIT 1 OFFSET {2})", key,
                       table, n);
  }

  // The tables with a finding after `sql` was run, which leaves no trace.
  std::set<std::string> found_after(const std::string& sql) {
    auto transaction = catalog_->connection().begin();
    EXPECT_TRUE(transaction);
    const db::WithoutTriggers as_another(catalog_->connection());
    for (const std::string& text : {std::string("PRAGMA defer_foreign_keys = ON"), sql}) {
      const auto done = catalog_->connection().run(db::Sql{"tamper", text});
      EXPECT_TRUE(done) << sql << ": " << to_string(done.error());
    }
    const auto report = publish::verify(*catalog_);
    EXPECT_TRUE(report) << to_string(report.error());
    std::set<std::string> out;
    for (const auto& finding : report->findings) out.insert(finding.entity);
    return out;
  }

  std::optional<catalog::Catalog> catalog_;
};

TEST_F(Tamper, NothingIsFoundInWhatWasPublished) {
  EXPECT_EQ(found_after("SELECT 1"), std::set<std::string>{});
}

TEST_F(Tamper, AChangeOfAnyColumnOfAnyEvidenceIsSeen) {
  for (const std::string& table : evidence()) {
    for (const TableColumn& column : columns(table)) {
      const std::string changed = column.type == "TEXT" ? "COALESCE(" + column.name + ", '') || 'x'"
                                                        : "COALESCE(" + column.name + ", 0) + 1000";
      const std::string sql =
          "UPDATE " + table + " SET " + column.name + " = " + changed + row(table, 0);
      EXPECT_TRUE(found_after(sql).contains(table)) << sql;
    }
  }
}

TEST_F(Tamper, TheLossOfAnyEvidenceIsSeen) {
  for (const std::string& table : evidence()) {
    const auto rows = counts(*catalog_)[table];
    for (std::int64_t n = 0; n < rows; ++n) {
      const std::string sql = "DELETE FROM " + table + row(table, n);
      EXPECT_FALSE(found_after(sql).empty()) << sql;
    }
    EXPECT_FALSE(found_after("DELETE FROM " + table).empty()) << table;
  }
}

TEST_F(Tamper, EvidenceThatWasPutInIsSeen) {
  for (const std::string& table : evidence()) {
    std::string names;
    std::string values;
    for (const TableColumn& column : columns(table)) {
      const std::string comma = names.empty() ? "" : ", ";
      names += comma + column.name;
      // Another key wherever one is unique; references may point nowhere until the end.
      const bool reference = column.name.ends_with("_id") && !column.in_key;
      values += comma + (column.type != "TEXT" ? column.name + " + 1000"
                         : reference           ? column.name
                                               : column.name + " || 'x'");
    }
    const std::string sql = fmt::format("INSERT INTO {0} ({1}) SELECT {2} FROM {0}{3}", table,
                                        names, values, row(table, 0));
    EXPECT_FALSE(found_after(sql).empty()) << sql;
  }
}

TEST_F(Tamper, TheHeadOfTheLogIsReported) {
  const auto report = publish::verify(*catalog_);
  ASSERT_TRUE(report);
  EXPECT_EQ(std::to_string(report->log_rows.value_or(-1)),
            text(*catalog_, "SELECT COUNT(*) FROM audit"));
  EXPECT_EQ(report->log_digest,
            text(*catalog_, "SELECT digest FROM audit ORDER BY sequence DESC LIMIT 1"));
}

TEST_F(Tamper, WhatIsNotReadIsNotCounted) {
  ASSERT_TRUE(catalog_->connection().script("drop", "ALTER TABLE cohort ADD COLUMN more TEXT;"));
  const auto report = publish::verify(*catalog_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->found, 1);
  EXPECT_EQ(report->log_rows, std::nullopt);
}

}  // namespace
}  // namespace ki::test
