// The OpenAPI 3.1 description of the API, written from the route table and the wire types.
#pragma once

#include <string>

namespace ki::api {

// One JSON document; the same bytes for the same program.
std::string openapi_document();

}  // namespace ki::api
