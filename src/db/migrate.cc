#include "db/migrate.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/digest.h"
#include "db/dialect.h"

namespace ki::db {
namespace {

constexpr std::string_view kTable =
    "CREATE TABLE schema_migration (\n"
    "  version BIGINT PRIMARY KEY,\n"
    "  name TEXT NOT NULL,\n"
    "  applied_at TEXT NOT NULL\n"
    ");\n";

// One row a migration.
constexpr Sql kVersions{"schema_versions",
                        "SELECT version, name FROM schema_migration ORDER BY version"};
constexpr Sql kApplied{
    "schema_applied",
    "INSERT INTO schema_migration (version, name, applied_at) VALUES ($1, $2, $3)"};

struct Migration {
  std::int64_t version = 0;
  embedded::File file;
};

// The number in front of the name is ours to get right.
std::vector<Migration> in_order(std::span<const embedded::File> known) {
  std::vector<Migration> out;
  for (const embedded::File& file : known) {
    Migration migration{.version = 0, .file = file};
    const auto digits = file.name.substr(0, file.name.find('_'));
    std::from_chars(digits.data(), digits.data() + digits.size(), migration.version);
    KI_CHECK(migration.version > 0);
    out.push_back(migration);
  }
  std::ranges::sort(out, {}, &Migration::version);
  return out;
}

// What a migration is recorded as: its name, and which text it had, comments aside.
std::string record_of(const embedded::File& file) {
  constexpr std::size_t kMarkAt = 7;  // after "sha256:"
  constexpr std::size_t kMarkSize = 12;
  const std::string digest = to_string(sha256(to_sqlite(file.bytes)));
  return std::string(file.name) + " " + digest.substr(kMarkAt, kMarkSize);
}

// A database without migrations is ours only when nothing is in it.
Status check_unused(Connection& connection) {
  const auto objects = TRY(connection.schema());
  if (objects.empty()) return {};
  return fail(Code::invalid, "is a database of another program (it has: " + objects.front().type +
                                 " " + objects.front().name + "); choose another file with --db");
}

}  // namespace

Result<SchemaState> schema_state(Connection& connection, std::span<const embedded::File> known) {
  const auto migrations = in_order(known);
  SchemaState state{.version = 0, .latest = migrations.empty() ? 0 : migrations.back().version};
  const bool started = TRY(connection.has_table("schema_migration"));
  if (!started) {
    TRY(check_unused(connection));
    return state;
  }
  Rows rows = TRY(connection.query(kVersions));
  TRY(rows.each([&](const Rows& row) -> Status {
    state.version = row.integer(0);
    const auto same = std::ranges::find(migrations, state.version, &Migration::version);
    if (same == migrations.end() || row.text(1) == record_of(same->file)) return {};
    return fail(Code::conflict,
                "the catalog was made by another version of ki, with other tables (" +
                    row.string(1) + "); export it with that version and import it again");
  }));
  if (state.version > state.latest) {
    return fail(Code::conflict, "the database has schema version " + std::to_string(state.version) +
                                    ", this program knows up to " + std::to_string(state.latest) +
                                    "; use a newer ki or another database");
  }
  return state;
}

Result<SchemaState> migrate(Connection& connection, std::span<const embedded::File> known,
                            const Clock& clock) {
  SchemaState state = TRY(schema_state(connection, known));
  if (state.version == state.latest) return state;
  Transaction transaction = TRY(connection.begin());
  state = TRY(schema_state(connection, known));  // again, now that nobody else can change it
  const bool started = TRY(connection.has_table("schema_migration"));
  if (!started) {
    TRY(connection.script("schema_migration", kTable));
  }
  for (const Migration& migration : in_order(known)) {
    if (migration.version <= state.version) continue;
    TRY(connection.script(migration.file.name, migration.file.bytes));
    TRY(connection.run(kApplied, migration.version, record_of(migration.file),
                       to_iso(clock.now())));
  }
  TRY(transaction.commit());
  state.version = state.latest;
  return state;
}

Result<std::vector<SchemaObject>> fresh_schema(std::span<const embedded::File> known) {
  const auto connection = TRY(open(":memory:", {.mode = Mode::create}));
  TRY(migrate(*connection, known, FixedClock(Instant{})));
  return connection->schema();
}

}  // namespace ki::db
