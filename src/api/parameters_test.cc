#include "api/parameters.h"

#include <array>

#include <gtest/gtest.h>

namespace ki::api {
namespace {

constexpr std::array<std::string_view, 2> kColours = {"red", "green"};
constexpr std::array kParameters = {
    Parameter{.name = "id", .in = In::path, .doc = "", .maximum = 5},
    Parameter{.name = "q", .doc = "", .maximum = 3},
    Parameter{.name = "limit",
              .type = ParameterType::integer,
              .doc = "",
              .minimum = 1,
              .maximum = 200,
              .initial = "50"},
    Parameter{.name = "since", .type = ParameterType::instant, .doc = ""},
    Parameter{.name = "colour", .type = ParameterType::choice, .doc = "", .choices = kColours}};

std::expected<Arguments, Issues> check_query(std::vector<http::Parameter> query,
                                             std::string id = "x") {
  http::Request request;
  request.parameters = std::move(query);
  return check(kParameters, {std::move(id)}, request);
}

std::string codes(const std::expected<Arguments, Issues>& result) {
  std::string all;
  if (result) return all;
  for (const Issue& issue : result.error()) all += issue.pointer + ":" + issue.code + " ";
  return all;
}

TEST(Parameters, AbsentOnesHaveTheirInitialValue) {
  const auto arguments = check_query({{"limit", ""}});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->integer("limit"), 50);
  EXPECT_EQ(arguments->text("q"), "");
  EXPECT_EQ(arguments->text("id"), "x");
}

TEST(Parameters, AreTakenUpToTheirBounds) {
  EXPECT_TRUE(check_query(
      {{"limit", "1"}, {"q", "abc"}, {"colour", "green"}, {"since", "2026-01-31T00:00:00+02:00"}}));
  EXPECT_TRUE(check_query({{"limit", "200"}, {"q", "äöü"}}));
  EXPECT_EQ(codes(check_query({{"limit", "0"}})), "/query/limit:out_of_range ");
  EXPECT_EQ(codes(check_query({{"limit", "201"}})), "/query/limit:out_of_range ");
  EXPECT_EQ(codes(check_query({{"q", "abcd"}})), "/query/q:too_long ");
  EXPECT_EQ(codes(check_query({}, "123456")), "/path/id:too_long ");
}

TEST(Parameters, EveryFaultIsReported) {
  EXPECT_EQ(codes(check_query({{"limit", "5x"},
                               {"since", "tomorrow"},
                               {"colour", "blue"},
                               {"lmit", "1"},
                               {"q", "a"},
                               {"q", "b"}})),
            "/query/limit:invalid_type /query/since:invalid_value /query/colour:invalid_value "
            "/query/lmit:unknown_parameter /query/q:repeated_parameter ");
}

TEST(Parameters, AnUnknownNameGetsASuggestion) {
  const auto result = check_query({{"limti", "5"}});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error()[0].message.find("did you mean \"limit\"?"), std::string::npos);
}

}  // namespace
}  // namespace ki::api
