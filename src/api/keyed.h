// Requests with a key (Authorization: Bearer ki_...), and the routes that need one.
#pragma once

#include <expected>
#include <optional>

#include "api/routes.h"

namespace ki::api {

// The admission of a request with a key; nullopt without one. A value of Authorization that is not
// of this form is none of ours and ignored. The error is the answer: 401 API_KEY_REQUIRED,
// INVALID_API_KEY or KEYS_UNSUPPORTED, 403 MISSING_SCOPE, 429 QUOTA_EXCEEDED with Retry-After.
using Caller = std::optional<auth::Admission>;
std::expected<Caller, http::Response> admit(const Route& route, const Serving& serving,
                                            const http::Request& request);

// GET /me: the key that asked.
struct Me {
  static constexpr std::string_view kWireName = "Me";
  std::string key_id;
  std::vector<std::string> scopes;
  std::string name;
  std::int64_t used_today = 0;
  std::int64_t quota_per_day = 0;
  std::optional<std::string> expires_at;
  template <class V>
  static void describe(V& v) {
    v.field("keyId", &Me::key_id, "");
    v.field("scopes", &Me::scopes, "what the key may do");
    v.field("name", &Me::name, "as given when the key was made");
    v.field("usedToday", &Me::used_today,
            "requests granted this day (UTC), this one too; refused ones do not count");
    v.field("quotaPerDay", &Me::quota_per_day, "");
    v.field("expiresAt", &Me::expires_at, "null: never");
  }
};

// GET /me.
Answer me(const Serving& serving, const Arguments& arguments, const auth::Admission& by);

}  // namespace ki::api
