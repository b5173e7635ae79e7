#include "api/openapi.h"

#include "api/routes.h"

namespace ki::api {

void write_parameter_type(json::Writer& out, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::text:
    case ParameterType::cursor:
      out.key("type").string("string").key("maxLength").integer(parameter.maximum);
      break;
    case ParameterType::integer:
      out.key("type").string("integer");
      out.key("minimum").integer(parameter.minimum).key("maximum").integer(parameter.maximum);
      break;
    case ParameterType::instant:
      out.key("type").string("string").key("format").string("date-time");
      break;
    case ParameterType::choice:
      out.key("type").string("string").key("enum").begin_array();
      for (const auto word : parameter.choices) out.string(word);
      out.end_array();
      break;
  }
}

namespace {

std::string_view method_name(const Route& route) {
  return route.method == http::Method::post ? "POST" : "GET";
}

void write_parameter_schema(json::Writer& out, const Parameter& parameter) {
  out.key("schema").begin_object();
  write_parameter_type(out, parameter);
  const bool stated = parameter.type == ParameterType::integer && !parameter.initial.empty();
  if (stated) out.key("default").raw(parameter.initial);
  out.end_object();
}

void write_parameters(json::Writer& out, const Route& route) {
  out.key("parameters").begin_array();
  for (const Parameter& parameter : route.parameters) {
    const bool in_path = parameter.in == In::path;
    out.begin_object().key("name").string(parameter.name);
    out.key("in").string(in_path ? "path" : "query").key("required").boolean(in_path);
    out.key("description").string(parameter.doc);
    write_parameter_schema(out, parameter);
    out.end_object();
  }
  out.end_array();
}

void write_content(json::Writer& out, std::string_view media_type, json::Schemas& schemas,
                   SchemaWriter schema) {
  out.key("content").begin_object().key(media_type).begin_object().key("schema");
  schema(schemas, out);
  out.end_object().end_object();
}

// Of a list that is the whole answer.
void write_link_header(json::Writer& out) {
  out.key("headers").begin_object().key("Link").begin_object();
  out.key("description").string("the address of the next page, as <...>; rel=\"next\"");
  out.key("schema").begin_object().key("type").string("string").end_object();
  out.end_object().end_object();
}

void write_problem(json::Schemas& schemas, json::Writer& out) {
  schemas.write_schema<http::Problem>(out);
}

void write_operation(json::Writer& out, json::Schemas& schemas, const Route& route) {
  out.begin_object().key("operationId").string(route.id).key("summary").string(route.doc);
  write_parameters(out, route);
  if (route.keyed != nullptr) {
    out.key("security").begin_array().begin_object();
    out.key("apiKey").begin_array().end_array().end_object().end_array();
  }
  if (route.body != nullptr) {
    out.key("requestBody").begin_object().key("required").boolean(true);
    write_content(out, "application/json", schemas, route.body);
    out.end_object();
  }
  out.key("responses").begin_object().key(std::to_string(route.status)).begin_object();
  out.key("description").string("the answer");
  if (route.answer != nullptr) write_content(out, "application/json", schemas, route.answer);
  if (!route.rows.empty() && route.rows.front().empty()) write_link_header(out);
  out.end_object().key("default").begin_object();
  out.key("description").string("any failure, as a problem document (RFC 9457)");
  write_content(out, "application/problem+json", schemas, write_problem);
  out.end_object().end_object().end_object();
}

}  // namespace

std::string openapi_document() {
  std::string text;
  json::Writer out(text);
  json::Schemas schemas;
  out.begin_object().key("openapi").string("3.1.0");
  out.key("info").begin_object().key("title").string("KernelIndex");
  out.key("version").string("1");
  out.key("description").string("A performance index for kernels: measured, ranked, explained.");
  out.key("license").begin_object().key("name").string("Apache-2.0");
  out.key("identifier").string("Apache-2.0").end_object().end_object();
  out.key("servers").begin_array().begin_object().key("url").string(kBase).end_object().end_array();
  out.key("paths").begin_object();
  for (const Route& route : routes()) {
    out.key(route.pattern).begin_object();
    out.key(route.method == http::Method::post ? "post" : "get");
    write_operation(out, schemas, route);
    out.end_object();
  }
  out.end_object().key("components").begin_object().key("schemas").begin_object();
  for (const auto& [name, schema] : schemas.named()) out.key(name).raw(schema);
  out.end_object().key("securitySchemes").begin_object().key("apiKey").begin_object();
  out.key("type").string("http").key("scheme").string("bearer");
  out.key("description").string("Authorization: Bearer ki_...; reading needs none");
  out.end_object().end_object().end_object().end_object();
  return text;
}

std::vector<RouteItem> route_items() {
  std::vector<RouteItem> out;
  for (const Route& route : routes()) {
    RouteItem& item = out.emplace_back();
    item.id = route.id;
    item.method = method_name(route);
    item.path = std::string(kBase) + std::string(route.pattern);
    item.summary = route.doc;
    for (const Parameter& parameter : route.parameters)
      item.parameters.emplace_back(parameter.name);
  }
  return out;
}

std::string route_index() {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.key("name").string("KernelIndex API");
  out.key("description").string("JSON; openapi describes every field. Reading needs no key.");
  out.key("openapi").string(std::string(kBase) + "/openapi.json");
  out.key("routes");
  json::write(out, route_items());
  out.end_object();
  return text;
}

}  // namespace ki::api
