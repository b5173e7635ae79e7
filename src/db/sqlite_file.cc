#include "db/sqlite_file.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "db/dialect.h"

namespace ki::db {
namespace {

namespace fs = std::filesystem;

Code code_of(int result) {
  if (result == SQLITE_CONSTRAINT_TRIGGER) return Code::denied;
  switch (result & 0xFF) {
    case SQLITE_CONSTRAINT:
      return Code::conflict;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Code::denied;
    case SQLITE_TOOBIG:
      return Code::too_large;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Code::unavailable;
    default:
      return Code::internal;
  }
}

// What helps against trouble with the file; "" = the trouble is not with the file.
std::string_view remedy(int result) {
  switch (result & 0xFF) {
    case SQLITE_FULL:
      return "make room on its disk";
    case SQLITE_CORRUPT:
      return "restore a backup (`ki backup` makes them)";
    case SQLITE_NOTADB:
      return "choose another file with --db";
    case SQLITE_IOERR:
      return "see that its disk has room and is sound, and restore a backup if it stays so (`ki "
             "backup` makes them)";
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "see that the file and its folder may be read and written";
    case SQLITE_READONLY:
      return "it is open for reading only";
    default:
      return "";
  }
}

}  // namespace

std::unexpected<Error> fail_with(sqlite3* database, int result, std::string_view where) {
  std::string message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(result);
  if (result == SQLITE_CONSTRAINT_TRIGGER && message.ends_with(kKeyTaken)) {
    return fail(Code::conflict, std::move(message), std::string(where));
  }
  if ((result & 0xFF) == SQLITE_BUSY) message += " (another program is writing; try again)";
  if (const std::string_view help = remedy(result); !help.empty()) {
    const char* name = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
    if (name != nullptr && *name != '\0' && !where.contains(name)) {
      message += fmt::format(": {}", name);
    }
    message += fmt::format("; {}", help);
  }
  return fail(code_of(result), std::move(message), std::string(where));
}

namespace {

bool has_bytes(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return !error && size > 0;
}

fs::path beside(const fs::path& path, std::string_view suffix) {
  return path.string() + std::string(suffix);
}

bool is_writable_folder(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
}

// Opens a file that nobody changes while it is open: without locks and without files beside it.
Result<Database> open_unchanging(const fs::path& path, const OpenOptions& options) {
  std::string url = "file://";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      url += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      url += c;
    }
  }
  url += "?immutable=1";
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(
      url.c_str(), &raw,
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
      options.vfs.empty() ? nullptr : options.vfs.c_str());
  Database database(raw);
  if (result != SQLITE_OK) return fail_with(raw, result, path.string());
  return database;
}

// Opens a file for reading, together with what its log adds.
Result<Database> open_with_log(const fs::path& path, const OpenOptions& options) {
  OpenOptions reading = options;
  reading.mode = Mode::read_only;
  Database database = TRY(open_file(path, reading));
  sqlite3_busy_timeout(database.get(), static_cast<int>(options.busy_wait.count()));
  return database;
}

// Every row's first column as text.
Result<std::vector<std::string>> texts_of(sqlite3* database, const char* sql,
                                          const fs::path& path) {
  std::vector<std::string> out;
  const auto collect = [](void* into, int, char** texts, char**) {
    static_cast<std::vector<std::string>*>(into)->emplace_back(texts[0]);
    return 0;
  };
  const int result = sqlite3_exec(database, sql, collect, &out, nullptr);
  if (result != SQLITE_OK) return fail_with(database, result, path.string());
  return out;
}

// A program that was stopped in a transaction before the log was turned on leaves a journal, which
// only somebody who may write can roll back.
Status recover(const fs::path& path, const OpenOptions& options) {
  OpenOptions writing = options;
  writing.mode = Mode::read_write;
  const Database database = TRY(open_file(path, writing));
  sqlite3_busy_timeout(database.get(), static_cast<int>(options.busy_wait.count()));
  TRY(texts_of(database.get(), "SELECT COUNT(*) FROM sqlite_schema", path));
  return {};
}

// What the first page says. Read by SQLite, not by us: closing a file of our own would give up
// the locks that other connections of this program have on it.
Result<std::string> application_id(const fs::path& path, const OpenOptions& options) {
  constexpr const char* kRead = "PRAGMA application_id";
  {
    const Database database = TRY(open_unchanging(path, options));
    auto found = texts_of(database.get(), kRead, path);
    if (found) return std::move(found->at(0));
  }
  // While the log is being copied into the file, or was when its writer was stopped, the file alone
  // is not sound: its first page may count pages that are still in the log only.
  const Database database = TRY(open_with_log(path, options));
  auto found = TRY(texts_of(database.get(), kRead, path));
  return std::move(found.at(0));
}

const std::string kOurs = std::to_string(kApplicationId);
constexpr std::string_view kUnmarked = "0";

std::unexpected<Error> foreign(const fs::path& path, const std::vector<std::string>& objects) {
  std::string message = "is a database of another program";
  if (!objects.empty()) message += " (it has: " + join(objects, ", ") + ")";
  return fail(Code::invalid, message + "; choose another file with --db", path.string());
}

// Looks into a database without our mark: only one that holds nothing at all may be used.
Status check_empty(const fs::path& path, const OpenOptions& options) {
  const bool logged = has_bytes(beside(path, "-wal"));
  const Database database =
      TRY(logged ? open_with_log(path, options) : open_unchanging(path, options));
  const auto objects = TRY(texts_of(database.get(),
                                    "SELECT type || ' ' || name FROM sqlite_schema"
                                    " ORDER BY type = 'table' DESC, name LIMIT 20",
                                    path));
  if (objects.empty()) return {};
  return foreign(path, objects);
}

// SQLite takes a file with less than its smallest page for an empty database, and would fill it.
Status check_size(const fs::path& path) {
  constexpr std::uintmax_t kPageBytesMin = 512;
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size == 0 || size >= kPageBytesMin) return {};
  return fail(Code::invalid,
              fmt::format("is no database but a file of {} bytes; choose another "
                          "file with --db",
                          size),
              path.string());
}

// Whether the file has our mark; refuses a database that is none of ours.
Result<bool> check_owner(const fs::path& path, const OpenOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  TRY(check_size(path));
  if (has_bytes(beside(path, "-journal"))) {
    // What the journal keeps may be the first page itself, so it need not be readable yet.
    const auto before = application_id(path, options);
    if (before && *before != kUnmarked && *before != kOurs) return foreign(path, {});
    TRY(recover(path, options));
  }
  const std::string id = TRY(application_id(path, options));
  if (id == kOurs) return true;
  if (id != kUnmarked) return foreign(path, {});
  TRY(check_empty(path, options));
  return false;
}

// Refuses what is no file: reading a pipe would wait for ever.
Status check_place(const fs::path& path, const OpenOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) {
    return fail(Code::unavailable, error.message() + "; choose another file with --db",
                path.string());
  }
  if (fs::is_directory(status)) {
    return fail(Code::invalid, "is a folder; name a file in it, such as ki.db", path.string());
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return fail(Code::invalid, "is a pipe or a device; name a file", path.string());
  }
  if (fs::exists(status)) return {};
  if (options.mode != Mode::create) {
    return fail(Code::not_found, "there is no such database; `ki import ... --publish` makes one",
                path.string());
  }
  if (path.has_parent_path()) {
    fs::create_directories(path.parent_path(), error);
    if (error) return fail(Code::unavailable, error.message(), path.parent_path().string());
  }
  return {};
}

std::string settings(const OpenOptions& options, bool marked) {
  std::string mode = "PRAGMA query_only = ON;";
  if (options.mode != Mode::read_only) {
    // The mark comes before the log, so that it stands in the file itself.
    mode = marked ? "" : fmt::format("PRAGMA application_id = {};", kApplicationId);
    mode += "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";
  }
  return fmt::format(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
      // So that REPLACE meets the triggers of DELETE too.
      "PRAGMA recursive_triggers = ON;"
      "PRAGMA cache_size = -{}; PRAGMA mmap_size = {}; PRAGMA temp_store = MEMORY;"
      "{}"
      "SELECT COUNT(*) FROM sqlite_schema;",  // reads the file, so that what is none is refused
      options.mode == Mode::read_only ? options.read_cache_kib : options.write_cache_kib,
      options.mapped_bytes, mode);
}

Status configure(sqlite3* database, const fs::path& path, const OpenOptions& options, bool marked) {
  sqlite3_busy_timeout(database, static_cast<int>(options.busy_wait.count()));
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  const std::string text = settings(options, marked);
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

}  // namespace

Status configure_file(sqlite3* database, const fs::path& path, const OpenOptions& options) {
  return configure(database, path, options, true);
}

namespace {

// A log is read through files beside the catalog. Where none can be made and there is no log, the
// file is the whole catalog, and nobody writes it who has not more rights than we.
bool is_at_rest(const fs::path& path) {
  std::error_code error;
  return !fs::exists(beside(path, "-wal"), error) && !is_writable_folder(path);
}

}  // namespace

Result<Database> open_file(const fs::path& path, const OpenOptions& options) {
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

Result<Database> open_catalog_file(const fs::path& path, const OpenOptions& options) {
  TRY(check_place(path, options));
  const bool marked = TRY(check_owner(path, options));
  Database database = TRY(open_file(path, options));
  const Status configured = configure(database.get(), path, options, marked);
  if (configured) return database;
  if (options.mode != Mode::read_only || !is_at_rest(path)) {
    return std::unexpected(configured.error());
  }
  database = TRY(open_unchanging(path, options));
  TRY(configure(database.get(), path, options, marked));
  return database;
}

}  // namespace ki::db
