// Which files are opened: catalogs, whatever was done to them, and nothing that is another's.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/migrate.h"
#include "db/sqlite_file.h"

namespace ki::db {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr Mode kModes[] = {Mode::read_only, Mode::read_write, Mode::create};

Database raw(const fs::path& path) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  return Database(database);
}

void script(const Database& database, const std::string& sql) {
  ASSERT_EQ(sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database.get());
}

class Open : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("ki_open_") + info->name() + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  fs::path path() const { return folder_ / "test.db"; }

  // What lies in the folder, with its bytes; but for the index of a log, where readers stand too.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (!entry.is_regular_file() || entry.path().string().ends_with("-shm")) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      out[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return out;
  }

  // A catalog of one table with `rows` rows, as the engine leaves it when it is closed.
  void make_catalog(int rows) {
    auto connection = open(path().string(), {.mode = Mode::create});
    ASSERT_TRUE(connection) << to_string(connection.error());
    ASSERT_TRUE((*connection)->script("make", "CREATE TABLE fact (\n  n BIGINT\n);\n"));
    constexpr Sql kAdd{"add", "INSERT INTO fact (n) VALUES ($1)"};
    auto transaction = (*connection)->begin();
    for (int i = 0; i < rows; ++i) ASSERT_TRUE((*connection)->run(kAdd, i));
    ASSERT_TRUE(transaction->commit());
  }

  static std::int64_t count(Connection& connection) {
    constexpr Sql kCount{"count", "SELECT COUNT(*) FROM fact"};
    auto rows = connection.query(kCount);
    EXPECT_TRUE(rows && rows->next().value());
    return rows->integer(0);
  }

  void expect_refused(std::string_view why) {
    const auto before = files();
    for (const Mode mode : kModes) {
      const auto refused = open(path().string(), {.mode = mode});
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::invalid);
      EXPECT_EQ(refused.error().where, path().string());
      EXPECT_THAT(refused.error().message, HasSubstr(why));
      EXPECT_TRUE(files() == before) << "a file was changed";
    }
  }

  fs::path folder_;
};

TEST_F(Open, AnotherProgramsDatabaseIsRefusedAndLeftAsItIs) {
  script(raw(path()), "CREATE TABLE contact (name TEXT)");
  expect_refused("another program (it has: table contact); choose another file with --db");
}

TEST_F(Open, AnotherProgramsMarkIsRefusedEvenWithoutTables) {
  script(raw(path()), "PRAGMA application_id = 77; PRAGMA user_version = 1");
  expect_refused("another program; choose");
}

TEST_F(Open, AnotherProgramsTablesAreSeenInItsLogToo) {
  const Database other = raw(path());
  script(other, "PRAGMA journal_mode = WAL; CREATE TABLE contact (name TEXT)");
  ASSERT_GT(fs::file_size(path().string() + "-wal"), 0U);
  expect_refused("contact");
}

TEST_F(Open, AnEmptyDatabaseMayBeUsed) {
  script(raw(path()), "PRAGMA user_version = 1");
  EXPECT_TRUE(open(path().string(), {.mode = Mode::create}));
  fs::remove(path());
  std::ofstream(path()).flush();  // no byte at all
  EXPECT_TRUE(open(path().string(), {.mode = Mode::create}));
}

TEST_F(Open, WhateverAnUnmarkedDatabaseHoldsItIsAnothers) {
  for (const auto& [sql, named] : {
           std::pair("CREATE TABLE schema_migration (version INTEGER)", "table schema_migration"),
           std::pair("CREATE VIEW customer AS SELECT 1", "view customer"),
           std::pair("CREATE TABLE t (a); CREATE INDEX by_a ON t (a)", "table t, index by_a"),
           std::pair("CREATE VIEW v AS SELECT 1 AS a; CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN"
                     " SELECT 1; END",
                     "trigger r, view v"),
       }) {
    fs::remove(path());
    script(raw(path()), sql);
    expect_refused(named);
  }
}

TEST_F(Open, AFewBytesAreNoDatabase) {
  for (const int size : {1, 511}) {
    fs::remove(path());
    std::ofstream(path()) << std::string(static_cast<std::size_t>(size), 'x');
    expect_refused("is no database but a file of " + std::to_string(size) + " bytes");
  }
  fs::remove(path());
  std::ofstream(path()) << std::string(512, 'x');
  EXPECT_FALSE(open(path().string(), {.mode = Mode::create}));
}

TEST_F(Open, AMarkedDatabaseThatOthersFilledIsNotMigrated) {
  const embedded::File schema{"0001_first.sql", "CREATE TABLE fact (\n  n BIGINT\n);\n"};
  make_catalog(1);
  auto connection = open(path().string(), {.mode = Mode::create});
  ASSERT_TRUE(connection);
  const auto refused = migrate(**connection, std::span(&schema, 1), FixedClock(Instant{}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("table fact"));
}

TEST_F(Open, ACatalogOfOtherTablesIsRefusedWithTheRemedy) {
  const embedded::File made{"0001_first.sql", "CREATE TABLE fact (\n  n BIGINT\n);\n"};
  const embedded::File same{"0001_first.sql", "-- why\nCREATE TABLE fact (\n  n BIGINT\n);\n"};
  const embedded::File other{"0001_first.sql", "CREATE TABLE fact (\n  n TEXT\n);\n"};
  auto connection = open(path().string(), {.mode = Mode::create});
  ASSERT_TRUE(migrate(**connection, std::span(&made, 1), FixedClock(Instant{})));
  EXPECT_TRUE(schema_state(**connection, std::span(&same, 1)));
  const auto refused = schema_state(**connection, std::span(&other, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("export it with that version"));
}

TEST_F(Open, ADeletedOrReplacedFileIsNoticedUntilItIsBack) {
  make_catalog(1);
  auto connection = open(path().string(), {.mode = Mode::read_only});
  ASSERT_TRUE(connection);
  EXPECT_TRUE((*connection)->check_place());
  const fs::path away = folder_ / "away.db";
  fs::rename(path(), away);
  const auto deleted = (*connection)->check_place();
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, Code::unavailable);
  EXPECT_THAT(deleted.error().message, HasSubstr("deleted"));
  fs::copy_file(away, path());
  EXPECT_THAT((*connection)->check_place().error().message, HasSubstr("replaced"));
  fs::rename(away, path());
  EXPECT_TRUE((*connection)->check_place());
}

TEST_F(Open, APrivateCopyMayBeWrittenAndLeavesTheFileAlone) {
  make_catalog(3);
  const auto before = files();
  {
    auto connection = open(path().string(), {.mode = Mode::read_only});
    ASSERT_TRUE(connection);
    auto copy = (*connection)->private_copy();
    ASSERT_TRUE(copy) << to_string(copy.error());
    constexpr Sql kAdd{"add", "INSERT INTO fact (n) VALUES (7)"};
    auto transaction = (*copy)->begin();
    ASSERT_TRUE(transaction && (*copy)->run(kAdd));
    ASSERT_TRUE(transaction->commit());
    EXPECT_EQ(count(**copy), 4);
    EXPECT_EQ(count(**connection), 3);
  }
  EXPECT_EQ(files().at("test.db"), before.at("test.db"));
}

TEST_F(Open, AFolderAndAPipeAreNoDatabases) {
  fs::create_directories(path());
  expect_refused("is a folder");
  fs::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  for (const Mode mode : kModes) {  // to open it for reading would wait for a writer
    const auto refused = open(path().string(), {.mode = mode});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, path().string());
    EXPECT_THAT(refused.error().message, HasSubstr("is a pipe"));
  }
}

TEST_F(Open, AJournalLeftByAKilledProgramIsRolledBackByAReader) {
  make_catalog(3);
  const fs::path killed = folder_ / "killed.db";
  {
    const Database writer = raw(path());
    script(writer,
           "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN;"
           "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
           " INSERT INTO fact SELECT i FROM n");
    ASSERT_GT(fs::file_size(path().string() + "-journal"), 0U);
    fs::copy_file(path(), killed);  // what a kill would leave now
    fs::copy_file(path().string() + "-journal", killed.string() + "-journal");
  }
  for (int round = 0; round < 2; ++round) {
    auto reader = open(killed.string(), {.mode = Mode::read_only});
    ASSERT_TRUE(reader) << to_string(reader.error());
    EXPECT_EQ(count(**reader), 3);
    EXPECT_FALSE(fs::exists(killed.string() + "-journal"));
  }
}

// Somebody who may read and not write; the rights of the super-user know no such folder.
class Unprivileged {
 public:
  Unprivileged() { become(65534); }
  ~Unprivileged() { become(0); }

 private:
  void become(uid_t user) const {
    if (privileged_) {
      EXPECT_EQ(::seteuid(user), 0);
    }
  }
  const bool privileged_ = ::geteuid() == 0;
};

// A writer that is killed, or finds the disk full, while its log is copied into the file leaves a
// first page that counts pages which are in the log only. The log makes up for it.
TEST_F(Open, AFileWhoseFirstPageIsAheadOfItsPagesIsReadWithItsLog) {
  make_catalog(10);
  const fs::path killed = folder_ / "killed.db";
  {
    auto writer = open(path().string(), {.mode = Mode::read_write});
    constexpr Sql kAdd{"add", "INSERT INTO fact (n) VALUES ($1)"};
    auto transaction = (*writer)->begin();
    for (int i = 0; i < 5000; ++i) ASSERT_TRUE((*writer)->run(kAdd, i));
    ASSERT_TRUE(transaction->commit());
    fs::copy_file(path(), killed);
    fs::copy_file(path().string() + "-wal", killed.string() + "-wal");
  }
  constexpr int kPageCountAt = 28;  // in the header, big-endian
  std::fstream file(killed, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kPageCountAt).write("\0\0\1\0", 4);  // 256 pages
  file.close();
  ASSERT_LT(fs::file_size(killed), 256U * 4096);
  for (const Mode mode : kModes) {
    const auto opened = open(killed.string(), {.mode = mode});
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_EQ(count(**opened), 5010);
  }
}

TEST_F(Open, APlaceThatCannotBeLookedAtIsRefused) {
  const fs::path loop = folder_ / "loop";
  fs::create_symlink(loop, loop);
  const auto refused = open(loop.string(), {.mode = Mode::read_only});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, loop.string());
  EXPECT_FALSE(open((folder_ / std::string(300, 'x')).string(), {.mode = Mode::create}));
}

TEST_F(Open, ACatalogInAFolderThatMayOnlyBeReadIsRead) {
  make_catalog(3);
  const fs::path odd = folder_ / "50% of #1?.db";
  fs::rename(path(), odd);
  fs::permissions(folder_, fs::perms(0555));
  const Unprivileged reader;
  const auto connection = open(odd.string(), {.mode = Mode::read_only});
  ASSERT_TRUE(connection) << to_string(connection.error());
  EXPECT_EQ(count(**connection), 3);
  const auto writing = open(odd.string(), {.mode = Mode::read_write});
  EXPECT_FALSE(writing);
}

TEST_F(Open, AFullDiskNamesTheFileAndARemedy) {
  make_catalog(1);
  auto connection = open(path().string(), {.mode = Mode::read_write});
  constexpr Sql kLimit{"limit", "PRAGMA max_page_count = 1"};
  constexpr Sql kFill{"fill", "INSERT INTO fact SELECT value FROM json_each($1)"};
  ASSERT_TRUE((*connection)->run(kLimit));
  std::string numbers = "[1";
  for (int i = 0; i < 5000; ++i) numbers += ",1";
  const auto full = (*connection)->run(kFill, numbers + "]");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::unavailable);
  EXPECT_EQ(full.error().where, "fill");
  EXPECT_EQ(full.error().message,
            "database or disk is full: " + path().string() + "; make room on its disk");
}

TEST_F(Open, ADamagedFileNamesTheFileAndARemedy) {
  make_catalog(2000);
  const auto size = fs::file_size(path());
  ASSERT_GT(size, 8192U);
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(static_cast<std::size_t>(size) - 4096, 'x');
  }
  auto connection = open(path().string(), {.mode = Mode::read_only});
  ASSERT_TRUE(connection) << to_string(connection.error());
  constexpr Sql kSum{"sum", "SELECT SUM(n) FROM fact"};
  auto rows = (*connection)->query(kSum);
  ASSERT_TRUE(rows);
  const auto damaged = rows->next();
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Code::unavailable);
  EXPECT_THAT(damaged.error().message, HasSubstr("malformed: " + path().string()));
  EXPECT_THAT(damaged.error().message, HasSubstr("restore a backup"));
}

}  // namespace
}  // namespace ki::db
