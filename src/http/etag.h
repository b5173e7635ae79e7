// Entity tags (RFC 9110, section 8.8.3): strong ones of ours, and the lists clients send back.
#pragma once

#include <string>
#include <string_view>

namespace ki::http {

// A strong tag of these bytes, quotes included: the first 128 bits of their SHA-256 in hex.
std::string strong_tag(std::string_view bytes);

// The tag of a coded form ("zstd") of what has this tag; "" is no coding. Two forms never share a
// strong tag (section 8.8.3.3).
std::string coded_tag(std::string tag, std::string_view coding);

// Whether an If-None-Match value names `tag`: "*", or a list with an equal opaque part, weak or
// strong (section 13.1.2 compares weakly). A list that is not well formed names nothing after the
// place where it goes wrong.
bool names_tag(std::string_view if_none_match, std::string_view tag);

}  // namespace ki::http
