#include "query/parse.h"

#include "base/text.h"
#include "query/parser.h"

namespace ki::query {

Request parse_query(std::string_view text) {
  Parser parser(text);
  parser.read_tokens();
  return std::move(parser).finish();
}

std::string interpretation_of(const Request& request, std::string_view operation) {
  std::vector<std::string> parts;
  if (!operation.empty()) parts.push_back("Operation " + std::string(operation));
  for (const Reading& reading : request.readings) {
    if (!reading.display.empty() && reading.kind != "operation") parts.push_back(reading.display);
  }
  return parts.empty() ? "Search the index" : join(parts, " · ");
}

}  // namespace ki::query
