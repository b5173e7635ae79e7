// The tables api_key and api_key_use. No token is ever in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace ki::catalog {

struct ApiKeyRow {
  std::string id{};
  std::string name{};
  std::string prefix{};
  std::string token_digest{};
  std::string scopes{};  // separated by blanks
  std::int64_t quota_per_day = 0;
  std::string created_at{};
  std::optional<std::string> expires_at{};
  std::optional<std::string> revoked_at{};
  std::int64_t used = 0;  // on the day that was asked for; not written by insert
  std::optional<std::string> last_used_on{};  // the last day with a granted request; of lists only
};

inline constexpr std::int64_t kApiKeysMax = 10'000;  // listed

Status insert_api_key(db::Connection& connection, const ApiKeyRow& key);
Result<std::optional<ApiKeyRow>> find_api_key(db::Connection& connection,
                                              std::string_view token_digest, std::string_view day);
// Oldest first, revoked and expired ones too.
Result<std::vector<ApiKeyRow>> list_api_keys(db::Connection& connection, std::string_view day);
// Whether there was such a key that was not revoked.
Result<bool> revoke_api_key(db::Connection& connection, std::string_view id, std::string_view at);

struct ApiKeyUse {
  std::string key_id{};
  std::string day{};
  std::int64_t more = 0;
};
// Adds to the count of the day; nothing for a key that is not there (any more).
Status add_api_key_use(db::Connection& connection, const ApiKeyUse& use);

}  // namespace ki::catalog
