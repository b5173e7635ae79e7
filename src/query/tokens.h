// Cutting a query into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

// From left to right the longest of: "..." in quotes; key:"..." with the value in quotes; text with
// a [...] group that may hold blanks; a run of non-blank characters. An unclosed quote or bracket
// is an ordinary character.
std::vector<std::string> tokens_of(std::string_view query);

// The words of a name in lower case: what stands between blanks, dashes and other signs of ASCII.
std::vector<std::string> name_words(std::string_view lower);

// The query without every token equal to one of `dropped`, joined by single blanks.
std::string without_tokens(const std::vector<std::string>& tokens,
                           const std::vector<std::string>& dropped);

// The integer a text starts with after blanks, ignoring what follows; nullopt without a digit or
// beyond 2^53, where numbers stop being exact.
std::optional<std::int64_t> leading_integer(std::string_view text);

}  // namespace ki::query
