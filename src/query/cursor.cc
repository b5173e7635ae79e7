#include "query/cursor.h"

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "query/codes.h"

namespace ki::query {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// They guard against mistakes, not against malice: a list holds nothing that a made-up position
// could show.
constexpr std::size_t kSealBytes = 12;
constexpr std::size_t kStampBytes = 6;

std::string base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : bytes) {
    buffer = buffer << 8U | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += kAlphabet[(buffer >> static_cast<unsigned>(bits)) & 63U];
    }
  }
  if (bits > 0) out += kAlphabet[(buffer << static_cast<unsigned>(6 - bits)) & 63U];
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    buffer = buffer << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((buffer >> static_cast<unsigned>(bits)) & 255U);
  }
  if (base64url(out) != text) return std::nullopt;  // a last character with bits that say nothing
  return out;
}

std::string first_bytes(const Digest& digest, std::size_t count) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), count};
}

// Of the catalog's state: kept apart from the seal so that a stale cursor is told from a foreign
// one.
std::string stamp_of(std::string_view version) { return first_bytes(sha256(version), kStampBytes); }

// Over the list and all that follows the seal. Sizes keep a filter with a line break apart from
// two.
std::string seal_of(const CursorScope& scope, std::string_view content) {
  std::string text = "cursor-1";
  for (const std::string& part : scope.list) {
    text += '\n' + std::to_string(part.size()) + ':' + part;
  }
  text += '\n';
  text += content;
  return first_bytes(sha256(text), kSealBytes);
}

std::unexpected<Error> refused(std::string message) {
  return fail(Code::invalid, std::move(message), std::string(kInvalidCursor));
}

std::optional<Position> position_of(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos || blank + 1 == text.size()) return std::nullopt;
  Position position{.time = std::string(text.substr(0, blank)),
                    .key = std::string(text.substr(blank + 1))};
  if (position.time.empty()) return position;
  const auto time = parse_instant(position.time);
  if (!time || to_iso(*time) != position.time) return std::nullopt;
  return position;
}

}  // namespace

std::string encode_cursor(const Position& position, const CursorScope& scope) {
  const std::string content = stamp_of(scope.version) + position.time + ' ' + position.key;
  return base64url(seal_of(scope, content) + content);
}

Result<Position> decode_cursor(std::string_view cursor, const CursorScope& scope) {
  constexpr std::string_view kForeign =
      "this is no cursor of this list with these filters: pass on the whole nextCursor of the page "
      "before and change nothing else, or start without it";
  const auto bytes = cursor.size() <= kCursorBytesMax ? from_base64url(cursor) : std::nullopt;
  if (!bytes || bytes->size() < kSealBytes + kStampBytes) return refused(std::string(kForeign));
  const std::string_view content = std::string_view(*bytes).substr(kSealBytes);
  const auto position = position_of(content.substr(kStampBytes));
  if (!bytes->starts_with(seal_of(scope, content)) || !position) {
    return refused(std::string(kForeign));
  }
  if (!content.starts_with(stamp_of(scope.version))) {
    return refused(
        "the catalog has changed since this cursor was given, so the pages before it are not those "
        "of now: start again without it");
  }
  return *position;
}

Result<Position> start_of(std::string_view cursor, const CursorScope& scope) {
  return cursor.empty() ? Position{} : decode_cursor(cursor, scope);
}

}  // namespace ki::query
