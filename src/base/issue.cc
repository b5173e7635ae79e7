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

Place Lines::at(std::size_t offset) {
  if (starts_.empty()) {
    starts_.push_back(0);
    for (std::size_t at = text_.find('\n'); at != std::string_view::npos;
         at = text_.find('\n', at + 1)) {
      starts_.push_back(at + 1);
    }
  }
  offset = std::min(offset, text_.size());
  const auto line = std::ranges::upper_bound(starts_, offset) - starts_.begin();
  const std::size_t start = starts_[static_cast<std::size_t>(line - 1)];
  return {.offset = offset,
          .line = static_cast<std::uint32_t>(line),
          .column = static_cast<std::uint32_t>(offset - start + 1)};
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
