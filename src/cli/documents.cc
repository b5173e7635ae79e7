#include "cli/documents.h"

#include "base/text.h"
#include "json/read.h"
#include "manifest/documents.h"

namespace ki::cli {

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
