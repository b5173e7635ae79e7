#include "json/read.h"

namespace ki::json {

std::string_view source_text(std::string_view text, std::uint32_t offset) {
  if (offset >= text.size()) return {};
  const std::string_view rest = text.substr(offset);
  const char quote = rest.front();
  if (quote != '"' && quote != '\'') {
    return rest.substr(0, rest.find_first_of(" \t\r\n,]}"));
  }
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (quote == '"' && rest[at] == '\\') {
      ++at;
    } else if (rest[at] == quote) {
      if (quote == '"' || !rest.substr(at + 1).starts_with(quote)) return rest.substr(0, at + 1);
      ++at;  // '' inside single quotes is a quote
    }
  }
  return rest;
}

}  // namespace ki::json
