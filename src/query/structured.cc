// Requests as structure: their limits, and how they become a Request.
#include <cmath>

#include "base/text.h"
#include "query/parse.h"
#include "query/parser.h"
#include "query/resolver.h"

namespace ki::query {
namespace {

// Whether a size can be this: a whole number that no other is read as.
bool is_size(double value) {
  return value == std::floor(value) && value >= 0 && value < static_cast<double>(Range::kMax);
}

}  // namespace

bool SizeOrRange::read_json(const json::Value& from) {
  if (from.is_string()) {
    text = from.string();
    return true;
  }
  if (!from.is_number() || !is_size(from.number())) return false;
  text = std::to_string(static_cast<std::int64_t>(from.number()));
  return true;
}

void SizeOrRange::write_schema(json::Writer& out) {
  out.begin_object().key("anyOf").begin_array();
  out.begin_object().key("type").string("integer").key("minimum").integer(0).end_object();
  out.begin_object().key("type").string("string").end_object();
  out.end_array().end_object();
}

bool Licences::read_json(const json::Value& from) {
  if (from.is_string()) {
    names.emplace_back(from.string());
    return true;
  }
  if (!from.is_array()) return false;
  for (const json::Value& item : from.items()) {
    if (!item.is_string()) return false;
    names.emplace_back(item.string());
  }
  return true;
}

void Licences::write_schema(json::Writer& out) {
  const auto text = [&] { out.begin_object().key("type").string("string").end_object(); };
  out.begin_object().key("anyOf").begin_array();
  text();
  out.begin_object().key("type").string("array").key("items");
  text();
  out.end_object().end_array().end_object();
}

namespace {

constexpr std::size_t kWordMax = 100;  // UTF-16 units of most members
constexpr std::size_t kNameMax = 200;
constexpr std::size_t kDtypeMax = 50;

class Limits {
 public:
  explicit Limits(std::string at) : at_(std::move(at)) {}

  void text(std::string_view pointer, const std::optional<std::string>& value,
            std::size_t length_max = kWordMax) {
    if (value) text(pointer, *value, length_max);
  }
  void text(std::string_view pointer, const std::string& value, std::size_t length_max = kWordMax) {
    if (!is_utf8(value)) {
      add(pointer, "utf8", "not valid UTF-8");
    } else if (utf16_length(value) > length_max) {
      add(pointer, "too_long", "at most " + std::to_string(length_max) + " characters");
    }
  }
  void add(std::string_view pointer, std::string code, std::string message) {
    out.push_back({.code = std::move(code),
                   .message = std::move(message),
                   .pointer = at_ + std::string(pointer),
                   .file = {},
                   .place = {}});
  }
  Issues out;

 private:
  std::string at_;
};

void check_operation(Limits& limits, const RequestOperation& operation) {
  limits.text("/operation/family", operation.family);
  limits.text("/operation/name", operation.name, kNameMax);
  limits.text("/operation/pass", operation.pass);
  limits.text("/operation/metric", operation.metric);
  if (!operation.axes) return;
  if (operation.axes->size() > kRequestAxesMax) {
    limits.add("/operation/axes", "too_many",
               "at most " + std::to_string(kRequestAxesMax) + " members");
  }
  const auto part_of_a_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  for (const auto& [name, value] : *operation.axes) {
    limits.text("/operation/axes", name);
    if (name.empty() || !std::ranges::all_of(name, part_of_a_name)) {
      limits.add("/operation/axes", "invalid_value",
                 "an axis is named by letters, digits, _, - and ., got '" + excerpt(name) + "'");
    } else if (!is_size(value)) {
      limits.add("/operation/axes/" + name, "invalid_value",
                 "an axis takes a whole number from 0 to 2^53 - 1");
    }
  }
}

void check_environment(Limits& limits, const RequestEnvironment& environment) {
  limits.text("/environment/hardwareProduct", environment.hardware_product);
  limits.text("/environment/dtype", environment.dtype, kDtypeMax);
  limits.text("/environment/architecture", environment.architecture);
  if (environment.count) limits.text("/environment/count", environment.count->text);
  if (environment.memory) limits.text("/environment/memory", environment.memory->text);
  limits.text("/environment/vendor", environment.vendor);
  limits.text("/environment/framework", environment.framework);
  limits.text("/environment/toolkit", environment.toolkit);
}

void check_policy(Limits& limits, const RequestPolicy& policy) {
  limits.text("/policy/minimumTrust", policy.minimum_trust);
  limits.text("/policy/license", policy.license);
  limits.text("/policy/frameworkVersion", policy.framework_version);
  limits.text("/policy/toolkitVersion", policy.toolkit_version);
  if (!policy.licenses) return;
  constexpr std::string_view kPointer = "/policy/licenses";
  const auto& names = policy.licenses->names;
  if (policy.license) limits.add(kPointer, "conflict", "give either license or licenses");
  if (names.empty() || names.size() > kLicencesMax) {
    limits.add(kPointer, "out_of_range", "1 to " + std::to_string(kLicencesMax) + " licences");
  }
  for (std::size_t i = 0; i < names.size() && i < kLicencesMax; ++i) {
    const std::string pointer = std::string(kPointer) + '/' + std::to_string(i);
    limits.text(pointer, names[i]);
    if (trim(names[i]).empty() || names[i].contains(',')) {
      limits.add(pointer, "invalid_value", "one licence, without a comma");
    }
  }
}

}  // namespace

Issues faults_of(const KernelRequest& request, const std::string& at) {
  Limits limits(at);
  limits.text("/query", request.query, kQueryLengthMax);
  if (request.operation) check_operation(limits, *request.operation);
  if (request.environment) check_environment(limits, *request.environment);
  if (request.policy) check_policy(limits, *request.policy);
  return std::move(limits.out);
}

Issues faults_of(const KernelRequests& requests) {
  Limits all("");
  const std::size_t count = requests.requests.size();
  if (count < 1 || count > kBatchRequestsMax) {
    all.add(
        "/requests", "out_of_range",
        "1 to " + std::to_string(kBatchRequestsMax) + " requests, got " + std::to_string(count));
    return std::move(all.out);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (Issue& issue : faults_of(requests.requests[i], "/requests/" + std::to_string(i))) {
      all.out.push_back(std::move(issue));
    }
  }
  return std::move(all.out);
}

namespace {

// A member that is read like the facet `key` of a query.
using Read = void (Parser::*)(const std::string&, std::string_view);
void read(Parser& parser, Read reader, std::string_view key,
          const std::optional<std::string>& value) {
  if (value) (parser.*reader)(parser.append_token(key, *value), *value);
}

void read(Parser& parser, Read reader, std::string_view key,
          const std::optional<SizeOrRange>& value) {
  if (value) (parser.*reader)(parser.append_token(key, value->text), value->text);
}

void read_axes(Parser& parser, const std::map<std::string, double>& axes) {
  for (const auto& [name, value] : axes) {
    if (is_size(value)) {
      const auto whole = static_cast<std::int64_t>(value);
      parser.axis(parser.append_token(name, std::to_string(whole)), ascii_lower(name),
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

void read_operation(Parser& parser, const RequestOperation& operation) {
  read(parser, &Parser::operation, "op", operation.name);
  read(parser, &Parser::family, "family", operation.family);
  if (operation.axes) read_axes(parser, *operation.axes);
  read(parser, &Parser::pass, "pass", operation.pass);
  read(parser, &Parser::metric, "metric", operation.metric);
}

void read_environment(Parser& parser, const RequestEnvironment& environment) {
  read(parser, &Parser::hardware, "gpu", environment.hardware_product);
  read(parser, &Parser::vendor, "vendor", environment.vendor);
  read(parser, &Parser::architecture, "arch", environment.architecture);
  read(parser, &Parser::count, "count", environment.count);
  read(parser, &Parser::memory, "memory", environment.memory);
  read(parser, &Parser::dtype, "dtype", environment.dtype);
  read(parser, &Parser::framework, "framework", environment.framework);
  read(parser, &Parser::cuda, "cuda", environment.toolkit);
}

void read_policy(Parser& parser, const RequestPolicy& policy) {
  read(parser, &Parser::trust, "trust", policy.minimum_trust);
  if (policy.source_required.value_or(false)) {
    parser.source(parser.append_token("source", "true"), "true");
  }
  if (policy.installable_required.value_or(false)) {
    parser.installable(parser.append_token("installable", "true"), "true");
  }
  read(parser, &Parser::license, "license", policy.license);
  if (policy.licenses) {
    const std::string all = join(policy.licenses->names, ",");
    parser.license(parser.append_token("license", all), all);
  }
  read(parser, &Parser::framework_version, "framework_version", policy.framework_version);
  read(parser, &Parser::toolkit_version, "toolkit_version", policy.toolkit_version);
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

}  // namespace ki::query
