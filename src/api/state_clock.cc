#include "api/state_clock.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace ki::api {
namespace {

// The first 48 bits of a UUID of version 7 are its milliseconds (RFC 9562, section 5.7).
std::optional<Instant> instant_of(std::string_view version) {
  constexpr std::size_t kVersionAt = 14;
  if (!is_uuid(version) || version[kVersionAt] != '7') return std::nullopt;
  const std::string digits = std::string(version.substr(0, 8)) + std::string(version.substr(9, 4));
  std::int64_t milliseconds = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), milliseconds, 16);
  return Instant(std::chrono::milliseconds(milliseconds));
}

}  // namespace

Instant state_instant(std::string_view version, Instant now) {
  const Instant day = std::chrono::floor<std::chrono::days>(now);
  const std::optional<Instant> changed = instant_of(version);
  return changed ? std::clamp(*changed, day, now) : day;
}

}  // namespace ki::api
