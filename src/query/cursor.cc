#include "query/cursor.h"

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"

namespace ki::query {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kCursorMax = 500;

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
  return out;
}

// Enough of a digest to tell filters apart; it guards against mistakes, not against malice.
std::string mark_of(std::string_view filters) {
  constexpr std::size_t kMark = 16;
  constexpr std::size_t kPrefix = std::string_view("sha256:").size();
  return to_string(sha256(filters)).substr(kPrefix, kMark);
}

}  // namespace

std::string encode_cursor(const Position& position, std::string_view filters) {
  return base64url(mark_of(filters) + " " + position.time + " " + position.key);
}

std::optional<Position> decode_cursor(std::string_view cursor, std::string_view filters) {
  if (cursor.size() > kCursorMax) return std::nullopt;
  const auto text = from_base64url(cursor);
  if (!text) return std::nullopt;
  const auto parts = split(*text, ' ');
  if (parts.size() != 3 || parts[0] != mark_of(filters) || parts[2].empty()) return std::nullopt;
  const auto time = parse_instant(parts[1]);
  if (!parts[1].empty() && (!time || to_iso(*time) != parts[1])) return std::nullopt;
  return Position{.time = std::string(parts[1]), .key = std::string(parts[2])};
}

}  // namespace ki::query
