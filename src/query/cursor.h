// Positions in listings, as text that clients pass back. A cursor names the listing's filters, so
// that it cannot be used with others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ki::query {

struct Position {
  std::string time{};  // ISO 8601 of the last row; "" where the listing has no times
  std::string key{};   // its id or comparison key; the offset of an answer's groups
  bool operator==(const Position&) const = default;
};

// base64url, without padding. `filters` is a text that is equal for equal filters.
std::string encode_cursor(const Position& position, std::string_view filters);

// nullopt when the text is no cursor, or one of other filters.
std::optional<Position> decode_cursor(std::string_view cursor, std::string_view filters);

}  // namespace ki::query
