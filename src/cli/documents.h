// Requests that a user keeps in files, JSON or YAML.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "json/value.h"

namespace ki::cli {

// The documents of a text; its name says YAML, or else its first character says JSON.
std::expected<std::vector<json::Document>, Issues> parse_documents(const std::string& name,
                                                                   std::string_view text);

}  // namespace ki::cli
