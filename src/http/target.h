// The request target and what is encoded in it, read strictly: one address means one thing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace ki::http {

inline constexpr std::size_t kTargetBytesMax = 8 * 1024;
inline constexpr std::size_t kParametersMax = 64;

struct Target {
  std::string path;                   // as sent
  std::vector<std::string> segments;  // decoded
  std::vector<Parameter> parameters;  // decoded
};

// Reads "/a%20b/c?x=1&y=" (origin form, RFC 9112 section 3.2.1), or the absolute form
// "http://host/a" (section 3.2.2), whose host is ignored as the Host header is. Errors:
// Code::too_large over the limits above; Code::invalid for a target of neither form, a percent
// sign without two hex digits, bytes that are not UTF-8 once decoded, control characters, a "."
// or ".." segment, or a "#". Error::where is the JSON pointer of the part that is wrong: /path,
// /query, /query/NAME, or "" for the whole.
Result<Target> parse_target(std::string_view text);

// Reads a query alone, without "?": '&' separates, '+' is a blank, a name without '=' has the
// value "". Errors as parse_target.
Result<std::vector<Parameter>> parse_query(std::string_view text);

// "%41" becomes "A". Errors: Code::invalid as parse_target.
Result<std::string> percent_decode(std::string_view text);

// Encodes all but RFC 3986's unreserved characters: for one path segment or one query value.
std::string percent_encode(std::string_view text);

// "?a=1&b=2", or "" when there are none.
std::string query_string(const std::vector<Parameter>& parameters);

}  // namespace ki::http
