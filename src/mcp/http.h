// MCP over HTTP: POST /mcp (the protocol's streamable HTTP transport, without streams: every
// answer is one JSON document), and GET /llms.txt.
#pragma once

#include <memory>

#include "http/router.h"
#include "query/resolver.h"

namespace ki::mcp {

void add_routes(http::Router& router, const std::shared_ptr<const query::Resolver>& resolver);

}  // namespace ki::mcp
