#include "api/keyed.h"

#include "base/text.h"

namespace ki::api {
namespace {

// The token of "Bearer ki_..."; the scheme in any case (RFC 9110, section 11.1).
std::optional<std::string_view> token_of(const http::Request& request) {
  const std::string_view value = trim(request.header("Authorization"));
  const auto blank = value.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  if (!equals_ignoring_case(value.substr(0, blank), "Bearer")) return std::nullopt;
  const std::string_view token = trim(value.substr(blank));
  return token.starts_with(auth::kTokenStart) ? std::optional(token) : std::nullopt;
}

http::Response refusal(const http::Request& request, http::Problem problem,
                       std::optional<http::Header> header = {}) {
  problem.request_id = request.id;
  http::Response response = http::problem_response(problem);
  response.log_detail = std::move(problem.log_detail);
  if (header) response.headers.push_back(std::move(*header));
  return response;
}

http::Response unauthorized(const http::Request& request, std::string_view code,
                            std::string_view detail) {
  return refusal(request, http::make_problem(401, code, std::string(detail)),
                 http::Header{"WWW-Authenticate", "Bearer realm=\"KernelIndex\""});
}

http::Response refused(const http::Request& request, const auth::Admission& admission,
                       std::string_view scope) {
  switch (admission.verdict) {
    case auth::Verdict::unknown:
      return unauthorized(request, "INVALID_API_KEY", "API key unknown");
    case auth::Verdict::revoked:
      return unauthorized(request, "INVALID_API_KEY", "API key revoked");
    case auth::Verdict::expired:
      return unauthorized(request, "INVALID_API_KEY", "API key expired");
    case auth::Verdict::missing_scope:
      return refusal(request, http::make_problem(403, "MISSING_SCOPE",
                                                 "the key lacks the scope " + std::string(scope)));
    case auth::Verdict::exhausted: {
      const std::string seconds = std::to_string(admission.retry_after.count());
      return refusal(
          request,
          http::make_problem(429, "QUOTA_EXCEEDED",
                             "the key has made its " + std::to_string(admission.key.quota_per_day) +
                                 " requests of this day (UTC): try again in " + seconds + " s"),
          http::Header{"Retry-After", seconds});
    }
    case auth::Verdict::granted:
      break;
  }
  KI_UNREACHABLE();
}

}  // namespace

std::expected<Caller, http::Response> admit(const Route& route, const Serving& serving,
                                            const http::Request& request) {
  const auto token = token_of(request);
  if (!token && route.keyed == nullptr) return Caller();
  if (!serving.gate) {
    return std::unexpected(
        unauthorized(request, "KEYS_UNSUPPORTED", "this server takes no API keys"));
  }
  if (!token) {
    return std::unexpected(unauthorized(request, "API_KEY_REQUIRED",
                                        "this needs an API key: Authorization: Bearer ki_..."));
  }
  auto admission = serving.gate->admit(*token, route.scope);
  if (!admission) {
    return std::unexpected(refusal(request, http::problem_of(admission.error())));
  }
  if (admission->verdict != auth::Verdict::granted) {
    return std::unexpected(refused(request, *admission, route.scope));
  }
  return Caller(std::move(*admission));
}

Answer me(const Serving&, const Arguments&, const auth::Admission& by) {
  Me out{.key_id = by.key.id,
         .scopes = {},
         .name = by.key.name,
         .used_today = by.key.used,
         .quota_per_day = by.key.quota_per_day,
         .expires_at = by.key.expires_at};
  for (const std::string_view scope : split(by.key.scopes, ' ')) out.scopes.emplace_back(scope);
  return json::to_json(out);
}

}  // namespace ki::api
