// The readers against the shared cases, where those are at hand, and against texts made up at
// random: what may never change a canonical form, and what always must.
#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"
#include "json/read.h"
#include "json/write.h"
#include "support/places.h"

namespace ki::json {
namespace {

namespace fs = std::filesystem;

class SharedCase : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!places::shared_data("cases")) GTEST_SKIP() << "the shared cases are not here";
  }
  static std::string file(const std::string& name) {
    const auto path = places::shared_data("cases/" + name);
    EXPECT_TRUE(path) << name;
    auto text = read_file(path.value_or(name), std::size_t{1} << 24);
    EXPECT_TRUE(text) << name;
    return text.value_or("");
  }
  static Document expected(const std::string& folder) {
    auto document = parse(file(folder + "/expected.json"));
    EXPECT_TRUE(document);
    return document ? std::move(*document) : Document{};
  }
  static std::string bytes(const Value& hex) { return from_hex(hex.string()).value_or("?"); }
};

TEST_F(SharedCase, CanonicalBytesAreAsPrinted) {
  for (const std::string folder : {"05-jcs-numbers", "07-jcs-key-order"}) {
    const Document right = expected(folder);
    const Value& want = *right.root.find("expected")->find("in.json");
    const auto document = parse(file(folder + "/in.json"));
    ASSERT_TRUE(document) << to_string(document.error());
    const std::string got = canonical(document->root);
    EXPECT_EQ(got, bytes(*want.find("canonical_hex")));
    EXPECT_EQ(to_string(sha256(got)), "sha256:" + std::string(want.find("sha256")->string()));
  }
}

TEST_F(SharedCase, WhatMustBeRefusedIsRefusedAtAByte) {
  const Document right = expected("09-jcs-must-refuse");
  const auto lines = right.root.find("expected")->find("lines")->items();
  ASSERT_FALSE(lines.empty());
  for (const Value& line : lines) {
    const std::string text = bytes(*line.find("hex"));
    const auto document = parse(text);
    ASSERT_FALSE(document) << line.find("reason")->string();
    EXPECT_EQ(document.error().front().place.line, 1U);
    EXPECT_GT(document.error().front().place.offset, 0U);
    EXPECT_THAT(to_string(document.error()), ::testing::Not(::testing::HasSubstr("\xEF\xBF\xBD")));
  }
}

TEST_F(SharedCase, DeepDocumentsAreRefusedAndDecentOnesAreNot) {
  const auto deep_json = parse(file("35-hostile-deep-nesting/deep.json"));
  ASSERT_FALSE(deep_json);
  EXPECT_EQ(deep_json.error().front().code, "depth");
  for (const std::string name : {"deep-flow.yaml", "deep-block.yaml"}) {
    const auto deep = parse_yaml(file("35-hostile-deep-nesting/" + name));
    ASSERT_FALSE(deep) << name;
    ASSERT_THAT(deep.error(), ::testing::SizeIs(1));
    EXPECT_EQ(deep.error().front().code, "depth");
  }
  const std::string fine = file("35-hostile-deep-nesting/fine-30.json");
  const auto document = parse(fine);
  ASSERT_TRUE(document);
  EXPECT_EQ(canonical(document->root), fine);
}

TEST_F(SharedCase, NumbersAreTakenOrRefusedByName) {
  const Document right = expected("37-hostile-numbers-and-sizes");
  const Value& want = *right.root.find("expected")->find("numbers");
  const std::string lines = file("37-hostile-numbers-and-sizes/numbers.jsonl");
  int seen = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const auto line = parse(std::string_view(lines).substr(at, end - at));
    ASSERT_TRUE(line) << to_string(line.error());
    at = end + 1;
    const auto name = line->root.find("name")->string();
    const Value* verdict = want.find(name);
    ASSERT_NE(verdict, nullptr) << name;
    const Value* text = line->root.find("json");
    ASSERT_NE(text, nullptr) << name;
    const bool refuse = verdict->string().starts_with("reject");
    EXPECT_EQ(parse(text->string()).has_value(), !refuse) << name;
    ++seen;
  }
  EXPECT_EQ(seen, static_cast<int>(want.members().size()));
}

// ---- texts made up at random

using Random = std::mt19937;

int pick(Random& random, int below) {
  return std::uniform_int_distribution<int>(0, below - 1)(random);
}

// A tree, spelled three ways: two JSON texts that differ in key order, white space and the spelling
// of numbers and strings, and one YAML text.
struct Spelling {
  std::string one, other, yaml;
};

std::string blanks(Random& random) {
  constexpr std::string_view kBlanks[] = {"", "", " ", "\n", "\t ", "\r\n"};
  return std::string(kBlanks[pick(random, 6)]);
}

Spelling number(Random& random) {
  const int n = pick(random, 2'000'000) - 1'000'000;
  const std::string text = std::to_string(n);
  constexpr std::string_view kSpellings[] = {".0", "e0", "E+00", "000e-3", ".00e+0", ""};
  const std::string other = text + std::string(kSpellings[n == 0 ? 0 : pick(random, 6)]);
  return {text, other, n >= 0 && pick(random, 2) == 0 ? "+0" + text : other};
}

Spelling text(Random& random) {
  struct Part {
    std::string_view plain, escaped, yaml;
  };
  constexpr Part kParts[] = {{"a", "\\u0061", "\\x61"},  {"é", "\\u00E9", "\\xe9"},
                             {"\\n", "\\u000a", "\\n"},  {"😀", "\\ud83d\\ude00", "\\U0001F600"},
                             {"/", "\\/", "\\/"},        {"\\\\", "\\u005c", "\\\\"},
                             {" ", "\\u0020", "\\ "},    {"null", "n\\u0075ll", "null"},
                             {"\\\"", "\\u0022", "\\\""}};
  Spelling out{"\"", "\"", "\""};
  for (int i = pick(random, 4); i > 0; --i) {
    const Part& part = kParts[pick(random, 9)];
    out.one += part.plain;
    out.other += pick(random, 2) == 0 ? part.plain : part.escaped;
    out.yaml += part.yaml;
  }
  return {out.one + '"', out.other + '"', out.yaml + '"'};
}

Spelling tree(Random& random, int depth);

Spelling list(Random& random, int depth) {
  Spelling out{"[", "[", "["};
  for (int i = pick(random, 5); i > 0; --i) {
    const Spelling item = tree(random, depth - 1);
    const bool first = out.one.size() == 1;
    out.one += (first ? "" : ",") + item.one;
    out.other += (first ? "" : ",") + blanks(random) + item.other + blanks(random);
    out.yaml += (first ? "" : ", ") + item.yaml;
  }
  return {out.one + "]", out.other + blanks(random) + "]", out.yaml + "]"};
}

Spelling object(Random& random, int depth) {
  std::vector<Spelling> members;
  for (int i = pick(random, 6); i > 0; --i) {
    const Spelling value = tree(random, depth - 1);
    const std::string tail = std::to_string(i) + "\"";  // makes the keys distinct
    Spelling key = text(random);
    for (std::string* spelling : {&key.one, &key.other, &key.yaml}) {
      spelling->pop_back();
      *spelling += tail;
    }
    members.push_back(
        {key.one + ":" + value.one,
         blanks(random) + key.other + blanks(random) + ":" + blanks(random) + value.other,
         key.yaml + ": " + value.yaml});
  }
  Spelling out{"{", "{", "{"};
  for (const Spelling& m : members) out.one += (out.one.size() > 1 ? "," : "") + m.one;
  std::ranges::shuffle(members, random);
  for (const Spelling& m : members) out.other += (out.other.size() > 1 ? "," : "") + m.other;
  std::ranges::shuffle(members, random);
  for (const Spelling& m : members) out.yaml += (out.yaml.size() > 1 ? ",\n  " : "") + m.yaml;
  return {out.one + "}", out.other + blanks(random) + "}", out.yaml + "}"};
}

Spelling tree(Random& random, int depth) {
  switch (depth > 0 ? pick(random, 6) : pick(random, 4)) {
    case 0:
      return number(random);
    case 1:
      return text(random);
    case 2:
      return {"true", "true", "True"};
    case 3:
      return {"null", "null", "~"};
    case 4:
      return list(random, depth);
    default:
      return object(random, depth);
  }
}

TEST(Property, SpellingNeverChangesTheCanonicalForm) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Spelling spelling = tree(random, 5);
    const auto one = parse(spelling.one);
    const auto other = parse(spelling.other);
    const auto yaml = parse_yaml(spelling.yaml);
    ASSERT_TRUE(one) << to_string(one.error()) << spelling.one;
    ASSERT_TRUE(other) << to_string(other.error()) << spelling.other;
    ASSERT_TRUE(yaml) << to_string(yaml.error()) << spelling.yaml;
    const std::string form = canonical(one->root);
    ASSERT_EQ(canonical(other->root), form) << spelling.other;
    ASSERT_EQ(canonical(yaml->front().root), form) << spelling.yaml;
    const auto again = parse(form);
    ASSERT_TRUE(again) << form;
    ASSERT_EQ(canonical(again->root), form);
  }
}

TEST(Property, TheOrderOfAListAlwaysChangesTheCanonicalForm) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 500; ++i) {
    const std::string a = tree(random, 3).one;
    const std::string b = tree(random, 3).one;
    const auto ab = parse("[" + a + "," + b + "]");
    const auto ba = parse("[" + b + "," + a + "]");
    ASSERT_TRUE(ab && ba);
    const bool same = canonical(ab->root.items()[0]) == canonical(ab->root.items()[1]);
    ASSERT_EQ(canonical(ab->root) == canonical(ba->root), same) << a << " " << b;
  }
}

TEST(Property, ACutTextIsNeverAcceptedAndAlwaysPlaced) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 200; ++i) {
    const std::string whole = list(random, 4).other;
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string cut = whole.substr(0, length);
      if (cut.find_last_not_of(" \t\r\n") == std::string::npos) continue;
      const auto document = parse(cut);
      ASSERT_FALSE(document) << cut;
      ASSERT_EQ(document.error().size(), 1U) << cut;
      ASSERT_LE(document.error().front().place.offset, length);
    }
  }
}

}  // namespace
}  // namespace ki::json
