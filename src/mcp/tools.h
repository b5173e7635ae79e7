// The tools that agents are given: the read routes of the API, with answers made small enough for
// a model's context, and the two that judge manifests. One table; the schemas come from the routes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/routes.h"
#include "json/value.h"
#include "query/resolver.h"

namespace ki::mcp {

// Bytes of an answer when the caller does not say, and the most it may ask for.
inline constexpr std::int64_t kAnswerBytes = 8192;
inline constexpr std::int64_t kAnswerBytesMax = std::int64_t{1} << 20;
inline constexpr std::int64_t kManifestBytesMax = std::int64_t{1} << 20;
// Rows of a page when the caller does not say: as many as fit, at most this.
inline constexpr std::int64_t kRows = 10;

// Where the arguments of a tool go.
enum class Input : std::uint8_t {
  parameters,  // each is a parameter of the route
  body,        // together they are its body
  request,     // the argument "request" is its body, the others are its parameters
  own,         // the tool answers itself
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view doc;
  std::string_view route = {};  // id in the route table of the API; "" when the tool answers itself
  Input input = Input::parameters;
};

std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);
// The route a tool asks. Requires one that does not answer itself.
const api::Route& route_of(const Tool& tool);

// JSON Schemas (2020-12): of the arguments in full, of the answer one level deep.
std::string input_schema(const Tool& tool);
std::string output_schema(const Tool& tool);

struct Called {
  bool failed = false;
  std::string json;  // an object: the answer, or a problem document
};

// Runs a tool. Whatever is wrong with the arguments is a failed call, which says what would be
// right; `arguments` is an object.
Called call(const Tool& tool, const json::Value& arguments, const query::Resolver& resolver);

// The text of /llms.txt: what an agent needs to know, from the same tables.
std::string llms_text();

}  // namespace ki::mcp
