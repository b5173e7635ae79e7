// What a route takes, as data: checked before its handler runs and published in the OpenAPI
// document from the same lines.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "http/message.h"

namespace ki::api {

enum class In { path, query };
// A cursor's text is the list's to judge, its length too: one code for all that can be wrong.
enum class ParameterType { text, integer, instant, choice, cursor };

struct Parameter {
  std::string_view name;
  In in = In::query;
  ParameterType type = ParameterType::text;
  std::string_view doc;
  std::int64_t minimum = 0;       // of an integer
  std::int64_t maximum = 0;       // of an integer; of a text or cursor its UTF-16 units
  std::string_view initial = {};  // when absent; "" = none
  std::span<const std::string_view> choices = {};  // of a choice
};

// The values a handler gets: every one within its bounds, absent ones at their initial value.
class Arguments {
 public:
  // "" when absent and without an initial value. Requires a name of the route.
  const std::string& text(std::string_view name) const;
  // Requires an integer parameter of the route with an initial value.
  std::int64_t integer(std::string_view name) const;
  const std::string& body() const { return body_; }

 private:
  friend std::expected<Arguments, Issues> check(std::span<const Parameter>,
                                                const std::vector<std::string>&,
                                                const http::Request&);
  std::vector<std::pair<std::string_view, std::string>> values_;
  std::string body_;
};

// Checks the captures (in the order of the path parameters) and the query of a request. Issues:
// unknown_parameter with the nearest known name, repeated_parameter, too_long, invalid_type,
// out_of_range, invalid_value; pointers are /path/NAME and /query/NAME.
std::expected<Arguments, Issues> check(std::span<const Parameter> parameters,
                                       const std::vector<std::string>& captures,
                                       const http::Request& request);

}  // namespace ki::api
