#include "web/page_request.h"

#include <gtest/gtest.h>

namespace ki::web {
namespace {

http::Request asking(std::vector<http::Header> headers,
                     std::vector<http::Parameter> parameters = {}) {
  http::Request request;
  request.headers = std::move(headers);
  request.parameters = std::move(parameters);
  return request;
}

TEST(PageRequest, AnOriginIsAHostThatCanBeOne) {
  EXPECT_EQ(origin_of(asking({{"Host", "ki.example:8080"}})), "http://ki.example:8080");
  EXPECT_EQ(origin_of(asking({{"Host", "[::1]:80"}})), "http://[::1]:80");
  EXPECT_EQ(origin_of(asking({{"Host", "ki.example"}, {"X-Forwarded-Proto", "https"}})),
            "https://ki.example");
  EXPECT_EQ(origin_of(asking({{"Host", "ki.example"}, {"X-Forwarded-Proto", "javascript"}})),
            "http://ki.example");
  for (const std::string& host :
       {std::string(), std::string("a b"), std::string("a/\"><script>"), std::string(256, 'a')}) {
    EXPECT_EQ(origin_of(asking({{"Host", host}})), "http://localhost") << host;
  }
}

TEST(PageRequest, NumbersAndInstantsAreCheckedAtTheirLimits) {
  const auto offset = [](std::string text) { return offset_of(asking({}, {{"offset", text}})); };
  EXPECT_EQ(offset_of(asking({})).value(), 0);
  EXPECT_EQ(offset("1000000").value(), kOffsetMax);
  for (const char* text : {"1000001", "-1", "1.5", "x", "99999999999999999999"}) {
    EXPECT_EQ(offset(text).error().status, 400) << text;
  }
  const auto bound = [](std::string text) { return bound_of(asking({}, {{"b", text}}), "b"); };
  EXPECT_EQ(bound("450.5").value(), 450.5);
  EXPECT_EQ(bound_of(asking({}), "b").value(), 0);
  for (const char* text : {"0", "-1", "nan", "inf", "1e999", "x", "1 "}) {
    EXPECT_FALSE(bound(text).has_value()) << text;
  }
  const auto since = [](std::string text) { return instant_of(asking({}, {{"s", text}}), "s"); };
  EXPECT_EQ(since("2026-01-31").value(), "2026-01-31T00:00:00Z");
  EXPECT_EQ(since("2026-01-31T12:00:00Z").value(), "2026-01-31T12:00:00Z");
  for (const char* text : {"2026-02-30", "yesterday", "2026-1-31", "1970-01-01T"}) {
    EXPECT_FALSE(since(text).has_value()) << text;
  }
}

TEST(PageRequest, RunsComeFromEitherForm) {
  const std::vector<std::string> both = {"a", "b", "c"};
  EXPECT_EQ(runs_of(asking({}, {{"runs", "a, b,,"}, {"run", "c"}, {"other", "d"}})), both);
}

}  // namespace
}  // namespace ki::web
