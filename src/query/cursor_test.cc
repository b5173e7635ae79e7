#include "query/cursor.h"

#include <random>

#include <gtest/gtest.h>

#include "query/codes.h"

namespace ki::query {
namespace {

const CursorScope kScope{.list = {"runs", "rope", ""}, .version = "1"};
const Position kPosition{.time = "2026-01-02T03:04:05.000Z", .key = "sha256:ab"};
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .%";

void expect_refused(std::string_view cursor, const CursorScope& scope = kScope) {
  const auto position = decode_cursor(cursor, scope);
  ASSERT_FALSE(position) << cursor;
  EXPECT_EQ(position.error().code, Code::invalid);
  EXPECT_EQ(position.error().where, kInvalidCursor);
}

TEST(Cursor, IsReadBackInItsOwnScope) {
  for (const Position& position :
       {kPosition, Position{.time = "", .key = "40"}, Position{.time = "", .key = "a b"},
        Position{.time = "", .key = std::string(100, 'k')}}) {
    const std::string cursor = encode_cursor(position, kScope);
    EXPECT_EQ(decode_cursor(cursor, kScope), position);
    EXPECT_EQ(start_of(cursor, kScope), position);
  }
  EXPECT_EQ(start_of("", kScope), Position{});
}

TEST(Cursor, IsRefusedInAnotherScope) {
  const std::string cursor = encode_cursor(kPosition, kScope);
  for (const std::vector<std::string>& list :
       {std::vector<std::string>{"runs", "rope"}, std::vector<std::string>{"runs", "rope\n0:", ""},
        std::vector<std::string>{"runs", "", "rope"}, std::vector<std::string>{"records"},
        std::vector<std::string>{}}) {
    expect_refused(cursor, {.list = list, .version = "1"});
  }
  const CursorScope later{.list = kScope.list, .version = "2"};
  expect_refused(cursor, later);
  EXPECT_NE(decode_cursor(cursor, later).error().message.find("has changed"), std::string::npos);
  EXPECT_EQ(decode_cursor("A" + cursor, later).error().message.find("has changed"),
            std::string::npos);
}

TEST(Cursor, IsRefusedWithAnyCharacterCutAddedOrChanged) {
  for (const Position& position :
       {kPosition, Position{.time = "", .key = "40"}, Position{.time = "", .key = "400"}}) {
    const std::string cursor = encode_cursor(position, kScope);
    for (std::size_t at = 0; at <= cursor.size(); ++at) {
      if (at < cursor.size()) {
        expect_refused(std::string(cursor).erase(at, 1));
        expect_refused(cursor.substr(0, at));
      }
      for (const char c : kAlphabet) {
        expect_refused(std::string(cursor).insert(at, 1, c));
        if (at < cursor.size() && cursor[at] != c) {
          std::string changed = cursor;
          changed[at] = c;
          expect_refused(changed);
        }
      }
    }
  }
}

TEST(Cursor, RefusesWhatWasNeverOne) {
  std::mt19937 random(20260201);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (auto size = random() % 200; size > 0; --size) {
      text += static_cast<char>(random() % 256);
    }
    expect_refused(text);
  }
  expect_refused(std::string(kCursorBytesMax + 1, 'A'));
}

}  // namespace
}  // namespace ki::query
