// The schemas of the tools, from the tables of the routes.
#include <algorithm>

#include "api/openapi.h"
#include "api/routes.h"
#include "base/text.h"
#include "json/read.h"
#include "manifest/manifest.h"
#include "mcp/tools.h"

namespace ki::mcp {
namespace {

using json::Member;
using json::Value;
using json::Writer;

constexpr std::string_view kReference = "#/components/schemas/";

void write_parameter(Writer& out, const api::Parameter& parameter) {
  out.key(parameter.name).begin_object().key("description").string(parameter.doc);
  api::write_parameter_type(out, parameter);
  out.end_object();
}

void write_own_arguments(Writer& out, const Tool& tool, std::vector<std::string>& required) {
  if (tool.name == "validate_manifest") {
    out.key("content").begin_object().key("type").string("string");
    out.key("description").string("the text of one or more manifests").end_object();
    out.key("format").begin_object().key("type").string("string").key("enum").begin_array();
    out.string("yaml").string("json").end_array().key("default").string("yaml").end_object();
    required.push_back("content");
  }
  if (tool.name == "get_manifest_schema") {
    out.key("kind").begin_object().key("type").string("string").key("enum").begin_array();
    for (const auto kind : manifest::all_kinds()) out.string(manifest::name_of(kind));
    out.end_array().end_object();
    required.push_back("kind");
  }
}

// The named schemas as "$defs", with references to match.
void write_definitions(Writer& out, const json::Schemas& schemas) {
  out.key("$defs").begin_object();
  for (const auto& [name, schema] : schemas.named()) out.key(name).raw(schema);
  out.end_object();
}

// The schema itself of a type that the table refers to by name.
json::Document named_schema(json::Schemas& schemas, api::SchemaWriter type) {
  std::string reference;
  Writer out(reference);
  type(schemas, out);
  const auto start = reference.rfind('/') + 1;
  const std::string name = reference.substr(start, reference.find('"', start) - start);
  auto document = json::parse(schemas.named().at(name));
  KI_CHECK(document.has_value());
  return std::move(*document);
}

std::string with_local_references(std::string text) {
  for (auto at = text.find(kReference); at != std::string::npos; at = text.find(kReference, at)) {
    text.replace(at, kReference.size(), "#/$defs/");
  }
  return text;
}

// ---- an answer, one level deep

// "string", "array", ... of a schema as json/wire.h writes it; "" when it can be anything.
std::string_view type_of(const Value& schema) {
  if (schema.find("$ref") != nullptr) return "object";
  if (const Value* const type = schema.find("type")) return type->string();
  return "";
}

void write_outline(Writer& out, const Value& property) {
  out.begin_object();
  if (const Value* const doc = property.find("description")) out.key("description").value(*doc);
  const Value* schema = &property;
  if (const Value* const all = property.find("allOf")) schema = &all->items()[0];
  if (const Value* const either = schema->find("anyOf")) {
    const std::string_view type = type_of(either->items()[0]);
    if (!type.empty()) {
      out.key("type").begin_array().string(type).string("null").end_array();
    }
  } else if (const std::string_view type = type_of(*schema); !type.empty()) {
    out.key("type").string(type);
  }
  out.end_object();
}

void write_own_answer(Writer& out, const Tool& tool) {
  const auto simple = [&](std::string_view name, std::string_view type) {
    out.key(name).begin_object().key("type").string(type).end_object();
  };
  if (tool.name == "validate_manifest") {
    simple("valid", "boolean");
    out.key("kind").begin_object().key("type").begin_array().string("string").string("null");
    out.end_array().key("description").string("of the only manifest").end_object();
    out.key("specDigest").begin_object().key("type").string("string");
    out.key("description").string("of the only manifest, when it is valid").end_object();
    simple("errors", "array");
    simple("manifests", "array");
  }
}

}  // namespace

const api::Route& route_of(const Tool& tool) {
  const auto all = api::routes();
  const auto at = std::ranges::find(all, tool.route, &api::Route::id);
  KI_CHECK(at != all.end());
  return *at;
}

std::string input_schema(const Tool& tool) {
  std::string text;
  Writer out(text);
  std::vector<std::string> required;
  json::Schemas schemas;
  out.begin_object().key("type").string("object").key("properties").begin_object();
  switch (tool.input) {
    case Input::request:
      out.key("request");
      route_of(tool).body(schemas, out);
      required.push_back("request");
      [[fallthrough]];
    case Input::parameters:
      for (const api::Parameter& parameter : route_of(tool).parameters) {
        write_parameter(out, parameter);
        if (parameter.in == api::In::path) required.emplace_back(parameter.name);
      }
      if (tool.name == "get_implementation") {
        out.key("includeSource").begin_object().key("type").string("boolean");
        out.key("description").string("true: as include=source").end_object();
      }
      break;
    case Input::body: {
      const auto body = named_schema(schemas, route_of(tool).body);
      for (const Member& member : body.root.find("properties")->members()) {
        out.key(member.key).value(member.value);
      }
      for (const Value& member : body.root.find("required")->items()) {
        required.emplace_back(member.string());
      }
      break;
    }
    case Input::own:
      write_own_arguments(out, tool, required);
      break;
  }
  out.key("maxBytes").begin_object().key("type").string("integer").key("minimum").integer(1024);
  out.key("maximum").integer(kAnswerBytesMax).key("default").integer(kAnswerBytes);
  out.key("description").string("bytes of the answer; \"omitted\" in it says what was left out");
  out.end_object().end_object().key("required").begin_array();
  for (const auto& name : required) out.string(name);
  out.end_array().key("additionalProperties").boolean(false);
  if (!schemas.named().empty()) write_definitions(out, schemas);
  out.end_object();
  return with_local_references(std::move(text));
}

std::string output_schema(const Tool& tool) {
  std::string text;
  Writer out(text);
  out.begin_object().key("type").string("object").key("properties").begin_object();
  if (tool.input == Input::own) {
    write_own_answer(out, tool);
  } else {
    json::Schemas schemas;
    const auto named = named_schema(schemas, route_of(tool).answer);
    for (const Member& member : named.root.find("properties")->members()) {
      out.key(member.key);
      write_outline(out, member.value);
    }
  }
  out.key("omitted").begin_object().key("type").string("array");
  out.key("description").string("what was left out to stay within maxBytes").end_object();
  out.end_object().end_object();
  return text;
}

}  // namespace ki::mcp
