#include "cli/documents.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <glob.h>

#include "base/text.h"
#include "json/read.h"
#include "manifest/documents.h"

namespace ki::cli {

std::vector<std::string> matching_files(const std::string& pattern) {
  std::error_code ignored;
  if (pattern.find_first_of("*?[") == std::string::npos ||
      std::filesystem::exists(pattern, ignored)) {
    return {pattern};
  }
  glob_t found{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> owner(&found, ::globfree);
  if (::glob(pattern.c_str(), 0, nullptr, &found) != 0) return {};
  return {found.gl_pathv, found.gl_pathv + found.gl_pathc};
}

bool names_stream_twice(const std::vector<std::string>& files) {
  return std::ranges::count(files, "-") > 1;
}

namespace {

// Whether the first thing in the brackets that `text` opens with is in quotes, as every key of
// JSON is, or there is nothing in them.
bool is_quoted_within(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n[{");
  return first == std::string_view::npos || text[first] == '"' || text[first] == ']' ||
         text[first] == '}';
}

}  // namespace

std::expected<std::vector<json::Document>, Issues> parse_documents(const std::string& name,
                                                                   std::string_view text) {
  const bool is_json =
      !manifest::is_yaml_name(name) && (trim(text).starts_with('{') || trim(text).starts_with('['));
  if (!is_json) return json::parse_yaml(text);
  auto parsed = json::parse(text);
  if (!parsed) {
    // {operation: {name: rope}} is YAML on one line: no JSON, for its keys are not in quotes. What
    // was meant as JSON keeps the complaint about JSON.
    if (name.ends_with(".json") || is_quoted_within(text)) return std::unexpected(parsed.error());
    return json::parse_yaml(text);
  }
  std::vector<json::Document> documents;
  documents.push_back(std::move(*parsed));
  return documents;
}

}  // namespace ki::cli
