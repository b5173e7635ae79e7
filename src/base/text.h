// Small text helpers shared by every module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ki {

inline constexpr std::size_t kSlugMax = 100;

// Lower case, each run of characters outside a-z0-9 becomes one '-', outer dashes go, then at most
// 100 characters are kept (the cut is last, so a trailing dash is possible).
std::string kebab(std::string_view text);

std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);
std::string_view trim(std::string_view text);  // ASCII white space at both ends
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII

// Whether `bytes` is well-formed UTF-8: no overlong form, no surrogate, nothing past U+10FFFF.
bool is_utf8(std::string_view bytes);

// Number of UTF-16 code units of valid UTF-8.
std::size_t utf16_length(std::string_view utf8);

// At most `bytes_max` bytes of `text`, cut at a character boundary, with "..." when cut. For
// quoting input in messages.
std::string excerpt(std::string_view text, std::size_t bytes_max = 80);

// The candidate nearest to `word` by edit distance, or "" when none is near enough to be meant:
// distance at most 1 for words up to 4 letters, else at most a third of the length.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// `text` as one word for a POSIX shell.
std::string shell_quoted(std::string_view text);

}  // namespace ki
