// Scalars that need more than a list of allowed characters: durations, instants, https URLs.
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace ki::manifest {

// Why a text is no duration.
enum class DurationProblem : std::uint8_t {
  form,       // not digits, an optional fraction, at most one blank, and ns, us, µs, ms or s
  ambiguous,  // the product is no whole number of nanoseconds up to 2^53 - 1
};

// Nanoseconds of "0.25 ms". The number is read as a double and multiplied in double arithmetic, so
// a text that is whole in decimal ("1.005 ms") can still be ambiguous: the digest depends on this.
std::variant<double, DurationProblem> parse_duration(std::string_view text);

// YYYY-MM-DDTHH:MM[:SS[.digits]]Z, calendar-checked, years 0000 to 9999, no leap seconds.
bool is_instant(std::string_view text);

// Whether a URL parser that follows the WHATWG standard accepts `text` without a base and finds the
// scheme https. Host names outside ASCII are taken as they stand, not mapped.
bool is_https_url(std::string_view text);

// Length in bytes of the white space character (ECMA 262 `\s`) that `text` starts with, or 0.
std::size_t white_space_at_start(std::string_view text);

}  // namespace ki::manifest
