// The catalog's storage engine behind a seam: statements with `$1` placeholders, typed arguments
// and columns, transactions, snapshots. SQLite is the one engine now; every difference between
// engines stays in this module. A connection belongs to one thread at a time; open one a thread.
//
// Errors: Code::unavailable (busy, disk full, input or output failed), Code::conflict (a
// constraint), Code::denied (read-only, or an append-only table), Code::invalid (no database, or a
// damaged one), each with the name of the statement as its place.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/rows.h"

namespace ki::db {

enum class Mode {
  read_only,   // must exist
  read_write,  // must exist
  create,      // made when missing, with its folder
};

struct OpenOptions {
  Mode mode = Mode::read_only;
  // How long a statement waits for another writer before it fails as busy.
  std::chrono::milliseconds busy_wait{30'000};
  // Most memory for pages. A writer that needs more writes pages to the log before it commits, some
  // of them again and again; 128 MiB hold the largest import there is.
  std::int64_t read_cache_kib = 16 * 1024;
  std::int64_t write_cache_kib = 128 * 1024;
  // Bytes of the file to map. Saves a copy a page, but an input error of the disk then ends the
  // program instead of a statement, so it is off unless asked for.
  std::int64_t mapped_bytes = 0;
  std::string vfs{};  // SQLite's file layer, "" = its default; tests inject faults here
};

class Connection;

// A write transaction: rolled back when it goes without commit().
class Transaction {
 public:
  Transaction(Transaction&& other) noexcept;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  // Durable when it returns. On failure everything is rolled back.
  Status commit();

 private:
  friend class Connection;
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

// While it lives, reads see one state. Snapshots nest; inside a write transaction they do nothing.
class Snapshot {
 public:
  Snapshot(Snapshot&& other) noexcept;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(Snapshot&&) = delete;
  ~Snapshot();

 private:
  friend class Connection;
  explicit Snapshot(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

// While it lives, no trigger runs. For a caller who adds many rows by plain INSERT, which cannot
// change or replace one: the triggers of append-only tables make each of them take twice as long.
class WithoutTriggers {
 public:
  explicit WithoutTriggers(Connection& connection);
  WithoutTriggers(const WithoutTriggers&) = delete;
  WithoutTriggers& operator=(const WithoutTriggers&) = delete;
  ~WithoutTriggers();

 private:
  Connection& connection_;
};

struct TableCount {
  std::string table{};
  std::int64_t rows = 0;
  bool operator==(const TableCount&) const = default;
};

// A table, an index or a trigger, and the statement that makes it.
struct SchemaObject {
  std::string type{};
  std::string name{};
  std::string sql{};
  bool operator==(const SchemaObject&) const = default;
};

class Connection {
 public:
  virtual ~Connection() = default;

  // Starts a query; the statement is free again when the Rows go.
  template <class... Arguments>
  Result<Rows> query(const Sql& sql, const Arguments&... arguments) {
    const Value values[] = {Value{}, to_value(arguments)...};
    return start(sql, std::span(values).subspan(1));
  }
  // The same with arguments collected at run time.
  Result<Rows> start(const Sql& sql, std::span<const Value> arguments, Texts texts = Texts::go);

  // Runs a statement to its end.
  template <class... Arguments>
  Status run(const Sql& sql, const Arguments&... arguments) {
    const Value values[] = {Value{}, to_value(arguments)...};
    return finish(sql, std::span(values).subspan(1));
  }
  Status finish(const Sql& sql, std::span<const Value> arguments);

  // Runs a text of several statements without arguments, as migrations are.
  virtual Status script(std::string_view name, std::string_view text) = 0;

  // Starts a write transaction and takes the write lock at once, so that it cannot fail half-way
  // because another writer was quicker. They do not nest.
  Result<Transaction> begin();
  Result<Snapshot> snapshot();

  // Rows the last INSERT, UPDATE or DELETE changed.
  virtual std::int64_t changes() const = 0;
  // A number that differs after another connection changed the database.
  virtual Result<std::int64_t> data_version() = 0;
  // Whether the file is still at its place. Errors: Code::unavailable when it was deleted, or
  // replaced by another, since it was opened: what is read then is of no use to anybody.
  virtual Status check_place() = 0;
  // A copy of the database for this connection's user alone, in memory or in a file without a name
  // that goes with it. May be written to, whatever this one may; nobody is held up meanwhile.
  virtual Result<std::unique_ptr<Connection>> private_copy() = 0;
  // Whether the database has a table of this name.
  virtual Result<bool> has_table(std::string_view table) = 0;
  // Every table with its number of rows, by name.
  virtual Result<std::vector<TableCount>> count_tables() = 0;
  // Everything the schema has by a name of its own, by type and name.
  virtual Result<std::vector<SchemaObject>> schema() = 0;
  // What is wrong with the file and its references, by the engine's own check; empty: nothing.
  virtual Result<std::vector<std::string>> damages() = 0;
  // Copies the database while others use it: into a new file beside `path`, which is reopened,
  // checked for damage and recounted against the source, and only then takes the name, unless it is
  // taken. A signal that ends the program removes the new file.
  virtual Result<std::vector<TableCount>> backup(const std::filesystem::path& path) = 0;

 protected:
  virtual Result<Statement*> prepare(const Sql& sql) = 0;
  virtual void run_triggers(bool on) = 0;

 private:
  friend class Transaction;
  friend class Snapshot;
  friend class WithoutTriggers;
  bool writing_ = false;
  int snapshots_ = 0;
};

// Opens `url`: a path, "file:PATH" or "sqlite:PATH". Checks that it is a database.
Result<std::unique_ptr<Connection>> open(std::string_view url, const OpenOptions& options = {});

}  // namespace ki::db
