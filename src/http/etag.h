// Entity tags (RFC 9110, section 8.8.3): strong ones of ours, and the lists clients send back.
#pragma once

#include <string>
#include <string_view>

namespace ki::http {

// A strong tag of these bytes, quotes included: the first 128 bits of their SHA-256 in hex. With a
// coding ("zstd"), the tag of the coded form: two forms never share a strong tag.
std::string strong_tag(std::string_view bytes, std::string_view coding = {});

// A weak tag: equal for bodies that mean the same although not every byte of them is.
std::string weak_tag(std::string_view bytes);

// Whether an If-None-Match value names `tag`: "*", or a list with an equal opaque part, weak or
// strong (section 13.1.2 compares weakly). A list that is not well formed names nothing after the
// place where it goes wrong.
bool names_tag(std::string_view if_none_match, std::string_view tag);

}  // namespace ki::http
