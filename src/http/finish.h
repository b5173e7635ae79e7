// What every answer carries, whatever made it: validators, caching, security headers, compression.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace ki::http {

// Bodies below this are sent as they are: the saving would not pay for the work.
inline constexpr std::size_t kCompressBytesMin = 1024;

// Completes `response` for `request`: Cache-Control, a strong ETag on a 200 to GET or HEAD (and 304
// when If-None-Match names it), zstd when the client accepts it, X-Request-Id, cross-origin
// and security headers. HEAD keeps its body: the head says how long it is
// and the server leaves it out.
Response finish(const Request& request, Response response);

// Whether an Accept-Encoding value lets us send `coding` (RFC 9110, section 12.5.3): named with a
// weight above zero, or covered by "*" when not named.
bool accepts_coding(std::string_view accept_encoding, std::string_view coding);

// The status line and the headers of a finished response, blank line included. `date` is an
// IMF-fixdate. Requires header values without control characters, except that their characters
// below a blank are replaced by blanks, so that no value can start a header of its own.
std::string head_of(const Response& response, std::string_view date, bool keep_alive);

}  // namespace ki::http
