#include "http/target.h"

#include <random>

#include <gtest/gtest.h>

namespace ki::http {
namespace {

TEST(Target, DecodesSegmentsAfterSplittingThem) {
  const auto target = parse_target("/runs/a%2Fb/%C3%A9");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (std::vector<std::string>{"runs", "a/b", "é"}));
  EXPECT_EQ(target->path, "/runs/a%2Fb/%C3%A9");
}

TEST(Target, TheRootHasNoSegmentsAndATrailingSlashIsOne) {
  EXPECT_TRUE(parse_target("/")->segments.empty());
  EXPECT_EQ(parse_target("/a/")->segments, (std::vector<std::string>{"a", ""}));
}

TEST(Target, ReadsParametersAsFormsSendThem) {
  const auto target = parse_target("/search?q=gemm+m%3D4096&x&y=&q=2&&z=a=b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->parameters,
            (std::vector<Parameter>{
                {"q", "gemm m=4096"}, {"x", ""}, {"y", ""}, {"q", "2"}, {"z", "a=b"}}));
}

TEST(Target, TakesTheAbsoluteForm) {
  EXPECT_EQ(parse_target("http://host:80/a?b=1")->path, "/a");
  EXPECT_EQ(parse_target("HTTPS://host/a")->path, "/a");
  EXPECT_EQ(parse_target("http://host")->path, "/");
  const auto bare = parse_target("http://host?b=/1");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->path, "/");
  EXPECT_TRUE(bare->segments.empty());
  EXPECT_EQ(bare->parameters, (std::vector<Parameter>{{"b", "/1"}}));
}

TEST(Target, RefusesWhatIsNotOneAddress) {
  for (const std::string_view text : {"",
                                      "*",
                                      "a",
                                      "http://",
                                      "http:///a",
                                      "http://?a",
                                      "ftp://host/a",
                                      "host:80",
                                      "?a=1",
                                      "http://host#x",
                                      "/%",
                                      "/%4",
                                      "/%zz",
                                      "/%ff",
                                      "/%C0%AF",
                                      "/%ED%A0%80",
                                      "/a/../b",
                                      "/%2e%2E",
                                      "/./a",
                                      "/%00",
                                      "/a%0Ab",
                                      "/#x",
                                      "/?q=%",
                                      "/?%G0=1",
                                      "/?q=%01",
                                      "/?q=%F5%80%80%80"}) {
    const auto target = parse_target(text);
    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().code, Code::invalid) << text;
  }
}

TEST(Target, HasLimits) {
  EXPECT_TRUE(parse_target("/" + std::string(kTargetBytesMax - 1, 'a')));
  EXPECT_EQ(parse_target("/" + std::string(kTargetBytesMax, 'a')).error().code, Code::too_large);
  std::string query = "a=1";
  for (std::size_t i = 1; i < kParametersMax; ++i) query += "&a=1";
  EXPECT_EQ(parse_query(query)->size(), kParametersMax);
  EXPECT_EQ(parse_query(query + "&a=1").error().code, Code::too_large);
}

TEST(Target, EncodingIsUndoneByDecoding) {
  std::mt19937 random(20260201);
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    for (int k = 0; k < 12; ++k) text += static_cast<char>(random() % 128);
    EXPECT_EQ(percent_decode(percent_encode(text)).value_or("?"), text);
  }
  EXPECT_EQ(percent_encode("a b/é"), "a%20b%2F%C3%A9");
}

TEST(Target, AQueryStringIsReadBack) {
  const std::vector<Parameter> parameters = {{"q", "a&b=c +%"}, {"ü", ""}, {"runs", "1,2"}};
  EXPECT_EQ(parse_query(query_string(parameters).substr(1)).value_or(std::vector<Parameter>{}),
            parameters);
  EXPECT_EQ(query_string({}), "");
}

TEST(Target, AnErrorSaysWhichPartIsWrong) {
  const auto where = [](std::string_view text) {
    const auto target = parse_target(text);
    return target ? "nowhere" : target.error().where;
  };
  EXPECT_EQ(where("/a/%FF/b?x=1"), "/path");
  EXPECT_EQ(where("/a?x=1&y%2F=%zz&z=2"), "/query/y~1");
  EXPECT_EQ(where("/a?%FF=1"), "/query");
  EXPECT_EQ(where("/a?%FF"), "/query");
  EXPECT_EQ(where("elsewhere"), "");
  EXPECT_EQ(where("/a?x&y="), "nowhere");
}

}  // namespace
}  // namespace ki::http
