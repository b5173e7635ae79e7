// Everything of a request that our own code reads before a handler sees it, on any bytes.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "http/coding.h"
#include "http/etag.h"
#include "http/finish.h"
#include "http/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto target = ki::http::parse_target(text)) {
    for (const auto& segment : target->segments) {
      if (!ki::is_utf8(segment) || segment == "..") std::abort();
    }
    // What was read is read back the same after it is written again.
    const std::string query = ki::http::query_string(target->parameters);
    const auto again = ki::http::parse_query(query.empty() ? query : query.substr(1));
    if (!again || *again != target->parameters) std::abort();
  }
  const auto decoded = ki::http::percent_decode(text);
  if (decoded && ki::http::percent_decode(ki::http::percent_encode(*decoded)) != *decoded) {
    std::abort();
  }
  const std::string tag = ki::http::strong_tag(text);
  if (!ki::http::names_tag(tag, tag)) std::abort();
  ki::http::names_tag(text, "\"a\"");
  static_cast<void>(ki::http::choose_coding(text));
  const std::string head = ki::http::head_of({.status = 200,
                                              .content_type = "text/plain",
                                              .body = {},
                                              .headers = {{"X", std::string(text)}}},
                                             "date", true);
  if (head.find("\r\n\r\n") + 4 != head.size()) std::abort();
  return 0;
}
