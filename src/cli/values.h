// What the values of options may be. Each check names what is accepted; CLI11 puts the option
// before it. They take the text as it was typed, before any conversion that would accept more.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace ki::cli {

// A whole number in decimal digits.
CLI::Validator whole_number(std::int64_t min, std::int64_t max);

// A finite decimal number from `min` to `max`, or 0 where that switches something off.
CLI::Validator zero_or_number(double min, double max);

// A finite decimal number above 0.
CLI::Validator number_above_zero();

// A time from 1 second to a day: 90, 20s, 5m, 1h.
CLI::Validator span_of_time();
// Its seconds; 0 for a text that is none.
std::int64_t seconds_of(const std::string& text);

// Any text but the empty one; `what` says what is missing: "the name of a file".
CLI::Validator not_empty(const std::string& what);

// The name of a file that is read, or - for a standard stream.
CLI::Validator file_or_stream();

// The name of a file or folder where - means nothing: what is written there must be a file.
CLI::Validator file_only();

}  // namespace ki::cli
