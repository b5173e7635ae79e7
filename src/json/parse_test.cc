// The JSON reader: what it accepts, and where and how it refuses.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "json/write.h"

namespace ki::json {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string canonical_of(std::string_view text) {
  auto document = parse(text);
  return document ? canonical(document->root) : "refused: " + to_string(document.error());
}

Issues issues_of(std::string_view text, const Limits& limits = {}) {
  auto document = parse(text, limits);
  return document ? Issues{} : document.error();
}

// "code@offset" of each issue.
std::string verdict(std::string_view text, const Limits& limits = {}) {
  std::string out;
  for (const Issue& issue : issues_of(text, limits)) {
    out += (out.empty() ? "" : " ") + issue.code + "@" + std::to_string(issue.place.offset);
  }
  return out.empty() ? "accepted" : out;
}

TEST(ParseJson, AcceptsEveryKindOfValue) {
  EXPECT_EQ(
      canonical_of(" {\"b\" : [1, -2.50e1, true,false , null, \"x\\n\\u00e9\\ud83d\\ude00\"],\r\n"
                   "\t\"a\":{} , \"c\":[], \"\\u0000\\/\\\"\\b\\f\\r\\t\\\\\":\"\"} \n"),
      "{\"\\u0000/\\\"\\b\\f\\r\\t\\\\\":\"\",\"a\":{},"
      "\"b\":[1,-25,true,false,null,\"x\\né😀\"],\"c\":[]}");
  EXPECT_EQ(canonical_of("7"), "7");
  EXPECT_EQ(canonical_of("\"\""), "\"\"");
  EXPECT_EQ(canonical_of("\"\x7f\xe2\x80\xa8\""), "\"\x7f\xe2\x80\xa8\"");
}

TEST(ParseJson, KnowsTheOffsetOfEveryValueAndKey) {
  const auto document = parse(R"({"a": [ 10, "x"],"bc":null})");
  ASSERT_TRUE(document);
  const auto members = document->root.members();
  EXPECT_EQ(document->root.offset(), 0U);
  EXPECT_EQ(members[0].key_offset, 1U);
  EXPECT_EQ(members[0].value.offset(), 6U);
  EXPECT_EQ(members[0].value.items()[0].offset(), 8U);
  EXPECT_EQ(members[0].value.items()[1].offset(), 12U);
  EXPECT_EQ(members[1].key_offset, 17U);
  EXPECT_EQ(members[1].value.offset(), 22U);
}

TEST(ParseJson, TheDocumentNeedsNeitherTheTextNorItsOldAddress) {
  std::string text = R"(["abc","d\te"])";
  auto parsed = parse(text);
  ASSERT_TRUE(parsed);
  text.assign(text.size(), '#');
  const Document moved = std::move(*parsed);
  EXPECT_EQ(canonical(moved.root), R"(["abc","d\te"])");
}

TEST(ParseJson, RefusesWhatIsNoJsonAtItsPlace) {
  const struct {
    std::string_view text, verdict, message;
  } cases[] = {
      {"", "syntax@0", "expected a value, found the end of the text"},
      {" \n ", "syntax@3", "expected a value, found the end of the text"},
      {"[1,]", "syntax@3", "JSON has no comma before a closing bracket"},
      {"{\"a\":1,}", "syntax@7", "JSON has no comma before a closing bracket"},
      {"[1 2]", "syntax@3", "expected \",\" or \"]\" after an item of the list, found \"2\""},
      {"{\"a\" 1}", "syntax@5", "expected \":\" after the key, found \"1\""},
      {"{\"a\":1 \"b\":2}", "syntax@7", "expected \",\" or \"}\" after a member"},
      {"{a:1}", "syntax@1", "expected a key in double quotes or \"}\", found \"a\""},
      {"{1:1}", "syntax@1", "expected a key in double quotes"},
      {"[", "syntax@1", "expected a value, found the end of the text"},
      {"{\"a\":[1", "syntax@7", "expected \",\" or \"]\" after an item"},
      {"]", "syntax@0", "expected a value, found \"]\""},
      {"[1}", "syntax@2", "found \"}\""},
      {"[NaN]", "syntax@1", "JSON has finite numbers only"},
      {"[-Infinity]", "syntax@1", "\"-Infinity\" is not a JSON number"},
      {"['a']", "syntax@1", "strings take double quotes"},
      {"[1] // x", "trailing@4", "expected the end of the text, found \"//\""},
      {"// x\n[1]", "syntax@0", "JSON has no comments"},
      {"[1]x", "trailing@3", "expected the end of the text, found \"x\""},
      {"[1][", "trailing@3", "expected the end of the text"},
      {"[True]", "syntax@1", "expected a value, found \"True\""},
      {"[truex]", "syntax@1", "found \"truex\""},
      {"[tru", "syntax@1", "found \"tru\""},
      {"\xEF\xBB\xBF{}", "syntax@0", "without a byte order mark"},
      {"[\x0c 1]", "syntax@1", "expected a value"},
      {"[\"a\"\"b\"]", "syntax@4", "found \"\\\"b\\\"\""},
      {"[\"a\\x\"]", "syntax@3", "\"\\\\x\" is no escape of JSON"},
      {"[\"\\u12g4\"]", "syntax@2", "is no escape of JSON"},
      {"[\\\"a\"]", "syntax@1", "expected a value"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(verdict(c.text), c.verdict) << c.text;
    const Issues issues = issues_of(c.text);
    ASSERT_THAT(issues, SizeIs(1)) << c.text;
    EXPECT_THAT(issues[0].message, HasSubstr(c.message)) << c.text;
  }
}

TEST(ParseJson, RefusesMalformedNumbers) {
  for (const std::string_view number :
       {"01", "-", "-01", "00", "1.", "1.e1", "1e", "1e+", "0x1F", "1_0", "1a", "--1", "1.2.3",
        "1\"a\"", "-\"a\"", "1e1.5", "1-"}) {
    const std::string text = "[" + std::string(number) + "]";
    EXPECT_EQ(verdict(text), "syntax@1") << text;
  }
  EXPECT_EQ(verdict("[+1]"), "syntax@1");
  EXPECT_EQ(verdict("[.5]"), "syntax@1");
  EXPECT_EQ(verdict(std::string_view("[1\0]", 4)), "syntax@1");
  EXPECT_EQ(verdict(std::string_view("1\0", 2)), "syntax@0");
  EXPECT_EQ(verdict(std::string_view("true\0", 5)), "syntax@0");
}

TEST(ParseJson, FindsTheByteThatIsWrong) {
  const struct {
    std::string_view text, verdict;
  } cases[] = {
      {"[\"\xff\"]", "utf8@2"},
      {"[\"abc\xc0\xaf\"]", "utf8@5"},       // overlong
      {"[\"\xed\xa0\x80\"]", "utf8@2"},      // an encoded surrogate
      {"[\"\xf4\x90\x80\x80\"]", "utf8@2"},  // beyond U+10FFFF
      {"[\"\xe2\x82\"]", "utf8@2"},          // cut short
      {"[1, \xff]", "utf8@4"},
      {"[1] \xff", "utf8@4"},
      {"[12\xff]", "utf8@3"},
      {"[\"a\tb\"]", "syntax@3"},
      {"[\"a\nb\"]", "syntax@3"},
      {"[\"abc", "syntax@1"},
      {"[\"abc\\\"", "syntax@1"},
      {"\"", "syntax@0"},
      // The mistake that comes first is the one to tell.
      {"{\"a\" 1, \"b\": \"\xff\"}", "syntax@5"},
      {"[\"a\"b\", \"c\"]", "syntax@4"},
      {"{\"a\":1,\"a\":\"\xff\"}", "utf8@12"},
  };
  for (const auto& c : cases) EXPECT_EQ(verdict(c.text), c.verdict) << c.text;
  EXPECT_THAT(issues_of("[\"\xff\"]")[0].message, HasSubstr("byte 0xff"));
  EXPECT_THAT(issues_of("[\"a\tb\"]")[0].message, HasSubstr("write \\u0009"));
}

TEST(ParseJson, RefusesLoneSurrogatesAndReportsAllOfThem) {
  EXPECT_EQ(verdict(R"(["\ud83d\ude00"])"), "accepted");
  EXPECT_EQ(verdict(R"(["\ud817"])"), "surrogate@2");
  EXPECT_EQ(verdict(R"(["\udc42"])"), "surrogate@2");
  EXPECT_EQ(verdict(R"(["\udc42\ud817"])"), "surrogate@2 surrogate@8");
  EXPECT_EQ(verdict(R"(["a\ud800\u0041", {"\uDBFF":1}])"), "surrogate@3 surrogate@20");
  EXPECT_EQ(verdict(R"(["\ud83d\n"])"), "surrogate@2");
  EXPECT_THAT(issues_of(R"({"a":["x","\udc42"]})")[0].pointer, "/a/1");
}

TEST(ParseJson, ReportsEveryDuplicateKeyWithBothPlaces) {
  const std::string_view text =
      "{\"spec\":\n{\"axes\":{\"tokens\":2048,\"n\":1,\"\\u0074okens\":8192},\"dtype\":1,\"dtype\":"
      "1}}";
  const Issues issues = issues_of(text);
  ASSERT_THAT(issues, SizeIs(2));
  EXPECT_EQ(issues[0].code, "duplicate_key");
  EXPECT_EQ(issues[0].pointer, "/spec/axes/tokens");
  EXPECT_EQ(
      issues[0].message,
      "duplicate key \"tokens\": first at line 2 column 10, again at line 2 column 30; keep one");
  EXPECT_EQ(issues[0].place.line, 2U);
  EXPECT_EQ(issues[0].place.column, 30U);
  EXPECT_EQ(text.substr(issues[0].place.offset, 8), "\"\\u0074o");
  EXPECT_EQ(issues[1].pointer, "/spec/dtype");
  EXPECT_EQ(verdict(R"({"a":1,"a":2,"a":3})"), "duplicate_key@7 duplicate_key@13");
  EXPECT_EQ(verdict(R"({"a":{"a":1},"b":[{"a":1}]})"), "accepted");
}

TEST(ParseJson, FindsDuplicatesInLargeObjectsAsInSmallOnes) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i % 997) + "\":0,";
  text.back() = '}';
  const Issues issues = issues_of(text);
  ASSERT_THAT(issues, SizeIs(3));
  EXPECT_THAT(issues[0].message, HasSubstr("\"k0\": first at line 1 column 2,"));
  EXPECT_EQ(issues[2].pointer, "/k2");
}

TEST(ParseJson, KeepsTheEarliestThousandIssues) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) text += "1e999,\n";
  text += "0]";
  const Issues issues = issues_of(text);
  ASSERT_THAT(issues, SizeIs(1000));
  EXPECT_EQ(issues[999].place.line, 1000U);
  EXPECT_EQ(issues[999].pointer, "/999");
}

TEST(ParseJson, BoundsDepth) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + "1" +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(verdict(nested(64)), "accepted");
  EXPECT_EQ(verdict(nested(65)), "depth@64");
  EXPECT_EQ(issues_of(nested(65))[0].message, "nested 65 levels deep here; the limit is 64");
  EXPECT_EQ(verdict(nested(100'000)), "depth@64");
  EXPECT_EQ(verdict(std::string(500'000, '[')), "depth@64");
  EXPECT_EQ(verdict("[[1]]", {.depth_max = 1}), "depth@1");
}

TEST(ParseJson, BoundsBytesAndValues) {
  EXPECT_EQ(verdict("[1,2]", {.bytes_max = 5}), "accepted");
  EXPECT_EQ(verdict("[1,2] ", {.bytes_max = 5}), "size@0");
  EXPECT_THAT(issues_of("[1,2] ", {.bytes_max = 5})[0].message, HasSubstr("6 bytes; at most 5"));
  EXPECT_EQ(verdict("[1,2]", {.values_max = 3}), "accepted");
  EXPECT_EQ(verdict("[1,2,3]", {.values_max = 3}), "size@5");
  const std::string full = "\"" + std::string((std::size_t{1} << 20) - 2, 'a') + "\"";
  EXPECT_EQ(verdict(full), "accepted");
  EXPECT_EQ(verdict(full + " "), "size@0");
}

TEST(ParseJson, ReadsNumbersToTheNearestDouble) {
  EXPECT_EQ(canonical_of("[18446744073709551616]"), "[18446744073709552000]");
  EXPECT_EQ(canonical_of("[18446744073709551615]"), "[18446744073709552000]");
  EXPECT_EQ(canonical_of("[100000000000000000000]"), "[100000000000000000000]");
  EXPECT_EQ(canonical_of("[9007199254740993]"), "[9007199254740992]");
  EXPECT_EQ(canonical_of("[-0, -0.0, 0e5, 0E-999999]"), "[0,0,0,0]");
  EXPECT_EQ(canonical_of("[0.1" + std::string(5000, '0') + "]"), "[0.1]");
  EXPECT_EQ(canonical_of("[1E2, 1e+2, 1e02, 100.0, 10000e-2]"), "[100,100,100,100,100]");
  EXPECT_EQ(canonical_of("[5e-324, 2.2250738585072011e-308]"), "[5e-324,2.225073858507201e-308]");
}

TEST(ParseJson, RefusesNumbersBeyondADoubleAndGoesOn) {
  EXPECT_EQ(verdict("[1e400]"), "number_range@1");
  EXPECT_EQ(verdict("[-1e400, 2, 1.8e308]"), "number_range@1 number_range@12");
  EXPECT_EQ(verdict("[" + std::string(400, '9') + "]"), "number_range@1");
  EXPECT_EQ(verdict("[1e" + std::string(2000, '9') + "]"), "number_range@1");
  EXPECT_LT(issues_of("[" + std::string(400, '9') + "]")[0].message.size(), 200U);
}

TEST(ParseJson, MarksNumbersThatVanish) {
  const auto document = parse("[1e-400, 0.0e-400, 0." + std::string(400, '0') + "1, 5e-324, 1e-" +
                              std::string(2000, '9') + "]");
  ASSERT_TRUE(document);
  const auto items = document->root.items();
  EXPECT_TRUE(items[0].underflowed());
  EXPECT_FALSE(items[1].underflowed());
  EXPECT_TRUE(items[2].underflowed());
  EXPECT_FALSE(items[3].underflowed());
  EXPECT_TRUE(items[4].underflowed());
  EXPECT_EQ(canonical(document->root), "[0,0,0,5e-324,0]");
}

TEST(ParseJson, ACopyOutlivesWhatItWasCopiedFrom) {
  Document copy;
  std::size_t bytes = 0;
  {
    const auto document =
        parse(R"({"left out": [1, 2, 3], "kept": {"a": ["x\n", "", 1e-400, null], "é": {}}})");
    ASSERT_TRUE(document);
    copy = copy_of(*document->root.find("kept"));
    bytes = document->arena.bytes();
  }
  EXPECT_EQ(canonical(copy.root), R"({"a":["x\n","",0,null],"é":{}})");
  EXPECT_EQ(copy.root.offset(), 32U);
  EXPECT_EQ(copy.root.members()[0].key_offset, 33U);
  EXPECT_TRUE(copy.root.find("a")->items()[2].underflowed());
  EXPECT_LT(copy.arena.bytes(), bytes);
}

TEST(ParseJson, QuotesLittleOfTheInput) {
  const std::string name(70'000, 'x');
  const Issues issues = issues_of("{\"" + name + "\":" + name + "}");
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_LT(to_string(issues).size(), 512U);
}

}  // namespace
}  // namespace ki::json
