#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/dialect.h"
#include "db/migrate.h"

namespace ki::db {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A fresh folder for one test.
class Db : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("ki_db_") + info->name() + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "test.db"; }

  std::unique_ptr<Connection> open_with(OpenOptions options) {
    auto connection = open(path().string(), options);
    EXPECT_TRUE(connection) << to_string(connection.error());
    return std::move(connection).value();
  }
  std::unique_ptr<Connection> create() { return open_with({.mode = Mode::create}); }

  fs::path folder_;
};

constexpr Sql kMakePoint{"make", "CREATE TABLE point (name TEXT PRIMARY KEY, x INTEGER) STRICT"};
constexpr Sql kAddPoint{"add_point", "INSERT INTO point (name, x) VALUES ($1, $2)"};
constexpr Sql kCountPoints{"count_points", "SELECT COUNT(*) FROM point"};

std::int64_t count_points(Connection& connection) {
  auto rows = connection.query(kCountPoints);
  EXPECT_TRUE(rows && rows->next().value());
  return rows->integer(0);
}

TEST_F(Db, BindsPlaceholdersByNumberNotByAppearance) {
  auto connection = create();
  constexpr Sql kSwapped{"swapped", "SELECT $2, $1, $2"};
  auto rows = connection->query(kSwapped, "one", 2);
  ASSERT_TRUE(rows && rows->next().value());
  EXPECT_EQ(rows->integer(0), 2);
  EXPECT_EQ(rows->text(1), "one");
  EXPECT_EQ(rows->integer(2), 2);
}

TEST_F(Db, KeepsEveryTypeAndTellsNullFromZero) {
  auto connection = create();
  constexpr Sql kEcho{"echo", "SELECT $1, $2, $3, $4, $5, $6"};
  auto rows = connection->query(kEcho, std::string("a\0b", 3), 0.1, std::int64_t{1} << 62, nullptr,
                                std::optional<double>(), true);
  ASSERT_TRUE(rows && rows->next().value());
  EXPECT_EQ(rows->text(0), std::string_view("a\0b", 3));
  EXPECT_EQ(rows->maybe_real(1), 0.1);
  EXPECT_EQ(rows->maybe_integer(2), std::int64_t{1} << 62);
  EXPECT_EQ(rows->maybe_string(3), std::nullopt);
  EXPECT_EQ(rows->maybe_real(4), std::nullopt);
  EXPECT_TRUE(rows->flag(5));
}

TEST_F(Db, OneStatementMayBeReadTwiceAtOnce) {
  auto connection = create();
  constexpr Sql kTwo{"two", "SELECT 1 UNION ALL SELECT 2"};
  auto outer = connection->query(kTwo);
  ASSERT_TRUE(outer->next().value());
  auto inner = connection->query(kTwo);
  ASSERT_TRUE(inner->next().value());
  ASSERT_TRUE(outer->next().value());
  EXPECT_EQ(inner->integer(0), 1);
  EXPECT_EQ(outer->integer(0), 2);
}

TEST_F(Db, ATransactionThatIsNotCommittedLeavesNothing) {
  auto connection = create();
  ASSERT_TRUE(connection->run(kMakePoint));
  {
    auto transaction = connection->begin();
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection->run(kAddPoint, "a", 1));
  }
  EXPECT_EQ(count_points(*connection), 0);
  auto transaction = connection->begin();
  ASSERT_TRUE(connection->run(kAddPoint, "a", 1));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(count_points(*connection), 1);
}

TEST_F(Db, ASnapshotDoesNotSeeWhatOthersCommit) {
  auto writer = create();
  ASSERT_TRUE(writer->run(kMakePoint));
  auto reader = open_with({.mode = Mode::read_only});
  const auto before = reader->data_version().value();
  {
    const auto outer = reader->snapshot();
    EXPECT_EQ(count_points(*reader), 0);
    {
      const auto nested = reader->snapshot();
      ASSERT_TRUE(writer->run(kAddPoint, "a", 1));
      EXPECT_EQ(count_points(*reader), 0);
    }
    EXPECT_EQ(count_points(*reader), 0);
  }
  EXPECT_EQ(count_points(*reader), 1);
  EXPECT_NE(reader->data_version().value(), before);
}

TEST_F(Db, AWriterThatWaitsTooLongIsToldWhy) {
  auto first = create();
  ASSERT_TRUE(first->run(kMakePoint));
  auto second = open_with({.mode = Mode::read_write, .busy_wait = std::chrono::milliseconds(20)});
  auto held = first->begin();
  const auto refused = second->begin();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("another program is writing"));
}

TEST_F(Db, WritersOnSeveralThreadsWaitForEachOther) {
  ASSERT_TRUE(create()->run(kMakePoint));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto connection = open_with({.mode = Mode::read_write});
      for (int i = 0; i < 25; ++i) {
        auto transaction = connection->begin();
        ASSERT_TRUE(transaction) << to_string(transaction.error());
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        ASSERT_TRUE(connection->run(kAddPoint, name, i));
        ASSERT_TRUE(transaction->commit());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  auto connection = open_with({.mode = Mode::read_only});
  EXPECT_EQ(count_points(*connection), 100);
}

TEST_F(Db, ErrorsNameTheStatementAndTheKind) {
  auto connection = create();
  ASSERT_TRUE(connection->run(kMakePoint));
  ASSERT_TRUE(connection->run(kAddPoint, "a", 1));
  const auto twice = connection->run(kAddPoint, "a", 2);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Code::conflict);
  EXPECT_EQ(twice.error().where, "add_point");
  const auto wrong_type = connection->run(kAddPoint, "b", "not a number");
  EXPECT_EQ(wrong_type.error().code, Code::conflict);
  auto reader = open_with({.mode = Mode::read_only});
  EXPECT_EQ(reader->run(kAddPoint, "b", 1).error().code, Code::denied);
}

TEST_F(Db, RefusesWhatIsNoDatabase) {
  EXPECT_EQ(open(path().string()).error().code, Code::not_found);
  std::ofstream(path()) << "this is a text file, long enough to have a header of its own";
  const auto refused = open(path().string());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
  EXPECT_EQ(refused.error().where, path().string());
  EXPECT_EQ(open("postgresql://host/db").error().code, Code::unavailable);
  EXPECT_EQ(open("").error().code, Code::invalid);
}

TEST_F(Db, KeepsAcknowledgedTransactions) {
  auto connection = create();
  constexpr Sql kJournal{"journal", "PRAGMA journal_mode"};
  constexpr Sql kSync{"sync", "PRAGMA synchronous"};
  constexpr Sql kKeys{"keys", "PRAGMA foreign_keys"};
  auto journal = connection->query(kJournal);
  ASSERT_TRUE(journal->next().value());
  EXPECT_EQ(journal->text(0), "wal");
  auto sync = connection->query(kSync);
  ASSERT_TRUE(sync->next().value());
  EXPECT_EQ(sync->integer(0), 2);  // FULL
  auto keys = connection->query(kKeys);
  ASSERT_TRUE(keys->next().value());
  EXPECT_EQ(keys->integer(0), 1);
}

TEST(Dialect, SpellsTheCommonSchemaForSqlite) {
  EXPECT_EQ(to_sqlite("-- A note; with a semicolon.\n"
                      "CREATE TABLE t (\n"
                      "  a TEXT NOT NULL, -- what; it is\n"
                      "  b BIGINT DEFAULT '--',\n"
                      "  c DOUBLE PRECISION\n"
                      ");     -- closes\n"),
            "CREATE TABLE t (\n"
            "  a TEXT NOT NULL,\n"
            "  b INTEGER DEFAULT '--',\n"
            "  c REAL\n"
            ") STRICT;\n");
}

TEST(Dialect, KeepsATableOfACompositeKeyInTheOrderOfTheKey) {
  EXPECT_EQ(to_sqlite("CREATE TABLE pair (\n"
                      "  a TEXT NOT NULL,\n"
                      "  b TEXT NOT NULL,\n"
                      "  PRIMARY KEY (a, b)\n"
                      ");\n"
                      "CREATE TABLE one (\n"
                      "  a TEXT PRIMARY KEY\n"
                      ");\n"),
            "CREATE TABLE pair (\n"
            "  a TEXT NOT NULL,\n"
            "  b TEXT NOT NULL,\n"
            "  PRIMARY KEY (a, b)\n"
            ") STRICT, WITHOUT ROWID;\n"
            "CREATE TABLE one (\n"
            "  a TEXT PRIMARY KEY\n"
            ") STRICT;\n");
}

const embedded::File kFirst{"0001_first.sql",
                            "CREATE TABLE fact (\n  id TEXT PRIMARY KEY,\n  n BIGINT\n);\n"
                            "-- append-only: fact\n"};
const embedded::File kSecond{"0002_second.sql", "CREATE INDEX fact_by_n ON fact (n);\n"};
const embedded::File kBroken{"0003_broken.sql", "CREATE TABLE more (\n  a TEXT\n);\nNONSENSE;\n"};

TEST_F(Db, MigratesOnceAndInOrder) {
  auto connection = create();
  const FixedClock clock(*parse_instant("2026-01-02T03:04:05Z"));
  const embedded::File both[] = {kSecond, kFirst};
  EXPECT_EQ(schema_state(*connection, both)->version, 0);
  ASSERT_TRUE(migrate(*connection, both, clock));
  EXPECT_EQ(migrate(*connection, both, clock)->version, 2);
  const auto newer = schema_state(*connection, std::span(both).last(1));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, Code::conflict);
  EXPECT_THAT(newer.error().message, HasSubstr("schema version 2"));
}

TEST_F(Db, AFailedMigrationChangesNothing) {
  auto connection = create();
  const FixedClock clock(*parse_instant("2026-01-02T03:04:05Z"));
  const embedded::File three[] = {kFirst, kSecond, kBroken};
  const auto failed = migrate(*connection, three, clock);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().where, "0003_broken.sql");
  EXPECT_EQ(schema_state(*connection, three)->version, 0);
  EXPECT_TRUE(connection->count_tables()->empty());
}

TEST_F(Db, AppendOnlyTablesRefuseChangesAndDeletes) {
  auto connection = create();
  const FixedClock clock(*parse_instant("2026-01-02T03:04:05Z"));
  ASSERT_TRUE(migrate(*connection, std::span(&kFirst, 1), clock));
  constexpr Sql kAdd{"add", "INSERT INTO fact (id, n) VALUES ('a', 1)"};
  constexpr Sql kChange{"change", "UPDATE fact SET n = 2"};
  constexpr Sql kDelete{"delete", "DELETE FROM fact"};
  constexpr Sql kReplace{"replace", "INSERT OR REPLACE INTO fact (id, n) VALUES ('a', 2)"};
  ASSERT_TRUE(connection->run(kAdd));
  EXPECT_EQ(connection->run(kChange).error().code, Code::denied);
  EXPECT_EQ(connection->run(kDelete).error().code, Code::denied);
  EXPECT_EQ(connection->run(kReplace).error().code, Code::conflict);
  EXPECT_THAT(connection->run(kDelete).error().message, HasSubstr("fact is append-only"));
}

// What another program may try, which knows nothing of our settings: no trigger of a DELETE runs
// for a row that REPLACE removes.
TEST_F(Db, AppendOnlyTablesRefuseReplaceByEveryKeyFromEveryProgram) {
  const embedded::File schema{"0001_keys.sql",
                              "CREATE TABLE fact (\n"
                              "  id TEXT PRIMARY KEY,\n"
                              "  digest TEXT NOT NULL UNIQUE,\n"
                              "  a TEXT NOT NULL,\n"
                              "  b TEXT NOT NULL,\n"
                              "  UNIQUE (a, b)\n"
                              ");\n"
                              "-- append-only: fact\n"
                              "CREATE TABLE pair (\n"
                              "  a TEXT NOT NULL,\n"
                              "  b TEXT NOT NULL,\n"
                              "  c TEXT,\n"
                              "  PRIMARY KEY (a, b)\n"
                              ");\n"
                              "-- append-only: pair except c\n"};
  auto connection = create();
  ASSERT_TRUE(migrate(*connection, std::span(&schema, 1), FixedClock(Instant{})));
  const auto run = [&](std::string_view sql) {
    return connection->run(Sql{.name = "foreign", .text = sql});
  };
  ASSERT_TRUE(run("PRAGMA recursive_triggers = OFF"));
  ASSERT_TRUE(run("INSERT INTO fact (id, digest, a, b) VALUES ('1', 'x', 'p', 'q')"));
  ASSERT_TRUE(run("INSERT INTO pair (a, b, c) VALUES ('p', 'q', 'r')"));
  for (const std::string_view sql : {
           "INSERT OR REPLACE INTO fact (id, digest, a, b) VALUES ('1', 'y', 'r', 's')",
           "INSERT OR REPLACE INTO fact (id, digest, a, b) VALUES ('2', 'x', 'r', 's')",
           "INSERT OR REPLACE INTO fact (id, digest, a, b) VALUES ('2', 'y', 'p', 'q')",
           "INSERT OR REPLACE INTO fact (rowid, id, digest, a, b) VALUES (1, '2', 'y', 'r', 's')",
           "REPLACE INTO fact SELECT * FROM fact",
           "REPLACE INTO pair (a, b, c) VALUES ('p', 'q', 'other')",
       }) {
    const auto refused = run(sql);
    ASSERT_FALSE(refused) << sql;
    EXPECT_EQ(refused.error().code, Code::conflict) << sql;
    EXPECT_THAT(refused.error().message, HasSubstr("is append-only")) << sql;
  }
  EXPECT_FALSE(run("UPDATE OR REPLACE pair SET b = 'z'"));
  EXPECT_TRUE(run("UPDATE pair SET c = 'changes'"));
  EXPECT_TRUE(run("INSERT INTO fact (id, digest, a, b) VALUES ('2', 'y', 'p', 's')"));
}

TEST_F(Db, TriggersRunAgainAfterTheyWereOff) {
  auto connection = create();
  const FixedClock clock(*parse_instant("2026-01-02T03:04:05Z"));
  ASSERT_TRUE(migrate(*connection, std::span(&kFirst, 1), clock));
  constexpr Sql kAdd{"add", "INSERT INTO fact (id, n) VALUES ($1, 1)"};
  constexpr Sql kDelete{"delete", "DELETE FROM fact"};
  ASSERT_TRUE(connection->run(kAdd, "a"));
  {
    const WithoutTriggers adding(*connection);
    ASSERT_TRUE(connection->run(kAdd, "b"));
    EXPECT_EQ(connection->run(kAdd, "a").error().code, Code::conflict);
  }
  EXPECT_EQ(connection->run(kDelete).error().code, Code::denied);
  EXPECT_EQ(connection->run(kAdd, "a").error().code, Code::conflict);
}

TEST_F(Db, ABackupIsWholeCheckedAndReplacesNothing) {
  auto connection = create();
  ASSERT_TRUE(connection->run(kMakePoint));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(connection->run(kAddPoint, std::to_string(i), i));
  }
  const fs::path copy = folder_ / "copy.db";
  const auto counts = connection->backup(copy);
  ASSERT_TRUE(counts) << to_string(counts.error());
  EXPECT_EQ(*counts, (std::vector<TableCount>{{"point", 1000}}));
  EXPECT_EQ(connection->backup(copy).error().code, Code::conflict);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    files += entry.path().filename().string().starts_with("copy") ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);  // nothing unfinished beside it
  auto reopened = open(copy.string(), {.mode = Mode::read_write});
  EXPECT_EQ(count_points(**reopened), 1000);
  EXPECT_EQ(connection->backup(path()).error().code, Code::invalid);
  EXPECT_FALSE(connection->backup(folder_ / "missing" / "copy.db"));
}

// SIGKILL leaves the unfinished copy behind: the next backup of that folder takes it away.
TEST_F(Db, ABackupRemovesWhatKilledOnesLeftAndNothingElse) {
  auto connection = create();
  ASSERT_TRUE(connection->run(kMakePoint));
  const std::vector<std::string> abandoned = {"old.db.4711.partial", "old.db.4711.partial-journal"};
  const std::vector<std::string> kept = {"notes.partial", "a.b.partial", "7.partial",
                                         "running.db.12.partial", "old.db.4711"};
  for (const auto& name : abandoned) std::ofstream(folder_ / name) << "half";
  for (const auto& name : kept) std::ofstream(folder_ / name) << "whole";
  const int running = ::open((folder_ / "running.db.12.partial").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(running, LOCK_EX | LOCK_NB), 0) << "as a backup that goes on holds it";
  ASSERT_TRUE(connection->backup(folder_ / "copy.db"));
  ::close(running);
  for (const auto& name : abandoned) EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  for (const auto& name : kept) EXPECT_TRUE(fs::exists(folder_ / name)) << name;
}

}  // namespace
}  // namespace ki::db
