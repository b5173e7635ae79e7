// Compares the columns of a row of an export with what follows from its manifests. Internal to its
// reader.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "import/export/columns.h"
#include "json/write.h"

namespace ki::importer {

inline std::string stored_as(std::string_view column, std::string_view stored,
                             std::string_view recomputed) {
  return fmt::format("{} is stored as {} and recomputed as {}", column, excerpt(stored),
                     excerpt(recomputed));
}

// Compares the columns of a row with what follows from its manifests; keeps the first difference.
class Comparison {
 public:
  explicit Comparison(const json::Value& row) : row_(row) {}

  Comparison& is(std::string_view column, std::string_view expected) {
    return note(column, is_text(row_.find(column), expected), [&] { return expected; });
  }
  Comparison& digest(std::string_view column, const Digest& expected) {
    const json::Value* value = row_.find(column);
    const bool same =
        value != nullptr && value->is_string() && parse_digest(value->string()) == expected;
    return note(column, same, [&] { return to_string(expected); });
  }
  Comparison& optional(std::string_view column, const std::optional<std::string>& expected) {
    if (!expected) return absent(column);
    return is(column, std::string_view(*expected));
  }
  Comparison& flag(std::string_view column, bool expected) {
    const json::Value* value = row_.find(column);
    return note(column, value != nullptr && value->is_boolean() && value->boolean() == expected,
                [&] { return expected ? "true" : "false"; });
  }
  Comparison& number(std::string_view column, const std::optional<double>& expected) {
    if (!expected) return absent(column);
    const json::Value* value = row_.find(column);
    return note(column, value != nullptr && value->is_number() && value->number() == *expected,
                [&] {
                  std::string shown;
                  json::append_number(shown, *expected);
                  return shown;
                });
  }
  Comparison& integer(std::string_view column, const std::optional<std::int64_t>& expected) {
    return number(column, expected ? std::optional(static_cast<double>(*expected)) : std::nullopt);
  }
  Comparison& list(std::string_view column, const std::vector<std::string>& expected) {
    const json::Value* value = row_.find(column);
    const bool same =
        value != nullptr && value->is_array() &&
        std::ranges::equal(value->items(), expected,
                           [](const json::Value& a, const auto& b) { return is_text(&a, b); });
    return note(column, same, [&] { return "[" + join(expected, ", ") + "]"; });
  }

  std::string take() { return std::move(problem_); }

 private:
  static bool is_text(const json::Value* value, std::string_view expected) {
    return value != nullptr && value->is_string() && value->string() == expected;
  }
  Comparison& absent(std::string_view column) {
    return note(column, is_null(row_, column), [] { return "null"; });
  }
  // `expected` gives what is said of it; most columns are as expected, and nothing is.
  template <class Expected>
  Comparison& note(std::string_view column, bool same, Expected expected) {
    if (same || !problem_.empty()) return *this;
    std::string stored = "absent";
    if (const json::Value* value = row_.find(column)) {
      stored.clear();
      json::append_compact(stored, *value);
    }
    problem_ = stored_as(column, stored, expected());
    return *this;
  }

  const json::Value& row_;
  std::string problem_;
};

}  // namespace ki::importer
