// The OpenAPI 3.1 description of the API and its table of contents, written from the route table
// and the wire types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/parameters.h"
#include "json/wire.h"

namespace ki::api {

// The members of a JSON Schema that say what values a parameter takes, into the object that is open
// in `out`: the OpenAPI document and the tools of agents describe parameters alike.
void write_parameter_type(json::Writer& out, const Parameter& parameter);

// One JSON document; the same bytes for the same program.
std::string openapi_document();

// A route of the table in short.
struct RouteItem {
  static constexpr std::string_view kWireName = "RouteItem";
  std::string id;
  std::string method;
  std::string path;
  std::string summary;
  std::vector<std::string> parameters;
  template <class V>
  static void describe(V& v) {
    v.field("id", &RouteItem::id, "operationId of the OpenAPI document");
    v.field("method", &RouteItem::method, "GET or POST");
    v.field("path", &RouteItem::path, "with {names} for what varies");
    v.field("summary", &RouteItem::summary, "");
    v.field("parameters", &RouteItem::parameters, "names, of the path and of the query");
  }
};
// All of them, in the order of the table.
std::vector<RouteItem> route_items();

// The routes in short, for a program or a person that starts at the base: {name, description,
// openapi, routes: [RouteItem]}.
std::string route_index();

}  // namespace ki::api
