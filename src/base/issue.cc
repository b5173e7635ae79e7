#include "base/issue.h"

#include <algorithm>

namespace ki {

Place place_at(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto newline = before.rfind('\n');
  return {.offset = offset,
          .line = static_cast<std::uint32_t>(std::ranges::count(before, '\n')) + 1,
          .column = static_cast<std::uint32_t>(
              newline == std::string_view::npos ? offset + 1 : offset - newline)};
}

std::string to_string(const Issue& issue) {
  std::string out = issue.file;
  if (issue.place.line != 0) {
    if (!out.empty()) out += ':';
    out += std::to_string(issue.place.line) + ':' + std::to_string(issue.place.column);
  }
  if (!out.empty()) out += ": ";
  if (!issue.pointer.empty()) out += issue.pointer + ": ";
  return out + issue.message;
}

std::string to_string(const Issues& issues) {
  std::string out;
  for (const auto& issue : issues) {
    if (&issue - issues.data() == static_cast<std::ptrdiff_t>(kIssuesShownMax)) {
      out += "... and " + std::to_string(issues.size() - kIssuesShownMax) + " more\n";
      break;
    }
    out += to_string(issue) + '\n';
  }
  return out;
}

Error to_error(const Issues& issues) {
  std::string message = to_string(issues);
  if (!message.empty()) message.pop_back();
  return {.code = Code::invalid, .message = std::move(message), .where = {}};
}

}  // namespace ki
