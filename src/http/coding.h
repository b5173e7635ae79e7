// Content codings (RFC 9110, section 8.4): which one a client wants, and the bytes in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::http {

enum class Coding : std::uint8_t { identity, zstd, gzip };

std::string_view name_of(Coding coding);  // as in Content-Encoding; "" for identity

// What an Accept-Encoding value likes best of what we have (section 12.5.3): the highest weight, at
// equal weights zstd before gzip, before the bytes as they are. A coding is "*" when not named;
// identity is last when neither named nor refused, and is also what remains when nothing is
// acceptable: an answer is worth more than a 406. An entry that is not well formed is left out.
Coding choose_coding(std::string_view accept_encoding);

// `bytes` in that coding; "" when it cannot be done or `coding` is identity. The same bytes for the
// same input: a strong tag of the input with the coding's name is one of the output.
std::string encode(Coding coding, std::string_view bytes);

}  // namespace ki::http
