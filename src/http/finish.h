// What every answer carries, whatever made it: validators, caching, security headers, compression.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace ki::http {

// Bodies below this are sent as they are: the saving would not pay for the work.
inline constexpr std::size_t kCompressBytesMin = 1024;

// Completes `response` for `request`: Cache-Control, a strong ETag on a 200 to GET or HEAD (and 304
// when If-None-Match names it), zstd or gzip as the client likes best, X-Request-Id, cross-origin
// and security headers. HEAD keeps its body: the head says how long it is
// and the server leaves it out.
Response finish(const Request& request, Response response);

// The status line and the headers of a finished response, blank line included. `date` is an
// IMF-fixdate. Requires header values without control characters, except that their characters
// below a blank are replaced by blanks, so that no value can start a header of its own.
std::string head_of(const Response& response, std::string_view date, bool keep_alive);

}  // namespace ki::http
