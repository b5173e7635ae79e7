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

namespace {

// Whether the interpretation says all there is to say of a word.
bool is_plain(const Reading& reading) {
  const std::string& kind = reading.kind;
  if (kind == "issue" || kind == "replaced") return true;  // said elsewhere
  if (reading.display.empty()) {
    const bool said = kind == "axis" || kind == "operation" || kind == "ignored";
    return !said || ascii_lower(reading.token) == reading.meaning;
  }
  if (kind == "operation") return true;
  if (!reading.alternatives.empty()) return false;
  // A product whose name was typed but for its maker needs no more words.
  const std::string_view named =
      kind == "gpu" ? std::string_view(reading.meaning).substr(reading.meaning.find(' ') + 1)
                    : std::string_view(reading.meaning);
  const bool told = kind == "gpu" || kind == "dtype" || kind == "architecture";
  return !told || reading.display.ends_with(named);
}

}  // namespace

std::vector<std::string> readings_shown(const std::vector<Reading>& readings) {
  std::vector<std::string> lines;
  for (const Reading& reading : readings) {
    if (is_plain(reading)) continue;
    std::string line = reading.token + ": ";
    const bool open = !reading.alternatives.empty() && reading.kind != "operation";
    const bool named = !open || !equals_ignoring_case(reading.token, reading.meaning);
    if (named) line += reading.meaning;
    if (open) line += (named ? "; one of " : "one of ") + join(reading.alternatives, ", ");
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace ki::query
