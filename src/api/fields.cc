#include "api/fields.h"

#include "base/text.h"

namespace ki::api {

std::expected<Fields, Issues> read_fields(std::string_view text, const Fields& known) {
  Fields out;
  Issues issues;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view name = trim(part);
    if (name.empty()) continue;
    const auto found = std::ranges::find(known, name);
    if (found != known.end()) {
      if (std::ranges::find(out, *found) == out.end()) out.push_back(*found);
      continue;
    }
    issues.push_back({.code = "invalid_value",
                      .message = "a row has no member \"" + excerpt(name) + "\"; it has " +
                                 join({known.begin(), known.end()}, ", "),
                      .pointer = "/query/" + std::string(kFields.name),
                      .file = {},
                      .place = {}});
  }
  if (!issues.empty()) return std::unexpected(std::move(issues));
  return out;
}

}  // namespace ki::api
