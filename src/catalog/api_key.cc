#include "catalog/api_key.h"

namespace ki::catalog {
namespace {

constexpr db::Sql kInsert{
    "api_key_insert",
    "INSERT INTO api_key (id, name, prefix, token_digest, scopes, quota_per_day, created_at, "
    "expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"};

// Served by the unique index on token_digest and the primary key of api_key_use.
constexpr db::Sql kFind{
    "api_key_by_token",
    "SELECT k.id, k.name, k.prefix, k.token_digest, k.scopes, k.quota_per_day, k.created_at, "
    "k.expires_at, k.revoked_at, COALESCE(u.used, 0) FROM api_key k "
    "LEFT JOIN api_key_use u ON u.key_id = k.id AND u.day = $2 "
    "WHERE k.token_digest = $1 ORDER BY k.id LIMIT 1"};

// A scan: keys are few. Served by the primary key of api_key_use, also for the last day.
constexpr db::Sql kList{
    "api_keys",
    "SELECT k.id, k.name, k.prefix, k.token_digest, k.scopes, k.quota_per_day, k.created_at, "
    "k.expires_at, k.revoked_at, COALESCE(u.used, 0), "
    "(SELECT MAX(day) FROM api_key_use WHERE key_id = k.id) FROM api_key k "
    "LEFT JOIN api_key_use u ON u.key_id = k.id AND u.day = $1 "
    "ORDER BY k.created_at, k.id LIMIT $2"};

// Served by the primary key.
constexpr db::Sql kRevoke{
    "api_key_revoke", "UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL"};

// Served by the primary key (key_id, day).
constexpr db::Sql kUse{
    "api_key_use_add",
    "INSERT INTO api_key_use (key_id, day, used) "
    "SELECT id, $2, $3 FROM api_key WHERE id = $1 "
    "ON CONFLICT (key_id, day) DO UPDATE SET used = api_key_use.used + excluded.used"};

ApiKeyRow read(const db::Rows& row) {
  return {.id = row.string(0),
          .name = row.string(1),
          .prefix = row.string(2),
          .token_digest = row.string(3),
          .scopes = row.string(4),
          .quota_per_day = row.integer(5),
          .created_at = row.string(6),
          .expires_at = row.maybe_string(7),
          .revoked_at = row.maybe_string(8),
          .used = row.integer(9)};
}

}  // namespace

Status insert_api_key(db::Connection& connection, const ApiKeyRow& key) {
  return connection.run(kInsert, key.id, key.name, key.prefix, key.token_digest, key.scopes,
                        key.quota_per_day, key.created_at, key.expires_at);
}

Result<std::optional<ApiKeyRow>> find_api_key(db::Connection& connection,
                                              std::string_view token_digest, std::string_view day) {
  std::optional<ApiKeyRow> found;
  db::Rows rows = TRY(connection.query(kFind, token_digest, day));
  TRY(rows.each([&](const db::Rows& row) { found = read(row); }));
  return found;
}

Result<std::vector<ApiKeyRow>> list_api_keys(db::Connection& connection, std::string_view day) {
  std::vector<ApiKeyRow> keys;
  db::Rows rows = TRY(connection.query(kList, day, kApiKeysMax));
  TRY(rows.each([&](const db::Rows& row) {
    keys.push_back(read(row));
    keys.back().last_used_on = row.maybe_string(10);
  }));
  return keys;
}

Result<bool> revoke_api_key(db::Connection& connection, std::string_view id, std::string_view at) {
  TRY(connection.run(kRevoke, id, at));
  return connection.changes() > 0;
}

Status add_api_key_use(db::Connection& connection, const ApiKeyUse& use) {
  return connection.run(kUse, use.key_id, use.day, use.more);
}

}  // namespace ki::catalog
