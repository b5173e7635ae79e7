#include "catalog/catalog.h"

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/rows_correction.h"
#include "catalog/rows_derived.h"
#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "catalog/rows_serving.h"
#include "catalog/rows_serving_run.h"
#include "catalog/rows_source.h"
#include "catalog/rows_trust.h"

namespace ki::catalog {
namespace {

namespace fs = std::filesystem;

class CatalogFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("ki_catalog_") + info->name() + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Catalog create() {
    auto opened = Catalog::open(path(), clock_, {.mode = db::Mode::create});
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(opened).value();
  }
  std::string path() const { return (folder_ / "var" / "ki.db").string(); }

  fs::path folder_;
  FixedClock clock_{*parse_instant("2026-01-02T03:04:05Z")};
};

template <class... Row>
struct Tables {};
using AllTables =
    Tables<SourceRow, SourceSnapshotRow, SourceLinkRow, ArtifactRow, ArtifactLinkRow,
           ModelRevisionRow, ServingStackRow, ServingConfigurationRow, ServingWorkloadRow,
           ServingRunRow, ServingMeasurementRow, CorrectionRow, AttestationRow, AuditRow,
           ProjectRow, OperationRow, OperationAliasRow, OperationTagRow, WorkloadRow,
           WorkloadAxisRow, ImplementationRow, ProtocolRow, EnvironmentRow, RunRow, MeasurementRow,
           PendingRunRow, CohortRow, StandingRow, RecordEventRow, HolderRow,
           OperationEquivalenceRow, SearchTermRow, SignedStatementRow, SignedRunRow, RunnerEventRow,
           RunTrustRow>;

template <class Row>
std::string columns_of_the_schema(db::Connection& connection) {
  constexpr db::Sql kColumns{"columns", "SELECT name FROM pragma_table_info($1) ORDER BY cid"};
  std::string out;
  auto rows = connection.query(kColumns, Row::kTable);
  EXPECT_TRUE(rows->each(
      [&](const db::Rows& row) { out.append(out.empty() ? "" : ", ").append(row.text(0)); }));
  return out;
}

template <class Row>
void check_columns_of(db::Connection& connection) {
  EXPECT_EQ(column_list<Row>(), columns_of_the_schema<Row>(connection)) << Row::kTable;
}

template <class... Row>
std::set<std::string> check_columns(db::Connection& connection, Tables<Row...>) {
  (check_columns_of<Row>(connection), ...);
  return {std::string(Row::kTable)...};
}

TEST_F(CatalogFile, EveryTableHasAStructWithItsColumns) {
  const Catalog catalog = create();
  std::set<std::string> described = check_columns(catalog.connection(), AllTables{});
  // Read and written by statements of their own.
  described.insert({"schema_migration", "api_key", "api_key_use"});
  std::set<std::string> existing;
  const auto counts = catalog.connection().count_tables();
  ASSERT_TRUE(counts);
  for (const auto& count : *counts) {
    existing.insert(count.table);
  }
  EXPECT_EQ(described, existing);
}

TEST_F(CatalogFile, ARowComesBackAsItWent) {
  const Catalog catalog = create();
  const ProtocolRow protocol{.digest = "sha256:p",
                             .harness = "h",
                             .manifest = "{}",
                             .created_at = "2026-01-02T03:04:05.000Z"};
  ASSERT_TRUE(insert(catalog.connection(), protocol));
  constexpr db::Sql kByDigest{"protocol_by_digest", "WHERE digest = $1"};
  const auto found = find<ProtocolRow>(catalog.connection(), kByDigest, "sha256:p");
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE(differences(**found, protocol).empty());
  EXPECT_EQ(find<ProtocolRow>(catalog.connection(), kByDigest, "sha256:q").value(), std::nullopt);

  ProtocolRow changed = protocol;
  changed.harness = "other";
  const auto found_differences = differences(**found, changed);
  ASSERT_EQ(found_differences.size(), 1U);
  EXPECT_EQ(found_differences[0].column, "harness");
  EXPECT_EQ(found_differences[0].stored, "h");
  EXPECT_EQ(found_differences[0].expected, "other");
}

TEST_F(CatalogFile, EvidenceRefusesChangesAndDeletes) {
  const Catalog catalog = create();
  db::Connection& connection = catalog.connection();
  ASSERT_TRUE(insert(connection, EnvironmentRow{.digest = "sha256:e",
                                                .hardware_model = "m",
                                                .hardware_form_factor = {},
                                                .manifest = "{}",
                                                .created_at = "t"}));
  constexpr db::Sql kChange{"change", "UPDATE environment SET hardware_model = 'other'"};
  constexpr db::Sql kDelete{"delete", "DELETE FROM environment"};
  EXPECT_EQ(connection.run(kChange).error().code, Code::denied);
  EXPECT_EQ(connection.run(kDelete).error().code, Code::denied);
}

TEST_F(CatalogFile, AllButTheTablesThatMayChangeAreHeldByTriggers) {
  const Catalog catalog = create();
  std::set<std::string> tables;
  std::set<std::string> triggers;
  const auto schema = catalog.connection().schema();
  ASSERT_TRUE(schema);
  for (const auto& object : *schema) {
    if (object.type == "table") tables.insert(object.name);
    if (object.type == "trigger") triggers.insert(object.name);
  }
  std::set<std::string> open;
  for (const std::string& table : tables) {
    for (const auto* what : {"_refuse_update", "_refuse_delete", "_refuse_replace"}) {
      if (!triggers.contains(table + what)) open.insert(table);
    }
  }
  const std::set<std::string> expected{"operation_alias",
                                       "operation_tag",
                                       "pending_run",
                                       "cohort",
                                       "standing",
                                       "record_event",
                                       "run_trust",
                                       "holder",
                                       "search_term",
                                       "schema_migration",
                                       "api_key",
                                       "api_key_use",
                                       "operation_equivalence"};
  EXPECT_EQ(open, expected);
}

TEST_F(CatalogFile, ReferencesMustPointSomewhere) {
  const Catalog catalog = create();
  const auto refused =
      insert(catalog.connection(), OperationAliasRow{.operation_id = "no such", .alias = "a"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_EQ(refused.error().where, "insert_operation_alias");
}

TEST_F(CatalogFile, IsOpenedOnlyWithItsSchema) {
  EXPECT_EQ(Catalog::open(path(), clock_).error().code, Code::not_found);
  {
    const Catalog made = create();
  }
  EXPECT_TRUE(Catalog::open(path(), clock_));
  {
    auto raw = db::open(path(), {.mode = db::Mode::read_write});
    constexpr db::Sql kNewer{"newer", "INSERT INTO schema_migration VALUES (99, 'x', 't')"};
    ASSERT_TRUE((*raw)->run(kNewer));
  }
  const auto newer = Catalog::open(path(), clock_);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, Code::conflict);
  const std::string empty = (folder_ / "empty.db").string();
  {
    auto raw = db::open(empty, {.mode = db::Mode::create});
  }
  EXPECT_EQ(Catalog::open(empty, clock_).error().code, Code::not_found);
}

}  // namespace
}  // namespace ki::catalog
