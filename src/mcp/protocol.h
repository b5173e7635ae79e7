// The Model Context Protocol (revision 2025-11-25 and the three before it), server side: JSON-RPC
// 2.0 messages in, answers out. Transports are elsewhere: lines of standard input (ki mcp) and
// POST /mcp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "query/resolver.h"

namespace ki::mcp {

// Newest first.
inline constexpr std::array<std::string_view, 4> kProtocolVersions = {"2025-11-25", "2025-06-18",
                                                                      "2025-03-26", "2024-11-05"};
// A manifest of the largest size, every character of it escaped.
inline constexpr std::size_t kMessageBytesMax = std::size_t{8} << 20;

bool is_protocol_version(std::string_view version);

// The answer to one message, as one line of JSON; nullopt for a notification, which has none.
// Nothing is kept between messages, so any of them may come first.
std::optional<std::string> answer(std::string_view message, const query::Resolver& resolver);

}  // namespace ki::mcp
