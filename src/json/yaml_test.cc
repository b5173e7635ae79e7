// The YAML reader: the YAML 1.2 core schema, exactly, and everything it refuses.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "json/write.h"

namespace ki::json {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// The canonical forms of all documents, one a line.
std::string canonical_of(std::string_view text, const Limits& limits = {}) {
  const auto documents = parse_yaml(text, limits);
  if (!documents) return "refused: " + to_string(documents.error());
  std::string out;
  for (const Document& document : *documents) {
    out += (out.empty() ? "" : "\n") + canonical(document.root);
  }
  return out;
}

Issues issues_of(std::string_view text, const Limits& limits = {}) {
  auto documents = parse_yaml(text, limits);
  return documents ? Issues{} : documents.error();
}

std::string verdict(std::string_view text, const Limits& limits = {}) {
  std::string out;
  for (const Issue& issue : issues_of(text, limits)) {
    out += (out.empty() ? "" : " ") + issue.code + "@" + std::to_string(issue.place.offset);
  }
  return out.empty() ? "accepted" : out;
}

struct ScalarCase {
  std::string_view scalar, canonical;
};

constexpr ScalarCase kScalarCases[] = {
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"false", "false"},
    {"False", "false"},
    {"FALSE", "false"},
    {"null", "null"},
    {"Null", "null"},
    {"NULL", "null"},
    {"~", "null"},
    {"", "null"},
    {"yes", "\"yes\""},
    {"no", "\"no\""},
    {"on", "\"on\""},
    {"off", "\"off\""},
    {"n", "\"n\""},
    {"y", "\"y\""},
    {"tRUE", "\"tRUE\""},
    {"nULL", "\"nULL\""},
    {"+5", "5"},
    {"-5", "-5"},
    {"010", "10"},
    {"-010", "-10"},
    {"0o17", "15"},
    {"0x1F", "31"},
    {"0xff", "255"},
    {"-0x1F", "\"-0x1F\""},
    {"0o18", "\"0o18\""},
    {"0x", "\"0x\""},
    {"0b1", "\"0b1\""},
    {"1_000", "\"1_000\""},
    {"1:30", "\"1:30\""},
    {"1e3", "1000"},
    {"1E+3", "1000"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {"+.5e1", "5"},
    {"5.", "5"},
    {"2048.0", "2048"},
    {"3.10", "3.1"},
    {"-0", "0"},
    {"-0.0", "0"},
    {".", "\".\""},
    {"-", "[null]"},
    {"+", "\"+\""},
    {"1.2.3", "\"1.2.3\""},
    {"e3", "\"e3\""},
    {".e3", "\".e3\""},
    {"1e", "\"1e\""},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709552000"},
    {"0o1777777777777777777777", "18446744073709552000"},
    {"18446744073709551616", "18446744073709552000"},
    {"2026-01-02", "\"2026-01-02\""},
    {"2026-01-02T03:04:05Z", "\"2026-01-02T03:04:05Z\""},
    {"a b", "\"a b\""},
    {"'1'", "\"1\""},
    {"\"true\"", "\"true\""},
    {"'it''s'", "\"it's\""},
    {"\"\\x41\\u00e9\\U0001F600\\n\"", "\"Aé😀\\n\""},
    {"=", "\"=\""},
    {"nan", "\"nan\""},
    {"inf", "\"inf\""},
    {"+.nan", "\"+.nan\""},
    {"0123456789012345678901234567890123456789", "1.2345678901234568e+38"},
};

TEST(ParseYaml, ReadsScalarsByTheCoreSchema) {
  for (const auto& c : kScalarCases) {
    EXPECT_EQ(canonical_of(c.scalar), c.canonical) << c.scalar;
    if (c.scalar != "-") {
      EXPECT_EQ(canonical_of("k: " + std::string(c.scalar)),
                "{\"k\":" + std::string(c.canonical) + "}");
    }
  }
}

TEST(ParseYaml, RefusesNumbersThatAreNotFinite) {
  for (const std::string_view number : {".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"}) {
    EXPECT_EQ(verdict("a: " + std::string(number)), "number_range@3") << number;
  }
  EXPECT_EQ(verdict("[1e400, 2, " + std::string(400, '9') + "]"), "number_range@1 number_range@11");
  EXPECT_EQ(verdict("[0x" + std::string(300, 'f') + "]"), "number_range@1");
  const auto tiny = parse_yaml("1e-400");
  ASSERT_TRUE(tiny);
  EXPECT_TRUE(tiny->front().root.underflowed());
}

TEST(ParseYaml, ReadsBlockAndFlowAndTextStyles) {
  EXPECT_EQ(
      canonical_of("# c\na:\n  - 1\n  - {b: x, \"c\":2}\n  -\nd: |\n  t\n  u\ne: >-\n  v\n  w\n"),
      R"({"a":[1,{"b":"x","c":2},null],"d":"t\nu\n","e":"v w"})");
  EXPECT_EQ(canonical_of("{\"a\":[1,2.50,true,null,\"x\"],\"b\":{}}"),
            R"({"a":[1,2.5,true,null,"x"],"b":{}})");
  EXPECT_EQ(canonical_of("[a, b, ]"), R"(["a","b"])");
  EXPECT_EQ(canonical_of("a: b\r\nc: d\r\n"), R"({"a":"b","c":"d"})");
}

TEST(ParseYaml, ReadsSeveralDocumentsAndEmptyOnes) {
  EXPECT_EQ(canonical_of("a: 1\n---\nb: 2\n...\n---\n[c]\n"), "{\"a\":1}\n{\"b\":2}\n[\"c\"]");
  EXPECT_EQ(canonical_of("---\na: 1\n...\n"), "{\"a\":1}");
  EXPECT_EQ(canonical_of("\xEF\xBB\xBF"
                         "a: 1\n"),
            "{\"a\":1}");
  EXPECT_EQ(canonical_of("%YAML 1.1\n---\na: yes\nb: 010\n"), "{\"a\":\"yes\",\"b\":10}");
  EXPECT_EQ(canonical_of("%YAML 1.2\n---\na: 1\n"), "{\"a\":1}");
  EXPECT_EQ(canonical_of(""), "null");
  EXPECT_EQ(canonical_of("# only a comment\n"), "null");
  EXPECT_EQ(canonical_of("---\n"), "null");
  EXPECT_EQ(canonical_of("--- a\n--- b\n--- c", {.documents_max = 3}), "\"a\"\n\"b\"\n\"c\"");
  EXPECT_EQ(verdict("--- a\n--- b\n--- c", {.documents_max = 2}), "size@12");
}

TEST(ParseYaml, KnowsTheByteOffsetOfEveryValueAndKey) {
  const std::string_view text = "é: &a !!str ü\n'k': [😀, 2]\n---\nx: 1\n";
  const auto documents = parse_yaml(text);
  ASSERT_TRUE(documents) << to_string(documents.error());
  const auto rest = [&](std::uint32_t offset) { return text.substr(offset); };
  const auto members = documents->at(0).root.members();
  EXPECT_THAT(rest(members[0].key_offset), ::testing::StartsWith("é:"));
  EXPECT_THAT(rest(members[0].value.offset()), ::testing::StartsWith("ü\n"));
  EXPECT_THAT(rest(members[1].key_offset), ::testing::StartsWith("'k'"));
  EXPECT_THAT(rest(members[1].value.offset()), ::testing::StartsWith("[😀"));
  EXPECT_THAT(rest(members[1].value.items()[1].offset()), ::testing::StartsWith("2]"));
  EXPECT_THAT(rest(documents->at(1).root.find("x")->offset()), ::testing::StartsWith("1\n"));
}

TEST(ParseYaml, ReportsEveryDuplicateKeyByItsValue) {
  EXPECT_EQ(verdict("name: 1\n\"name\": 2\n"), "duplicate_key@8");
  EXPECT_EQ(verdict("{1: a, 0x1: b, 1.0: c, '1': d}"),
            "duplicate_key@7 duplicate_key@15 duplicate_key@23");
  EXPECT_EQ(verdict("{true: a, True: b, 'true': c}"), "duplicate_key@10 duplicate_key@19");
  EXPECT_EQ(verdict("{a: {b: 1}, c: {b: 1}}"), "accepted");
  const Issues issues = issues_of("spec:\n  é: 1\n  b: 2\n  \"\\u00e9\": 3\n");
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_EQ(issues[0].pointer, "/spec/é");
  EXPECT_EQ(issues[0].message,
            "duplicate key \"é\": first at line 2 column 3, again at line 4 column 3; keep one");
}

TEST(ParseYaml, MakesKeysStrings) {
  EXPECT_EQ(canonical_of("{10: a, 0x1F: b, true: c, ~: d, 1.50: e}"),
            R"({"":"d","1.5":"e","10":"a","31":"b","true":"c"})");
  EXPECT_EQ(canonical_of("&k name: 1\nb: {*k : 2}"), R"({"b":{"name":2},"name":1})");
  EXPECT_EQ(verdict("? [a, b]\n: 1\n"), "syntax@2");
  EXPECT_EQ(verdict("{{a: b}: 1}"), "syntax@1");
  EXPECT_EQ(verdict("&a [1]\n---\nx: 1"), "accepted");
  EXPECT_EQ(verdict("a: &a [1]\n? *a\n: 2"), "syntax@12");
}

TEST(ParseYaml, RefusesMergeKeysButNotTheTextOfOne) {
  EXPECT_EQ(verdict("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n"), "merge_key@18");
  EXPECT_THAT(issues_of("a: &a {x: 1}\nb: {<<: *a}")[0].message,
              HasSubstr("write the members out"));
  EXPECT_EQ(issues_of("a: &a {x: 1}\nb: {<<: *a}")[0].pointer, "/b/<<");
  EXPECT_EQ(canonical_of("{'<<': 1}"), R"({"<<":1})");
  EXPECT_EQ(canonical_of("[<<]"), R"(["<<"])");
}

TEST(ParseYaml, AppliesCoreTagsAndRefusesTheOthers) {
  EXPECT_EQ(
      canonical_of("[!!str 12, !!int '12', !!float 1e3, !!bool 'true', !!null '', !!str, ! 7]"),
      R"(["12",12,1000,true,null,"","7"])");
  EXPECT_EQ(canonical_of("!!map {a: !!seq [1]}"), R"({"a":[1]})");
  EXPECT_EQ(canonical_of("%TAG !e! tag:yaml.org,2002:\n---\n!e!str 1"), "\"1\"");
  EXPECT_EQ(verdict("[!foo 1, !!js/function 2, !<tag:x> 3, !!binary aGk=, !!set {a}]"),
            "tag@1 tag@9 tag@26 tag@38 tag@53");
  EXPECT_EQ(verdict("[!!float 12, !!int x, !!bool yes, !!null no]"), "tag@1 tag@13 tag@22 tag@34");
  EXPECT_EQ(verdict("[!!map [1], !!seq {}, !!str [2], !!seq x]"), "tag@1 tag@12 tag@22 tag@33");
  EXPECT_EQ(verdict("a: !e!x 1"), "tag@3");
}

TEST(ParseYaml, SharesAnchoredValuesUpToABound) {
  const auto references = [](int n) {
    std::string text = "a: &a [1, {b: 2}]\nl: [";
    for (int i = 0; i < n; ++i) text += "*a, ";
    return text + "]\n";
  };
  EXPECT_EQ(canonical_of("[&x {a: 1}, *x, &x 2, *x]"), R"([{"a":1},{"a":1},2,2])");
  EXPECT_EQ(verdict(references(99)), "accepted");
  EXPECT_EQ(verdict(references(100)), "alias@" + std::to_string(22 + 99 * 4));
  EXPECT_EQ(verdict("a: &a 1\nb: &b 2\nl: [" +
                    [] {
                      std::string both;
                      for (int i = 0; i < 60; ++i) both += "*a, *b, ";
                      return both;
                    }() +
                    "]"),
            "accepted");
  // Ten aliases in a list, the list again and again: 10 + 10n references.
  const auto nested = [](int n) {
    std::string text = "- &a 1\n- &l [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n";
    for (int i = 0; i < n; ++i) text += "- *l\n";
    return text;
  };
  EXPECT_EQ(verdict(nested(8)), "accepted");
  EXPECT_THAT(verdict(nested(9)), ::testing::StartsWith("alias@"));
  EXPECT_THAT(verdict(nested(10)), ::testing::StartsWith("alias@"));
}

TEST(ParseYaml, RefusesAliasesWithoutAValue) {
  EXPECT_EQ(verdict("[*a, *b]"), "alias@1 alias@5");
  EXPECT_EQ(verdict("&a [*a]"), "alias@4");
  EXPECT_EQ(verdict("&a 1\n---\n*a"), "alias@9");
}

TEST(ParseYaml, StopsAliasBombsEarly) {
  std::string bomb = "- &a0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "- &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += "*a" + std::to_string(i - 1) + ",";
    bomb += "]\n";
  }
  EXPECT_THAT(verdict(bomb), ::testing::StartsWith("alias@"));
  // A chain of anchors, each one level deeper than the last, must not pass the depth limit.
  std::string chain = "- &a0 [x]\n";
  for (int i = 1; i < 200; ++i) {
    chain += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(verdict(chain, {.alias_max = 1'000'000}), ::testing::StartsWith("depth@"));
  EXPECT_EQ(verdict("- &a [1,2,3]\n- *a\n- *a\n", {.values_max = 13}), "accepted");
  EXPECT_EQ(verdict("- &a [1,2,3]\n- *a\n- *a\n", {.values_max = 12}), "size@20");
}

TEST(ParseYaml, BoundsDepthInEveryStyle) {
  const auto repeat = [](std::string_view part, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += part;
    return out;
  };
  EXPECT_EQ(verdict(repeat("[", 64) + repeat("]", 64)), "accepted");
  EXPECT_EQ(verdict(repeat("[", 65) + repeat("]", 65)), "depth@64");
  EXPECT_EQ(verdict(repeat("[", 100'000)), "depth@64");
  EXPECT_EQ(verdict(repeat("{a: ", 20'000)), "depth@256");
  EXPECT_EQ(verdict(repeat("- ", 20'000)), "depth@128");
  EXPECT_EQ(verdict(repeat("? ", 20'000)), "syntax@2");
  std::string indents;
  for (std::size_t i = 0; i < 400; ++i) indents += std::string(i, ' ') + "a:\n";
  const Issues issues = issues_of(indents);
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_EQ(issues[0].code, "depth");
  EXPECT_EQ(issues[0].place.line, 65U);
  EXPECT_EQ(issues[0].message, "nested 65 levels deep here; the limit is 64");
}

TEST(ParseYaml, RefusesWhatIsNoYamlAtItsPlace) {
  const struct {
    std::string_view text, verdict, message;
  } cases[] = {
      {"a:\n\tb: 1\n", "tab@3", "use blanks"},
      {"a:\n  - b\n\t- c\n", "tab@9", "use blanks"},
      {"a: @b", "syntax@3", "may not start with \"@\"; put it in quotes"},
      {"a: `b", "syntax@3", "may not start with"},
      {"a: [1, 2", "syntax@8", "flow sequence"},
      {"a: \"b", "syntax@5", "quoted scalar"},
      {"a: b: c", "syntax@4", "mapping values are not allowed"},
      {"a: 'b' c", "syntax@7", "while parsing a block mapping (from line 1 column 1)"},
      {"[1]]", "syntax@3", ""},
      {"a: \"\\ud83d\\ude00\"", "surrogate@4", "\\U and eight digits"},
      {"a: \"\\U00110000\"", "surrogate@4", "\\\\U00110000"},
      {"a: \"\\q\"", "syntax@4", "unknown escape"},
      {"é: [ü, \"\\ud800\"]", "surrogate@10", ""},
      {"%YAML 2.0\n---\na: 1", "syntax@0", "incompatible"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(verdict(c.text), c.verdict) << c.text;
    const Issues issues = issues_of(c.text);
    ASSERT_THAT(issues, SizeIs(1)) << c.text;
    EXPECT_THAT(issues[0].message, HasSubstr(c.message)) << c.text;
  }
}

TEST(ParseYaml, RefusesBytesAndCharactersThatCouldMeanTwoThings) {
  EXPECT_EQ(verdict("a: \xff"), "utf8@3");
  EXPECT_EQ(verdict("a: \xc0\xaf"), "utf8@3");
  EXPECT_EQ(verdict("\xff\xfe"
                    "a"),
            "utf8@0");
  EXPECT_EQ(verdict(std::string_view("a: \0b", 5)), "syntax@3");
  EXPECT_EQ(verdict("a: \x07"), "syntax@3");
  EXPECT_EQ(verdict("a: \x7f"), "syntax@3");
  EXPECT_EQ(verdict("a: 'x\xc2\x85y'"), "syntax@5");
  EXPECT_EQ(verdict("# c\xe2\x80\xa8"
                    "a: 1"),
            "syntax@3");
  EXPECT_THAT(issues_of("\xe2\x80\xa9")[0].message, HasSubstr("U+2029"));
  EXPECT_EQ(canonical_of("\"\\u0085\\u2028\\x7f\\0\""), "\"\xc2\x85\xe2\x80\xa8\x7f\\u0000\"");
}

TEST(ParseYaml, BoundsBytesAndValues) {
  EXPECT_EQ(verdict("[1]", {.bytes_max = 3}), "accepted");
  EXPECT_EQ(verdict("[1] ", {.bytes_max = 3}), "size@0");
  EXPECT_EQ(verdict("[1, 2, 3]", {.values_max = 4}), "accepted");
  EXPECT_EQ(verdict("[1, 2, 3]", {.values_max = 3}), "size@7");
}

TEST(SourceText, GivesTheScalarAsWritten) {
  EXPECT_EQ(source_text("version: 3.10\n", 9), "3.10");
  EXPECT_EQ(source_text("[3.10, 2]", 1), "3.10");
  EXPECT_EQ(source_text("{a: 010}", 4), "010");
  EXPECT_EQ(source_text("a: \"x \\\" y\" # c", 3), "\"x \\\" y\"");
  EXPECT_EQ(source_text("a: 'it''s' b", 3), "'it''s'");
  EXPECT_EQ(source_text("a: 'open", 3), "'open");
  EXPECT_EQ(source_text("12", 0), "12");
  EXPECT_EQ(source_text("12", 2), "");
  EXPECT_EQ(source_text("12", kNoOffset), "");
}

}  // namespace
}  // namespace ki::json
