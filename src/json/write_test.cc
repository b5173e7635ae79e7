// The canonical form: numbers, strings and key order as RFC 8785 has them.
#include "json/write.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "json/read.h"

namespace ki::json {
namespace {

std::string printed(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

std::string canonical_of(std::string_view text) {
  const auto document = parse(text);
  return document ? canonical(document->root) : to_string(document.error());
}

// Strings are copied eight bytes at a time, so every length, place and escape is tried.
TEST(AppendString, EscapesAtEveryPlaceOfEveryLength) {
  const std::pair<char, std::string_view> cases[] = {
      {'"', "\\\""},       {'\\', "\\\\"}, {'\n', "\\n"},    {'\0', "\\u0000"},
      {'\x1F', "\\u001f"}, {' ', " "},     {'\x7F', "\x7F"}, {'\xC3', "\xC3"},
  };
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const auto& [raw, escaped] : cases) {
        const std::string before(at, 'a');
        const std::string after(size - at - 1, 'z');
        std::string out = "[";
        append_string(out, before + raw + after);
        out += ']';
        EXPECT_EQ(out, "[\"" + before + std::string(escaped) + after + "\"]");
      }
    }
  }
}

TEST(AppendNumber, PrintsAsEcmaScriptDoes) {
  const struct {
    double value;
    std::string_view text;
  } cases[] = {
      {3.3743529002094874e-06, "0.0000033743529002094874"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-7, "1.5e-7"},
      {1e20, "100000000000000000000"},
      {123456789012345680000.0, "123456789012345680000"},
      {1e21, "1e+21"},
      {1e22, "1e+22"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {-1.7976931348623157e308, "-1.7976931348623157e+308"},
      {0.0, "0"},
      {-0.0, "0"},
      {1.0, "1"},
      {100.0, "100"},
      {0.01, "0.01"},
      {4.35, "4.35"},
      {0.1, "0.1"},
      {-1.25e-9, "-1.25e-9"},
      {333333333.33333329, "333333333.3333333"},
      {9007199254740993.0, "9007199254740992"},
      {-9007199254740991.0, "-9007199254740991"},
      {999999999999999.0, "999999999999999"},
      {1e15, "1000000000000000"},
      {-1e15, "-1000000000000000"},
      {0.5, "0.5"},
      {295147905179352830000.0, "295147905179352830000"},
      {999999999999999700000.0, "999999999999999700000"},
  };
  for (const auto& c : cases) EXPECT_EQ(printed(c.value), c.text);
}

TEST(AppendNumber, EveryDoubleSurvivesTheRoundTrip) {
  std::random_device device;
  const unsigned seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = printed(value);
    const auto document = parse(text);
    ASSERT_TRUE(document) << text;
    ASSERT_EQ(document->root.number(), value) << text;
    ASSERT_EQ(printed(document->root.number()), text);
  }
  std::uniform_int_distribution<std::int64_t> whole(-2'000'000'000'000'000, 2'000'000'000'000'000);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = whole(random);
    ASSERT_EQ(printed(static_cast<double>(value)), std::to_string(value));
  }
}

TEST(AppendString, EscapesOnlyWhatItMust) {
  std::string out;
  append_string(out, std::string_view("\0\x01\b\t\n\x0b\f\r\x1f\"\\/\x7f\xc2\x85\xe2\x80\xa8", 18));
  EXPECT_EQ(out,
            "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\\\"\\\\/\x7f\xc2\x85\xe2\x80\xa8\"");
}

TEST(Canonical, SortsKeysByUtf16CodeUnits) {
  EXPECT_EQ(canonical_of(R"({"1":0,"10":0,"2":0,"a":0,"B":0,"_":0})"),
            R"({"1":0,"10":0,"2":0,"B":0,"_":0,"a":0})");
  EXPECT_EQ(canonical_of(R"({"\ufb33":1,"\ud83d\ude02":2,"\ue000":3,"\uffff":4,"\ud7ff":5,"z":6})"),
            "{\"z\":6,\"\xed\x9f\xbf\":5,\"😂\":2,\"\xee\x80\x80\":3,\"\xef\xac\xb3\":1,"
            "\"\xef\xbf\xbf\":4}");
  EXPECT_EQ(
      canonical_of("{\"b\":1,\"B\":2,\"a\":3,\"\":4,\"aa\":5,\"10\":6,\"9\":7,\"\\ud834\\udd1e\":8,"
                   "\"\\uff20\":9,\"\\ufb01\":10,\"\\u00e9\":11,\"e\\u0301\":12,\"\\u007f\":13,"
                   "\"_\":14}"),
      "{\"\":4,\"10\":6,\"9\":7,\"B\":2,\"_\":14,\"a\":3,\"aa\":5,\"b\":1,\"e\xcc\x81\":12,"
      "\"\x7f\":13,\"é\":11,\"\xf0\x9d\x84\x9e\":8,\"\xef\xac\x81\":10,\"\xef\xbc\xa0\":9}");
}

TEST(Canonical, SortsLargeObjectsToo) {
  std::string text = "{";
  std::string sorted = "{";
  for (int i = 0; i < 100; ++i) {
    text += "\"k" + std::to_string(199 - i) + "\":0,";
    sorted += "\"k" + std::to_string(100 + i) + "\":0,";
  }
  text.back() = '}';
  sorted.back() = '}';
  EXPECT_EQ(canonical_of(text), sorted);
}

TEST(Canonical, OfThePrintedVectorHasItsPrintedDigest) {
  EXPECT_EQ(to_string(sha256(canonical_of(
                R"({"spec":{"repository":"https://example.org/pebble","name":"Pebble"},)"
                R"("kind":"SoftwareProject","apiVersion":"kernelindex.dev/v1alpha1"})"))),
            "sha256:75dd9a3aeeffbf879f3db032276bcf54eb67b9e9023917731e06f70588432c42");
}

TEST(Writer, KeepsTheOrderItIsGivenIn) {
  std::string out;
  Writer(out).begin_object().key("b").begin_array().integer(1).null().end_array().key("a").number(
      std::numeric_limits<double>::infinity());
  EXPECT_EQ(out, R"({"b":[1,null],"a":null)");
  const auto document = parse(R"({"b":[],"a":{"x":[1,{}]}})");
  ASSERT_TRUE(document);
  out.clear();
  append_compact(out, document->root);
  EXPECT_EQ(out, R"({"b":[],"a":{"x":[1,{}]}})");
  EXPECT_EQ(pretty(document->root),
            "{\n  \"b\": [],\n  \"a\": {\n    \"x\": [\n      1,\n      {}\n    ]\n  }\n}");
  EXPECT_EQ(indented(R"({"a,":"\\\"[{:"})"), "{\n  \"a,\": \"\\\\\\\"[{:\"\n}");
}

}  // namespace
}  // namespace ki::json
