// One table: name, expression, words and hand-written matcher of each text pattern.
#include <array>
#include <cstdint>

#include "manifest/scalars.h"
#include "manifest/schema.h"

namespace ki::manifest {
namespace {

// What a character may be part of, one bit each, so that a test is one look-up.
enum Class : std::uint8_t { lower = 1, digit = 2, underscore = 4 };
constexpr auto kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned char c = 'a'; c <= 'z'; ++c) classes[c] |= lower;
  for (unsigned char c = '0'; c <= '9'; ++c) classes[c] |= digit;
  classes['_'] |= underscore;
  return classes;
}();
constexpr bool is(char c, int classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}
constexpr bool is_lower(char c) { return is(c, lower); }
constexpr bool is_digit(char c) { return is(c, digit); }
constexpr bool is_word(char c) { return is(c, lower | digit | underscore); }

template <class Matches>
constexpr bool all_of(std::string_view text, Matches matches) {
  for (const char c : text) {
    if (!matches(c)) return false;
  }
  return true;
}

// Looks at every one, which the compiler does for many at once.
bool all_hex(std::string_view text) {
  bool all = true;
  for (const char c : text) all &= (c >= '0' && c <= '9') | (c >= 'a' && c <= 'f');
  return all;
}

bool is_anything(std::string_view) { return true; }

bool is_token(std::string_view text) {
  return !text.empty() && is_lower(text[0]) && all_of(text, [](char c) { return is_word(c); });
}

bool is_slug(std::string_view text) {
  return !text.empty() && text[0] != '-' &&
         all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_manifest_name(std::string_view text) {
  return !text.empty() && (is_lower(text[0]) || is_digit(text[0])) &&
         all_of(text, [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         all_hex(text.substr(kPrefix.size()));
}

bool is_git_commit(std::string_view text) { return text.size() == 40 && all_hex(text); }

bool is_axis_expression(std::string_view text) {
  return !text.empty() && all_of(text, [](char c) {
    return is_word(c) || std::string_view("+-*%/() ").find(c) != std::string_view::npos;
  });
}

bool is_duration(std::string_view text) {
  return std::holds_alternative<double>(parse_duration(text));
}

constexpr std::array<PatternInfo, 10> kPatterns = {{
    {"text", "", "any text", is_anything},
    {"token", "^[a-z][a-z0-9_]*$",
     "a lower-case letter, then lower-case letters, digits and underscores", is_token},
    {"slug", "^[a-z0-9][a-z0-9-]*$",
     "lower-case letters, digits and dashes, not starting with a dash", is_slug},
    {"manifest name", "^[a-z0-9][a-z0-9._-]*$",
     "lower-case letters, digits, dots, underscores and dashes, starting with a letter or digit",
     is_manifest_name},
    {"digest", "^sha256:[0-9a-f]{64}$", "sha256: and 64 lower-case hexadecimal digits", is_digest},
    {"commit id", "^[0-9a-f]{40}$", "40 lower-case hexadecimal digits", is_git_commit},
    {"axis expression", "^[a-z0-9_+\\-*%/() ]+$",
     "axis names, whole numbers, + - * // % and parentheses", is_axis_expression},
    {"https URL", "^\\s*[Hh][Tt][Tt][Pp][Ss]:",
     "a URL whose scheme is https and which names a host", is_https_url},
    {"instant", "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z$",
     "a UTC instant such as 2026-01-31T12:00:00Z", is_instant},
    {"duration", "^\\d+(\\.\\d+)?\\s?(ns|us|\xC2\xB5s|ms|s)$",
     "a number, at most one blank, and ns, us, \xC2\xB5s, ms or s", is_duration},
}};

}  // namespace

const PatternInfo& info(Pattern pattern) { return kPatterns[static_cast<std::size_t>(pattern)]; }

}  // namespace ki::manifest
