#include "db/connection.h"

#include "db/sqlite.h"

namespace ki::db {
namespace {

// IMMEDIATE: see Connection::begin().
constexpr Sql kBegin{"begin", "BEGIN IMMEDIATE"};
constexpr Sql kBeginRead{"begin_read", "BEGIN"};
constexpr Sql kCommit{"commit", "COMMIT"};
constexpr Sql kRollback{"rollback", "ROLLBACK"};

}  // namespace

std::optional<std::int64_t> Rows::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<double> Rows::maybe_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return real(column);
}

std::optional<std::string> Rows::maybe_string(int column) const {
  if (is_null(column)) return std::nullopt;
  return string(column);
}

Result<Rows> Connection::start(const Sql& sql, std::span<const Value> arguments, Texts texts) {
  Statement* statement = TRY(prepare(sql));
  Rows rows(statement);
  TRY(statement->start(arguments, texts));
  return rows;
}

Status Connection::finish(const Sql& sql, std::span<const Value> arguments) {
  Rows rows = TRY(start(sql, arguments, Texts::stay));
  return rows.each([](const Rows&) {});
}

Result<Transaction> Connection::begin() {
  KI_CHECK(!writing_ && snapshots_ == 0);
  TRY(run(kBegin));
  writing_ = true;
  return Transaction(*this);
}

Result<Snapshot> Connection::snapshot() {
  if (!writing_ && snapshots_ == 0) {
    TRY(run(kBeginRead));
  }
  ++snapshots_;
  return Snapshot(*this);
}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

// A rollback may fail only when the engine has already rolled back by itself, after an error.
Transaction::~Transaction() {
  if (connection_ == nullptr) return;
  connection_->writing_ = false;
  static_cast<void>(connection_->run(kRollback));
}

Status Transaction::commit() {
  KI_CHECK(connection_ != nullptr);
  TRY(connection_->run(kCommit));
  std::exchange(connection_, nullptr)->writing_ = false;
  return {};
}

Snapshot::Snapshot(Snapshot&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

Snapshot::~Snapshot() {
  if (connection_ == nullptr) return;
  if (--connection_->snapshots_ == 0 && !connection_->writing_) {
    static_cast<void>(connection_->run(kCommit));
  }
}

WithoutTriggers::WithoutTriggers(Connection& connection) : connection_(connection) {
  connection_.run_triggers(false);
}

WithoutTriggers::~WithoutTriggers() { connection_.run_triggers(true); }

Result<std::unique_ptr<Connection>> open(std::string_view url, const OpenOptions& options) {
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) {
    return fail(Code::unavailable,
                "PostgreSQL comes later; give a path such as ./var/ki.db for an SQLite database",
                "--db");
  }
  for (const std::string_view scheme : {"sqlite:", "file:"}) {
    if (url.starts_with(scheme)) url.remove_prefix(scheme.size());
  }
  if (url.empty()) return fail(Code::invalid, "the database needs a path", "--db");
  return open_sqlite(std::string(url), options);
}

}  // namespace ki::db
