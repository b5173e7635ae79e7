#include "api/parameters.h"

#include <algorithm>
#include <charconv>

#include "base/clock.h"
#include "base/result.h"
#include "base/text.h"
#include "json/value.h"

namespace ki::api {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string list_of(std::span<const std::string_view> words) {
  std::string all;
  for (const auto word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

std::string pointer_of(In in, std::string_view name) {
  std::string pointer = in == In::path ? "/path" : "/query";
  json::append_pointer(pointer, name);
  return pointer;
}

Issue issue(const Parameter& parameter, std::string code, std::string message) {
  return {.code = std::move(code),
          .message = std::move(message),
          .pointer = pointer_of(parameter.in, parameter.name),
          .file = {},
          .place = {}};
}

// Empty when the value is one the parameter takes.
std::optional<Issue> fault(const Parameter& parameter, const std::string& value) {
  switch (parameter.type) {
    case ParameterType::text:
      if (utf16_length(value) <= static_cast<std::size_t>(parameter.maximum)) return std::nullopt;
      return issue(parameter, "too_long",
                   "at most " + std::to_string(parameter.maximum) + " characters");
    case ParameterType::integer: {
      const auto number = whole_number(value);
      if (!number) return issue(parameter, "invalid_type", "expected a whole number");
      if (*number >= parameter.minimum && *number <= parameter.maximum) return std::nullopt;
      return issue(parameter, "out_of_range",
                   "expected " + std::to_string(parameter.minimum) + " to " +
                       std::to_string(parameter.maximum));
    }
    case ParameterType::instant:
      if (value.size() <= 64 && parse_instant(value)) return std::nullopt;
      return issue(parameter, "invalid_value",
                   "expected an instant such as 2026-01-31T00:00:00Z (write + as %2B)");
    case ParameterType::cursor:
      return std::nullopt;
    case ParameterType::choice:
      if (std::ranges::find(parameter.choices, value) != parameter.choices.end()) {
        return std::nullopt;
      }
      return issue(parameter, "invalid_value", "expected one of " + list_of(parameter.choices));
  }
  KI_UNREACHABLE();
}

Issue unknown(std::span<const Parameter> parameters, const std::string& name) {
  std::vector<std::string_view> known;
  for (const Parameter& parameter : parameters) {
    if (parameter.in == In::query) known.push_back(parameter.name);
  }
  const auto near = nearest(name, known);
  std::string message = "this address has no parameter \"" + excerpt(name) + "\"";
  if (!near.empty()) {
    message += "; did you mean \"" + std::string(near) + "\"?";
  } else if (!known.empty()) {
    message += "; it has " + list_of(known);
  }
  return {.code = "unknown_parameter",
          .message = std::move(message),
          .pointer = pointer_of(In::query, name),
          .file = {},
          .place = {}};
}

}  // namespace

const std::string& Arguments::text(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &decltype(values_)::value_type::first);
  KI_CHECK(found != values_.end());
  return found->second;
}

std::int64_t Arguments::integer(std::string_view name) const {
  const auto number = whole_number(text(name));
  KI_CHECK(number.has_value());
  return *number;
}

std::expected<Arguments, Issues> check(std::span<const Parameter> parameters,
                                       const std::vector<std::string>& captures,
                                       const http::Request& request) {
  Arguments arguments;
  Issues issues;
  std::size_t capture = 0;
  for (const Parameter& parameter : parameters) {
    std::string value(parameter.initial);
    if (parameter.in == In::path) {
      KI_CHECK(capture < captures.size());
      value = captures[capture++];
    } else if (const std::string* given = request.parameter(parameter.name)) {
      value = *given;
    }
    const bool absent = parameter.in == In::query && value.empty();
    if (!absent) {
      if (auto wrong = fault(parameter, value)) issues.push_back(std::move(*wrong));
    } else {
      value = parameter.initial;  // "?limit=" means what no limit means
    }
    arguments.values_.emplace_back(parameter.name, std::move(value));
  }
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : request.parameters) {
    const auto known = std::ranges::find_if(parameters, [&](const Parameter& parameter) {
      return parameter.in == In::query && parameter.name == name;
    });
    if (known == parameters.end()) {
      issues.push_back(unknown(parameters, name));
    } else if (std::ranges::find(seen, name) != seen.end()) {
      issues.push_back(issue(*known, "repeated_parameter", "give this parameter once"));
    }
    seen.push_back(name);
  }
  if (!issues.empty()) return std::unexpected(std::move(issues));
  arguments.body_ = request.body;
  return arguments;
}

}  // namespace ki::api
