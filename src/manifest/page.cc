#include "manifest/page.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ki::manifest {
namespace {

// A member that a document of ours has at its top (documents.cc), as YAML writes it.
bool opens_manifest(std::string_view line) {
  static constexpr std::array<std::string_view, 12> kMembers = {
      "apiVersion", "kind",      "metadata",        "spec",
      "run",        "protocol",  "environment",     "projects",
      "operations", "workloads", "implementations", "runs"};
  const auto colon = line.find(':');
  return colon != std::string_view::npos &&
         std::ranges::find(kMembers, line.substr(0, colon)) != kMembers.end();
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

// The end of the JSON text that starts at `begin`, or the end of the text when it never closes.
std::size_t json_end(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::unexpected<Issue> refused(std::string_view page, std::size_t offset, std::string_view code,
                               std::string_view message) {
  return std::unexpected(Issue{.code = std::string(code),
                               .message = std::string(message),
                               .pointer = {},
                               .file = {},
                               .place = Lines(page).at(static_cast<std::uint32_t>(offset))});
}

}  // namespace

bool opens_json(std::string_view line) { return line.starts_with('{') || line.starts_with('['); }

bool is_page(std::string_view text) {
  bool heading = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view line = line_at(text, begin);
    if (opens_json(line)) return heading;
    if (opens_manifest(line)) return false;
    if (line.starts_with("---")) {
      heading = false;
    } else if (!trim(line).empty() && line[0] != '#' && line[0] != '%') {
      heading = true;
    }
    begin += line.size() + 1;
  }
  return false;
}

std::expected<std::string, Issue> json_of_page(std::string_view page) {
  if (!is_utf8(page) || page.contains('\0')) {
    return refused(page, 0, "utf8", "the text around the JSON is not UTF-8 text");
  }
  std::string out = "[";  // before the heading, where it moves no column that counts
  std::size_t values = 0;
  for (std::size_t begin = 0; begin < page.size();) {
    const std::string_view line = line_at(page, begin);
    if (!opens_json(line)) {
      if (opens_manifest(line)) {
        return refused(page, begin, "syntax",
                       "a manifest in YAML stands beside JSON; give the two as files of their own");
      }
      out.append(line.size(), ' ').push_back('\n');
      begin += line.size() + 1;
      continue;
    }
    const std::size_t end = json_end(page, begin);
    const std::string_view rest = line_at(page, end);
    if (const auto sign = rest.find_first_of("{}[]\""); sign != std::string_view::npos) {
      return refused(
          page, end + sign, "syntax",
          "the text reads as a page around JSON, but something stands behind the JSON on "
          "its last line; end the line there, or give a file that holds manifests");
    }
    if (values++ > 0) out.insert(out.find_last_not_of(" \n") + 1, 1, ',');
    out.append(page.substr(begin, end - begin)).append(rest.size(), ' ').push_back('\n');
    begin = end + rest.size() + 1;
  }
  if (values == 1) {
    out[0] = ' ';
  } else {
    out.push_back(']');
  }
  return out;
}

}  // namespace ki::manifest
