#include "query/run_name.h"

#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "catalog/read_named.h"
#include "catalog/read_serving.h"
#include "query/resolver_impl.h"

namespace ki::query {
namespace {

constexpr std::string_view kScheme = "sha256:";
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kPrefixMin = 6;
constexpr std::int64_t kListed = 4;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// What a name may be the start of; "" when it is no start of anything.
std::string digest_prefix(std::string_view name) {
  if (name.starts_with(kScheme)) name.remove_prefix(kScheme.size());
  const bool fits = name.size() >= kPrefixMin && name.size() < kDigestDigits && is_hex(name);
  return fits ? std::string(kScheme) + std::string(name) : std::string();
}

std::string id_prefix(std::string_view name) {
  std::string digits(name);
  std::erase(digits, '-');
  return name.size() >= kPrefixMin && is_hex(digits) ? std::string(name) : std::string();
}

using Starting = Result<std::vector<std::string>> (&)(db::Connection&, std::string_view,
                                                      std::int64_t);

Result<std::optional<std::string>> name_among(db::Connection& connection, std::string_view name,
                                              Starting starting, std::string_view what = "runs") {
  std::string lower = ascii_lower(name);
  if (is_uuid(lower) || parse_digest(lower)) return lower;
  if (lower.size() == kDigestDigits && is_hex(lower)) return std::string(kScheme).append(lower);
  std::vector<std::string> found;
  for (const std::string& prefix : {digest_prefix(lower), id_prefix(lower)}) {
    if (prefix.empty() || !found.empty()) continue;
    found = TRY(starting(connection, prefix, kListed + 1));
  }
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return std::optional(std::move(found.front()));
  const bool more = std::ssize(found) > kListed;
  if (more) found.pop_back();
  return invalid("'" + excerpt(name) + "' is the start of several " + std::string(what) +
                 ", so give more of it: " + join(found, ", ") + (more ? ", ..." : ""));
}

}  // namespace

Result<std::optional<std::string>> run_name(db::Connection& connection, std::string_view name) {
  return name_among(connection, name, catalog::runs_starting);
}

Result<std::optional<std::string>> record_name(db::Connection& connection, std::string_view name) {
  return name_among(connection, name, catalog::holders_starting, "records");
}

Result<std::optional<std::string>> serving_run_name(db::Connection& connection,
                                                    std::string_view name) {
  return name_among(connection, name, catalog::served_runs_starting);
}

}  // namespace ki::query
