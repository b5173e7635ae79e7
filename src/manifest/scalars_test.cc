// Durations, instants and URLs, and the patterns against their regular expressions.
#include "manifest/scalars.h"

#include <random>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/schema.h"
#include "manifest/testing.h"

namespace ki::manifest {
namespace {

std::string duration(std::string_view text) {
  const auto read = parse_duration(text);
  if (const auto* value = std::get_if<double>(&read)) return fmt::format("{}", *value);
  return std::get<DurationProblem>(read) == DurationProblem::form ? "form" : "ambiguous";
}

TEST(Duration, IsWholeNanoseconds) {
  EXPECT_EQ(duration("0.008 ms"), "8000");
  EXPECT_EQ(duration("0.0081 ms"), "8100");
  EXPECT_EQ(duration("1us"), "1000");
  EXPECT_EQ(duration("1 us"), "1000");
  EXPECT_EQ(duration("1 \u00b5s"), "1000");
  EXPECT_EQ(duration("1\u00b5s"), "1000");
  EXPECT_EQ(duration("0.5 us"), "500");
  EXPECT_EQ(duration("0.29 us"), "290");
  EXPECT_EQ(duration("2s"), "2000000000");
  EXPECT_EQ(duration("00010 ns"), "10");
  EXPECT_EQ(duration("0 ns"), "0");
  EXPECT_EQ(duration("9007199254740991 ns"), "9007199254740991");
}

TEST(Duration, ThatIsNotWholeOrTooLargeIsAmbiguous) {
  for (const char* text : {"10000000 s", "1.5 ns", "1.005 ms", "9007199254740993 ns"}) {
    EXPECT_EQ(duration(text), "ambiguous") << text;
  }
  EXPECT_EQ(duration(std::string(400, '9') + " s"), "ambiguous");
  EXPECT_EQ(duration("0." + std::string(400, '0') + "1 s"), "ambiguous");
}

TEST(Duration, HasOneForm) {
  for (const char* text : {"2  s", "1e3 ns", "-1 ns", ".5 us", "1. us", "1,000 ns", "1 NS",
                           "  1 ns", "1 ns ", "1 \u03bcs", "1", "", "ns", "+1 ns", "1 m"}) {
    EXPECT_EQ(duration(text), "form") << text;
  }
}

TEST(Duration, MayHaveAnyOneBlankBeforeItsUnit) {
  for (const char* text : {"1\tns", "1\u00a0ns", "1\u2003ns", "1\u3000ns", "1\ufeffns"}) {
    EXPECT_EQ(duration(text), "1") << text;
  }
  EXPECT_EQ(duration("1\u200bns"), "form");
}

TEST(Duration, AsANumberIsWholeAndNotNegative) {
  const auto protocol = [](std::string_view warmup) {
    return testing::verdict(testing::document(
        "BenchmarkProtocol", fmt::format(R"({{"harness":{{"name":"h"}},"measurement":{{"timer":)"
                                         R"("t","warmupDuration":{},"primaryStatistic":"p"}}}})",
                                         warmup)));
  };
  EXPECT_EQ(protocol("8000"), "accepted");
  EXPECT_EQ(protocol("9007199254740991"), "accepted");
  const std::string wrong = "invalid_union /spec/measurement/warmupDuration\n";
  for (const char* number : {"-1", "1.5", "9007199254740992", "true", "null", "\"1 NS\""}) {
    EXPECT_EQ(protocol(number), wrong) << number;
  }
  EXPECT_EQ(protocol("\"1.5 ns\""), "custom /spec/measurement/warmupDuration\n");
}

TEST(Instant, IsCheckedAgainstTheCalendar) {
  for (const char* text : {"2026-01-02T03:04Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.6Z",
                           "2026-01-02T03:04:05.123456789012Z", "2024-02-29T00:00Z",
                           "2000-02-29T00:00Z", "0000-01-01T00:00Z", "9999-12-31T23:59:59Z"}) {
    EXPECT_TRUE(is_instant(text)) << text;
  }
  for (const char* text : {"2026-01-02T03:04:05",
                           "2026-01-02 03:04:05Z",
                           "2026-01-02T03:04:05+00:00",
                           "2026-01-02t03:04:05Z",
                           "2026-01-02T03:04:05z",
                           "2026-01-02T24:00Z",
                           "2026-01-02T12:60Z",
                           "2026-01-02T12:00:60Z",
                           "2026-01-02T12:00:00.Z",
                           "2025-02-29T00:00Z",
                           "1900-02-29T00:00Z",
                           "2026-04-31T00:00Z",
                           "2026-00-01T00:00Z",
                           "2026-13-01T00:00Z",
                           "2026-01-00T00:00Z",
                           "12026-01-02T03:04Z",
                           "2026-1-2T03:04Z",
                           "2026-01-02",
                           "",
                           "2026-01-02T03Z",
                           "2026-01-02T03:04ZZ"}) {
    EXPECT_FALSE(is_instant(text)) << text;
  }
}

TEST(HttpsUrl, IsWhatAUrlParserAccepts) {
  for (const char* text : {"https://example.org",
                           "HTTPS://A.example",
                           "https:a",
                           "https:/a",
                           "https:///a",
                           "https:\\\\a",
                           "https://user:pw@a.example/",
                           "  https://a",
                           "https://a  ",
                           "\thttps://a",
                           "ht\ntps://a",
                           "https://a:443/x?y#z",
                           "https://a:/",
                           "https://a/ b c",
                           "https://[::1]/",
                           "https://[2001:db8::1.2.3.4]:8443",
                           "https://1.2.3.4",
                           "https://0x7f.1",
                           "https://a?b c",
                           "https://b\u00fccher.example",
                           "https://%61",
                           "https://a@b@c",
                           "https://xn--a",
                           "https://a_b",
                           "https://a-b.c1.Org/x y",
                           "https://a\tb.org/",
                           "https://a.b./",
                           "https://a.1b/",
                           "https://a.b."}) {
    EXPECT_TRUE(is_https_url(text)) << text;
  }
  for (const char* text : {"http://a",
                           "ftp://a",
                           "https://",
                           "https:",
                           "https",
                           "",
                           "//a",
                           "a",
                           "https://ex ample.com",
                           "https://a b",
                           "https://a:b",
                           "https://a:65536",
                           "https://user@",
                           "https://user@/",
                           "https://[::1",
                           "https://[1]",
                           "https://[:::1]",
                           "https://[::1]a",
                           "https://1.2.3.256",
                           "https://1.2.3.4.5",
                           "https://a.1x.0x",
                           "https://a<b",
                           "https://a|b",
                           "https://a%20b",
                           "https://a%b",
                           "https://?a",
                           "https://#a",
                           "https ://a",
                           "javascript:a",
                           "https://a^b",
                           "https://a^b.org/",
                           "https://1.2.3.4.5/",
                           "https://a.0x/",
                           "https://a.0xb/",
                           "https:///",
                           "https://a.256"}) {
    EXPECT_FALSE(is_https_url(text)) << text;
  }
}

TEST(Pattern, MatchesWhatItsExpressionDoes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  constexpr std::string_view kAlphabet = "abz09_-.+*%/() :AZ\n\x7f\xc3";
  std::vector<std::string> samples = {"sha256:" + std::string(64, 'a'), std::string(40, '0'),
                                      "sha256:" + std::string(64, 'g'), std::string(41, '0'),
                                      "sha256:" + std::string(63, 'a'), ""};
  for (int i = 0; i < 3000; ++i) {
    std::string& sample = samples.emplace_back(random() % 8, ' ');
    for (char& c : sample) c = kAlphabet[random() % kAlphabet.size()];
  }
  for (const Pattern pattern : {Pattern::token, Pattern::slug, Pattern::manifest_name,
                                Pattern::digest, Pattern::git_commit, Pattern::axis_expression}) {
    const std::regex regex{std::string(info(pattern).regex)};
    for (const auto& sample : samples) {
      EXPECT_EQ(info(pattern).matches(sample), std::regex_match(sample, regex))
          << info(pattern).name << ": " << sample;
    }
  }
}

}  // namespace
}  // namespace ki::manifest
