// Reading what the catalog stored: lists and manifests it wrote itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "query/model_common.h"

namespace ki::query {

// Parses a stored JSON text; `where` names it. Code::internal when it is damaged.
Result<json::Document> parse_stored(std::string_view text, std::string_view where);

// A stored JSON list of strings.
Result<std::vector<std::string>> parse_list(std::string_view text, std::string_view where);

// Members of a parsed value by path ("hardware.count"); nullptr when one is missing.
const json::Value* at_path(const json::Value& value, std::string_view path);
// The same as text: strings as they are, numbers and booleans in JSON; nullopt when missing.
std::optional<std::string> text_at(const json::Value& value, std::string_view path);
std::optional<double> number_at(const json::Value& value, std::string_view path);
std::vector<std::string> list_at(const json::Value& value, std::string_view path);

}  // namespace ki::query
