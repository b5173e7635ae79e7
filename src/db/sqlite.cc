#include "db/sqlite.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "db/dialect.h"
#include "db/partial_copy.h"
#include "db/sqlite_file.h"

namespace ki::db {
namespace {

// Statements kept prepared; queries put together at run time could otherwise pile up.
constexpr std::size_t kStatementsMax = 256;

constexpr std::size_t kDamagesMax = 100;  // reported

constexpr Sql kHasTable{"has_table",
                        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1"};
constexpr Sql kTables{"tables",
                      "SELECT name FROM sqlite_schema"
                      " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"};
constexpr Sql kSchema{"schema",
                      "SELECT type, name, sql FROM sqlite_schema"
                      " WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"};
constexpr Sql kDataVersion{"data_version", "PRAGMA data_version"};
constexpr Sql kIntegrity{"integrity_check", "PRAGMA integrity_check(20)"};
constexpr Sql kForeignKeys{"foreign_key_check", "PRAGMA foreign_key_check"};

constexpr std::string_view kJoinedAsWritten = "/* joined as written */";

// SQLite keeps the order of tables only where the join is called CROSS JOIN, which elsewhere takes
// no condition. "" for a statement that does not ask for it.
std::string joined_as_written(std::string_view text) {
  std::string out;
  if (text.find(kJoinedAsWritten) == std::string_view::npos) return out;
  constexpr std::string_view kJoin = "JOIN ";
  for (auto at = text.find(kJoin); at != std::string_view::npos; at = text.find(kJoin)) {
    out.append(text.substr(0, at)).append("CROSS ").append(kJoin);
    text.remove_prefix(at + kJoin.size());
  }
  return out.append(text);
}

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class SqliteStatement final : public Statement {
 public:
  static Result<std::unique_ptr<SqliteStatement>> prepare(sqlite3* database, const Sql& as_given) {
    const std::string joined = joined_as_written(as_given.text);
    const Sql sql{as_given.name, joined.empty() ? as_given.text : std::string_view(joined)};
    sqlite3_stmt* raw = nullptr;
    const int result =
        sqlite3_prepare_v3(database, sql.text.data(), static_cast<int>(sql.text.size()),
                           SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (result != SQLITE_OK) return fail_with(database, result, sql.name);
    auto statement = std::make_unique<SqliteStatement>(database, raw, sql.name);
    // SQLite numbers "$2, $1" by first appearance, so the places are looked up by name.
    for (int n = 1; n <= sqlite3_bind_parameter_count(raw); ++n) {
      const int place = sqlite3_bind_parameter_index(raw, fmt::format("${}", n).c_str());
      KI_CHECK(place > 0);
      statement->places_.push_back(place);
    }
    return statement;
  }

  SqliteStatement(sqlite3* database, sqlite3_stmt* statement, std::string_view name)
      : database_(database), statement_(statement), name_(name) {}

  bool busy() const { return busy_; }

  Status start(std::span<const Value> arguments, Texts texts) override {
    KI_CHECK(!busy_ && arguments.size() == places_.size());
    busy_ = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const int result = bind(places_[i], arguments[i], texts);
      if (result != SQLITE_OK) return fail_with(database_, result, name_);
    }
    return {};
  }

  Result<bool> step() override {
    const int result = sqlite3_step(statement_.get());
    if (result == SQLITE_ROW) return true;
    if (result == SQLITE_DONE) return false;
    return fail_with(database_, result, name_);
  }

  void reset() override {
    sqlite3_reset(statement_.get());
    busy_ = false;
  }

  bool is_null(int column) const override {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_.get(), column);
  }
  double real(int column) const override { return sqlite3_column_double(statement_.get(), column); }
  std::string_view text(int column) const override {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
  }

 private:
  // Text that goes is copied: the rows of a query are read after its arguments.
  int bind(int place, const Value& value, Texts texts) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      return sqlite3_bind_int64(statement_.get(), place, *integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
      return sqlite3_bind_double(statement_.get(), place, *real);
    }
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      const char* bytes = text->data() == nullptr ? "" : text->data();
      return sqlite3_bind_text64(statement_.get(), place, bytes, text->size(),
                                 texts == Texts::stay ? SQLITE_STATIC : SQLITE_TRANSIENT,
                                 SQLITE_UTF8);
    }
    return sqlite3_bind_null(statement_.get(), place);
  }

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> statement_;
  std::string name_;
  std::vector<int> places_;
  bool busy_ = false;
};

// Lets statements be looked up by a text without a copy of it.
struct HashText {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

// Which file a path led to when it was looked at.
struct Place {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const Place&) const = default;
};

std::optional<Place> place_of(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return Place{.device = info.st_dev, .inode = info.st_ino};
}

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(Database database, std::filesystem::path path)
      : path_(std::move(path)), place_(place_of(path_)), database_(std::move(database)) {}

  sqlite3* raw() { return database_.get(); }

  Status script(std::string_view name, std::string_view text) override {
    const int result = sqlite3_exec(raw(), to_sqlite(text).c_str(), nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) return fail_with(raw(), result, name);
    return {};
  }

  std::int64_t changes() const override { return sqlite3_changes64(database_.get()); }

  Result<std::int64_t> data_version() override {
    Rows rows = TRY(query(kDataVersion));
    std::int64_t version = 0;
    TRY(rows.each([&](const Rows& row) { version = row.integer(0); }));
    return version;
  }

  Result<bool> has_table(std::string_view table) override {
    Rows rows = TRY(query(kHasTable, table));
    return rows.next();
  }

  Result<std::vector<TableCount>> count_tables() override {
    std::vector<TableCount> counts;
    Rows tables = TRY(query(kTables));
    TRY(tables.each([&](const Rows& row) { counts.push_back({.table = row.string(0)}); }));
    for (TableCount& count : counts) {
      const std::string text = fmt::format("SELECT COUNT(*) FROM \"{}\"", count.table);
      Rows rows = TRY(query(Sql{"count_rows", text}));
      TRY(rows.each([&](const Rows& row) { count.rows = row.integer(0); }));
    }
    return counts;
  }

  Result<std::vector<SchemaObject>> schema() override {
    std::vector<SchemaObject> objects;
    Rows rows = TRY(query(kSchema));
    TRY(rows.each([&](const Rows& row) {
      objects.push_back({.type = row.string(0), .name = row.string(1), .sql = row.string(2)});
    }));
    return objects;
  }

  Status check_place() override;
  Result<std::unique_ptr<Connection>> private_copy() override;
  Result<std::vector<std::string>> damages() override;
  Result<std::vector<TableCount>> backup(const std::filesystem::path& path) override;

 protected:
  Result<Statement*> prepare(const Sql& sql) override {
    auto found = statements_.find(sql.text);
    if (found == statements_.end()) found = statements_.try_emplace(std::string(sql.text)).first;
    auto& same = found->second;
    for (const auto& statement : same) {
      if (!statement->busy()) return statement.get();
    }
    auto prepared = TRY(SqliteStatement::prepare(raw(), sql));
    SqliteStatement* statement = same.emplace_back(std::move(prepared)).get();
    if (statements_.size() > kStatementsMax) drop_idle_but(statement);
    return statement;
  }

  void run_triggers(bool on) override {
    sqlite3_db_config(raw(), SQLITE_DBCONFIG_ENABLE_TRIGGER, on ? 1 : 0, nullptr);
  }

 private:
  void drop_idle_but(const SqliteStatement* kept) {
    std::erase_if(statements_, [&](const auto& entry) {
      return std::ranges::none_of(entry.second,
                                  [&](const auto& s) { return s->busy() || s.get() == kept; });
    });
  }
  Status copy_into(sqlite3* target, const std::filesystem::path& path);
  Status copy_to_file(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::optional<Place> place_;  // nullopt: no file
  Database database_;           // before the statements: they must be finalised first
  std::unordered_map<std::string, std::vector<std::unique_ptr<SqliteStatement>>, HashText,
                     std::equal_to<>>
      statements_;
};

Result<std::vector<std::string>> SqliteConnection::damages() {
  std::vector<std::string> found;
  Rows integrity = TRY(query(kIntegrity));
  TRY(integrity.each([&](const Rows& row) {
    if (row.text(0) != "ok") found.push_back(row.string(0));
  }));
  Rows keys = TRY(query(kForeignKeys));
  TRY(keys.each([&](const Rows& row) {
    if (found.size() < kDamagesMax) found.push_back("broken reference in " + row.string(0));
  }));
  return found;
}

Status SqliteConnection::check_place() {
  if (!place_) return {};
  const auto now = place_of(path_);
  if (now == place_) return {};
  return fail(Code::unavailable,
              now ? "the catalog's file was replaced by another while it was open"
                  : "the catalog's file was deleted or moved away while it was open; put it back",
              path_.string());
}

Status SqliteConnection::copy_into(sqlite3* target, const std::filesystem::path& path) {
  sqlite3_backup* backup = sqlite3_backup_init(target, "main", raw(), "main");
  if (backup == nullptr) return fail_with(target, sqlite3_errcode(target), "backup");
  const int stepped = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (stepped != SQLITE_DONE) return fail_with(nullptr, stepped, path.string());
  if (finished != SQLITE_OK) return fail_with(nullptr, finished, path.string());
  return {};
}

Status SqliteConnection::copy_to_file(const std::filesystem::path& path) {
  const Database target = TRY(open_file(path, {.mode = Mode::create}));
  TRY(copy_into(target.get(), path));
  // One file, without the two that WAL mode keeps beside it; opening it for writing sets it again.
  const int mode =
      sqlite3_exec(target.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
  if (mode != SQLITE_OK) return fail_with(target.get(), mode, path.string());
  return {};
}

Result<std::unique_ptr<Connection>> SqliteConnection::private_copy() {
  // SQLite's name for a file without one, which is kept in memory while there is room.
  const std::filesystem::path nameless;
  Database copy = TRY(open_file(nameless, {.mode = Mode::create}));
  TRY(copy_into(copy.get(), path_));
  TRY(configure_file(copy.get(), path_, {.mode = Mode::create}));
  return std::make_unique<SqliteConnection>(std::move(copy), nameless);
}

Result<std::vector<TableCount>> SqliteConnection::backup(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::equivalent(path, path_, ignored)) {
    return fail(Code::invalid, "a backup over the database itself would lose it", path.string());
  }
  const PartialCopy copy = TRY(PartialCopy::create(path));
  const Snapshot snapshot = TRY(this->snapshot());  // the copy and the count see one state
  const auto expected = TRY(count_tables());
  TRY(copy_to_file(copy.path()));
  std::vector<TableCount> counted;
  {
    const auto reopened = TRY(open_sqlite(copy.path(), {.mode = Mode::read_only}));
    const auto found = TRY(reopened->damages());
    if (!found.empty()) {
      return fail(Code::invalid, "the copy is damaged: " + found.front(), path.string());
    }
    counted = TRY(reopened->count_tables());
  }
  if (counted != expected) {
    return fail(Code::internal, "the copy does not have the rows of the database", path.string());
  }
  TRY(give_name(copy.path(), path));
  return counted;
}

}  // namespace

Result<std::unique_ptr<Connection>> open_sqlite(const std::filesystem::path& path,
                                                const OpenOptions& options) {
  // Nobody reads SQLite's count of its memory, and keeping it locks at every allocation. Must come
  // before the first connection; changes nothing later.
  [[maybe_unused]] static const int kUncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  Database database = TRY(open_catalog_file(path, options));
  return std::make_unique<SqliteConnection>(std::move(database), path);
}

}  // namespace ki::db
