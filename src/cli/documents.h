// What a user keeps in files: their names, and requests in JSON or YAML.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "json/value.h"

namespace ki::cli {

// The files that `pattern` means: the one of that name, or what it matches, sorted; none when it is
// a pattern that matches nothing.
std::vector<std::string> matching_files(const std::string& pattern);

// Whether standard input, which can be read once, is named more than once.
bool names_stream_twice(const std::vector<std::string>& files);
inline constexpr std::string_view kStreamTwice = "file: standard input (-) can be read only once";

// The documents of a text; its name says YAML, or else its first character says JSON.
std::expected<std::vector<json::Document>, Issues> parse_documents(const std::string& name,
                                                                   std::string_view text);

}  // namespace ki::cli
