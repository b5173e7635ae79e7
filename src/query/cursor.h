// Positions in lists, as text that clients pass back: docs/adr/0005-cursors.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki::query {

inline constexpr std::size_t kCursorBytesMax = 500;

struct Position {
  std::string time{};  // ISO 8601 of the last row; "" where the list has no times
  std::string key{};   // its id or comparison key; the offset of an answer's groups
  bool operator==(const Position&) const = default;
};

// What a cursor is good for: one list, narrowed in one way, of one state of the catalog.
struct CursorScope {
  std::vector<std::string> list;  // its name, then every filter in a fixed order
  std::string version;            // Resolver::version()
};

// base64url, without padding.
std::string encode_cursor(const Position& position, const CursorScope& scope);

// The position after which the next page starts. Code::invalid with kInvalidCursor for everything
// that encode_cursor() did not give for this very scope, and says whether only the catalog differs.
Result<Position> decode_cursor(std::string_view cursor, const CursorScope& scope);

// The same, where "" stands for the start of the list: an empty position.
Result<Position> start_of(std::string_view cursor, const CursorScope& scope);

}  // namespace ki::query
