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

std::string words_of(const std::vector<Reading>& readings) {
  std::vector<std::string> parts;
  for (const Reading& reading : readings) {
    const bool hidden =
        reading.display.empty() &&
        (reading.kind == "axis" || reading.kind == "operation" || reading.kind == "ignored");
    // A product whose name was typed but for its maker needs no more words.
    const std::string_view named =
        std::string_view(reading.meaning).substr(reading.meaning.find(' ') + 1);
    const bool product = reading.kind == "gpu" && !reading.display.ends_with(named);
    if (!hidden && !product) continue;
    if (ascii_lower(reading.token) == reading.meaning) continue;
    parts.push_back(reading.token + ": " + reading.meaning);
  }
  return join(parts, " · ");
}

}  // namespace ki::query
