// Columns of a row of an export. Internal to its reader.
#pragma once

#include <string_view>

#include "json/value.h"

namespace ki::importer {

// The member's text; "" when it is absent, null or of another type.
inline std::string_view text(const json::Value& row, std::string_view key) {
  const json::Value* value = row.find(key);
  return value != nullptr && value->is_string() ? value->string() : std::string_view();
}

inline bool is_null(const json::Value& row, std::string_view key) {
  const json::Value* value = row.find(key);
  return value == nullptr || value->is_null();
}

}  // namespace ki::importer
