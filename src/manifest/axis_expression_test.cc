#include "manifest/axis_expression.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::manifest {
namespace {

using ::testing::HasSubstr;

Result<double> value(std::string_view text) {
  constexpr AxisBinding kBindings[] = {{"hidden", 8192},  {"q_heads", 32}, {"size", 128},
                                       {"kernelsize", 8}, {"a", 6},        {"b", 3},
                                       {"n", 5}};
  return evaluate(text, kBindings);
}

double number(std::string_view text) { return value(text).value_or(-1e9); }

std::string error(std::string_view text) {
  const auto result = value(text);
  return result ? "accepted" : result.error().message;
}

TEST(AxisExpression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(number("hidden // q_heads"), 256);
  EXPECT_EQ(number("size - kernelsize + 1"), 121);
  EXPECT_EQ(number("2 + 3 * 4"), 14);
  EXPECT_EQ(number("(2 + 3) * 4"), 20);
  EXPECT_EQ(number("20 // 3 * 2"), 12);
  EXPECT_EQ(number("7 - 9 // 2"), 3);
  EXPECT_EQ(number("1 - 9 % 4"), 0);
  EXPECT_EQ(number("10 - 3 - 2"), 5);
}

TEST(AxisExpression, FloorsQuotientsAndTruncatesRemainders) {
  EXPECT_EQ(number("(1 - 8) // 2"), -4);
  EXPECT_EQ(number("(1 - 8) % 4"), -3);
}

TEST(AxisExpression, SkipsCharactersOfNoToken) {
  EXPECT_THAT(error("2.5 * 2"), HasSubstr("\"5\" follows a whole expression"));
  EXPECT_THAT(error("a / b"), HasSubstr("\"b\" follows a whole expression"));
  EXPECT_EQ(number("N n"), 5);
}

TEST(AxisExpression, SaysWhatIsMissing) {
  EXPECT_THAT(error("-3 + 5"), HasSubstr("\"-\" stands where a number"));
  EXPECT_THAT(error("n +"), HasSubstr("ends where a number"));
  EXPECT_THAT(error("(n"), HasSubstr("a ) is missing"));
  EXPECT_THAT(error(""), HasSubstr("ends where a number"));
  EXPECT_THAT(error("m + 1"), HasSubstr("no axis is named \"m\""));
}

TEST(AxisExpression, DividesByZeroAsDoublesDo) {
  EXPECT_EQ(number("7 // 0"), HUGE_VAL);
  EXPECT_TRUE(std::isnan(number("0 // 0")));
  EXPECT_TRUE(std::isnan(number("7 % 0")));
  EXPECT_EQ(number(std::string(999, '9')), HUGE_VAL);
}

TEST(AxisExpression, IsBounded) {
  const std::string deep = std::string(499, '(') + "1" + std::string(499, ')');
  EXPECT_EQ(number(deep), 1);
  EXPECT_THAT(error(std::string(1001, ' ')), HasSubstr("at most 1000 characters"));
}

}  // namespace
}  // namespace ki::manifest
