#include "mcp/http.h"

#include "base/text.h"
#include "mcp/protocol.h"
#include "mcp/tools.h"

namespace ki::mcp {
namespace {

using http::Captures;
using http::Method;
using http::Outcome;
using http::Request;

// A page of another site must not use a server that only its reader can reach (DNS rebinding): an
// Origin, which only browsers send, has to be this server's own.
bool is_foreign(const Request& request) {
  const std::string_view origin = request.header("Origin");
  if (origin.empty()) return false;
  const auto scheme = origin.find("://");
  return scheme == std::string_view::npos || origin.substr(scheme + 3) != request.header("Host");
}

Outcome serve(const query::Resolver& resolver, const Request& request) {
  if (is_foreign(request)) {
    return std::unexpected(
        http::make_problem(403, "FORBIDDEN_ORIGIN", "requests of other sites' pages are refused"));
  }
  const std::string_view version = request.header("MCP-Protocol-Version");
  if (!version.empty() && !is_protocol_version(version)) {
    return std::unexpected(
        http::make_problem(400, "INVALID_REQUEST",
                           "MCP-Protocol-Version is " +
                               join({kProtocolVersions.begin(), kProtocolVersions.end()}, ", ")));
  }
  const auto reply = answer(request.body, resolver);
  if (!reply) return http::Response{.status = 202, .content_type = {}, .body = {}};
  return http::json_response(200, *reply, http::Cache::no_store);
}

}  // namespace

void add_routes(http::Router& router, const std::shared_ptr<const query::Resolver>& resolver) {
  router.add({.method = Method::post,
              .pattern = "/mcp",
              .handler = [resolver](const Request& request,
                                    const Captures&) { return serve(*resolver, request); },
              .is_costly = true});
  const auto text = std::make_shared<const std::string>(llms_text());
  router.add({.method = Method::get,
              .pattern = "/llms.txt",
              .handler = [text](const Request&, const Captures&) -> Outcome {
                return http::Response{.status = 200,
                                      .content_type = "text/plain; charset=utf-8",
                                      .body = *text,
                                      .cache = http::Cache::moderate};
              }});
}

}  // namespace ki::mcp
