// The cursor reader, on any bytes: a text that is taken is the one text for its position, and none
// of another list or state of the catalog is. The input is a cursor as it comes, and also what a
// sealed cursor holds, which no change of a cursor could reach.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "query/codes.h"
#include "query/cursor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::query;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const CursorScope kScope{.list = {"runs", "a", ""}, .version = "1"};
  static const CursorScope kElsewhere{.list = {"runs", "", "a"}, .version = "1"};
  static const CursorScope kLater{.list = {"runs", "a", ""}, .version = "2"};
  const auto check = [](std::string_view cursor) {
    const auto position = decode_cursor(cursor, kScope);
    if (!position) {
      KI_CHECK(position.error().where == kInvalidCursor);
      return;
    }
    KI_CHECK(encode_cursor(*position, kScope) == cursor);
    KI_CHECK(!decode_cursor(cursor, kElsewhere));
    KI_CHECK(!decode_cursor(cursor, kLater));
  };
  check(text);
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return 0;
  check(encode_cursor(
      {.time = std::string(text.substr(0, blank)), .key = std::string(text.substr(blank + 1))},
      kScope));
  return 0;
}
