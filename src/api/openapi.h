// The OpenAPI 3.1 description of the API and its table of contents, written from the route table
// and the wire types.
#pragma once

#include <string>

namespace ki::api {

// One JSON document; the same bytes for the same program.
std::string openapi_document();

// The routes in short, for a program or a person that starts at the base: {name, description,
// openapi, routes: [{id, method, path, summary, parameters: [name]}]}.
std::string route_index();

}  // namespace ki::api
