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

std::expected<std::vector<json::Document>, Issues> parse_documents(const std::string& name,
                                                                   std::string_view text) {
  const bool is_json =
      !manifest::is_yaml_name(name) && (trim(text).starts_with('{') || trim(text).starts_with('['));
  if (!is_json) return json::parse_yaml(text);
  auto parsed = json::parse(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  std::vector<json::Document> documents;
  documents.push_back(std::move(*parsed));
  return documents;
}

}  // namespace ki::cli
