#include "query/parse.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "query/parser.h"
#include "query/tokens.h"

namespace ki::query {

Request parse_query(std::string_view text) {
  Parser parser(text);
  parser.read_tokens();
  return std::move(parser).finish();
}

namespace {

void read_axes(Parser& parser, const std::map<std::string, double>& axes) {
  constexpr double kExactMax = 9007199254740992.0;
  for (const auto& [name, value] : axes) {
    if (value == std::floor(value) && value >= 0 && value <= kExactMax) {
      const auto whole = static_cast<std::int64_t>(value);
      parser.axis(parser.append_token(name, std::to_string(whole)), name,
                  {.least = whole, .most = whole});
      continue;
    }
    parser.add_issue({.token = "axes." + name,
                      .code = "unknown_value",
                      .message = "axis '" + excerpt(name) + "' needs a whole number, 0 or more",
                      .hint = std::nullopt,
                      .known = {}});
  }
}

void read_policy(Parser& parser, const RequestPolicy& policy) {
  if (policy.minimum_trust) {
    parser.trust(parser.append_token("trust", *policy.minimum_trust), *policy.minimum_trust);
  }
  if (policy.source_required.value_or(false)) {
    parser.source(parser.append_token("source", "true"), "true");
  }
  if (policy.installable_required.value_or(false)) {
    parser.installable(parser.append_token("installable", "true"), "true");
  }
  if (policy.license) {
    parser.license(parser.append_token("license", *policy.license), *policy.license);
  }
}

void read_operation(Parser& parser, const RequestOperation& operation) {
  if (operation.name) parser.operation(parser.append_token("op", *operation.name), *operation.name);
  if (operation.family) {
    parser.family(parser.append_token("family", *operation.family), *operation.family);
  }
  if (operation.axes) read_axes(parser, *operation.axes);
}

void read_environment(Parser& parser, const RequestEnvironment& environment) {
  if (environment.hardware_product) {
    const std::string& product = *environment.hardware_product;
    parser.hardware(parser.append_token("gpu", product), product);
  }
  if (environment.dtype) {
    parser.dtype(parser.append_token("dtype", *environment.dtype), *environment.dtype);
  }
}

}  // namespace

Request read_request(const KernelRequest& request) {
  Parser parser(request.query.value_or(""));
  parser.read_tokens();
  if (request.operation) read_operation(parser, *request.operation);
  if (request.environment) read_environment(parser, *request.environment);
  if (request.policy) read_policy(parser, *request.policy);
  return std::move(parser).finish();
}

std::string interpretation_of(const Request& request, std::string_view operation) {
  std::vector<std::string> parts;
  if (!operation.empty()) parts.push_back("Operation " + std::string(operation));
  for (const Reading& reading : request.readings) {
    if (!reading.display.empty() && reading.kind != "operation") parts.push_back(reading.display);
  }
  return parts.empty() ? "Search the index" : join(parts, " · ");
}

}  // namespace ki::query
