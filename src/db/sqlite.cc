#include "db/sqlite.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "db/dialect.h"

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
constexpr Sql kDataVersion{"data_version", "PRAGMA data_version"};
constexpr Sql kIntegrity{"integrity_check", "PRAGMA integrity_check(20)"};
constexpr Sql kForeignKeys{"foreign_key_check", "PRAGMA foreign_key_check"};

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

Code code_of(int result) {
  if (result == SQLITE_CONSTRAINT_TRIGGER) return Code::denied;
  switch (result & 0xFF) {
    case SQLITE_CONSTRAINT:
      return Code::conflict;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Code::denied;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Code::invalid;
    case SQLITE_TOOBIG:
      return Code::too_large;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
      return Code::unavailable;
    default:
      return Code::internal;
  }
}

std::unexpected<Error> fail_with(sqlite3* database, int result, std::string_view where) {
  std::string message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(result);
  if ((result & 0xFF) == SQLITE_BUSY) message += " (another program is writing; try again)";
  return fail(code_of(result), std::move(message), std::string(where));
}

class SqliteStatement final : public Statement {
 public:
  static Result<std::unique_ptr<SqliteStatement>> prepare(sqlite3* database, const Sql& sql) {
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

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(Database database, std::filesystem::path path)
      : path_(std::move(path)), database_(std::move(database)) {}

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

 private:
  void drop_idle_but(const SqliteStatement* kept) {
    std::erase_if(statements_, [&](const auto& entry) {
      return std::ranges::none_of(entry.second,
                                  [&](const auto& s) { return s->busy() || s.get() == kept; });
    });
  }
  Status copy_into(const std::filesystem::path& path);

  std::filesystem::path path_;
  Database database_;  // before the statements: they must be finalised first
  std::unordered_map<std::string, std::vector<std::unique_ptr<SqliteStatement>>, HashText,
                     std::equal_to<>>
      statements_;
};

Result<Database> open_database(const std::filesystem::path& path, const OpenOptions& options) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= options.mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (options.mode == Mode::create) flags |= SQLITE_OPEN_CREATE;
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &raw, flags,
                                     options.vfs.empty() ? nullptr : options.vfs.c_str());
  Database database(raw);
  if (result != SQLITE_OK) return fail_with(raw, result, path.string());
  return database;
}

Status configure(sqlite3* database, const std::filesystem::path& path, const OpenOptions& options) {
  sqlite3_busy_timeout(database, static_cast<int>(options.busy_wait.count()));
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  const std::string text = fmt::format(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
      // So that INSERT OR REPLACE does not go past the triggers of append-only tables.
      "PRAGMA recursive_triggers = ON;"
      "PRAGMA cache_size = -{}; PRAGMA mmap_size = {}; PRAGMA temp_store = MEMORY;"
      "{}"
      "SELECT COUNT(*) FROM sqlite_schema;",  // reads the file, so that what is none is refused
      options.mode == Mode::read_only ? options.read_cache_kib : options.write_cache_kib,
      options.mapped_bytes,
      options.mode == Mode::read_only ? "PRAGMA query_only = ON;"
                                      : "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  // Two programs that turn WAL on at once can meet a lock that SQLite does not wait for.
  const auto deadline = std::chrono::steady_clock::now() + options.busy_wait;
  int result = sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr);
  while ((result & 0xFF) == SQLITE_BUSY && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    result = sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr);
  }
  if (result != SQLITE_OK) return fail_with(database, result, path.string());
  return {};
}

// Removes the unfinished copy, and what SQLite put beside it, when a backup fails.
struct RemoveOnExit {
  std::filesystem::path path;
  ~RemoveOnExit() {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(path.string() + suffix, ignored);
    }
  }
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

Status SqliteConnection::copy_into(const std::filesystem::path& path) {
  const Database target = TRY(open_database(path, {.mode = Mode::create}));
  sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", raw(), "main");
  if (backup == nullptr) return fail_with(target.get(), sqlite3_errcode(target.get()), "backup");
  const int stepped = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (stepped != SQLITE_DONE) return fail_with(nullptr, stepped, path.string());
  if (finished != SQLITE_OK) return fail_with(nullptr, finished, path.string());
  // One file, without the two that WAL mode keeps beside it; opening it for writing sets it again.
  const int mode =
      sqlite3_exec(target.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
  if (mode != SQLITE_OK) return fail_with(target.get(), mode, path.string());
  return {};
}

Result<std::vector<TableCount>> SqliteConnection::backup(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::equivalent(path, path_, ignored)) {
    return fail(Code::invalid, "a backup over the database itself would lose it", path.string());
  }
  const RemoveOnExit copy{path.string() + fmt::format(".{}.partial", ::getpid())};
  const Snapshot snapshot = TRY(this->snapshot());  // the copy and the count see one state
  const auto expected = TRY(count_tables());
  TRY(copy_into(copy.path));
  std::vector<TableCount> counted;
  {
    const auto reopened = TRY(open_sqlite(copy.path, {.mode = Mode::read_only}));
    const auto found = TRY(reopened->damages());
    if (!found.empty()) {
      return fail(Code::invalid, "the copy is damaged: " + found.front(), path.string());
    }
    counted = TRY(reopened->count_tables());
  }
  if (counted != expected) {
    return fail(Code::internal, "the copy does not have the rows of the database", path.string());
  }
  std::error_code error;
  std::filesystem::rename(copy.path, path, error);
  if (error) return fail(Code::unavailable, error.message(), path.string());
  return counted;
}

}  // namespace

Result<std::unique_ptr<Connection>> open_sqlite(const std::filesystem::path& path,
                                                const OpenOptions& options) {
  std::error_code error;
  if (options.mode != Mode::create && !std::filesystem::exists(path, error)) {
    return fail(Code::not_found, "there is no such database; `ki import ... --publish` makes one",
                path.string());
  }
  if (options.mode == Mode::create && path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return fail(Code::unavailable, error.message(), path.parent_path().string());
  }
  // Nobody reads SQLite's count of its memory, and keeping it locks at every allocation. Must come
  // before the first connection; changes nothing later.
  [[maybe_unused]] static const int kUncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  Database database = TRY(open_database(path, options));
  TRY(configure(database.get(), path, options));
  return std::make_unique<SqliteConnection>(std::move(database), path);
}

}  // namespace ki::db
