// The OpenAPI 3.1 description of the API and its table of contents, written from the route table
// and the wire types.
#pragma once

#include <string>

#include "api/parameters.h"
#include "json/write.h"

namespace ki::api {

// The members of a JSON Schema that say what values a parameter takes, into the object that is open
// in `out`: the OpenAPI document and the tools of agents describe parameters alike.
void write_parameter_type(json::Writer& out, const Parameter& parameter);

// One JSON document; the same bytes for the same program.
std::string openapi_document();

// The routes in short, for a program or a person that starts at the base: {name, description,
// openapi, routes: [{id, method, path, summary, parameters: [name]}]}.
std::string route_index();

}  // namespace ki::api
