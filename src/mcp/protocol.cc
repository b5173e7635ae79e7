#include "mcp/protocol.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/tools.h"

namespace ki::mcp {
namespace {

using json::Value;
using json::Writer;

constexpr json::Limits kLimits{.bytes_max = kMessageBytesMax};

// Codes of JSON-RPC 2.0, section 5.1.
enum ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
};

constexpr std::string_view kInstructions =
    "KernelIndex says which kernel implementation is fastest for an exact workload, and why. Start "
    "with search_catalog. A rank exists only inside one comparison group: never compare numbers of "
    "two groups. \"not_enough_evidence\" and \"tie\" are answers: do not name a winner then. "
    "Answers are cut to maxBytes; \"omitted\" and nextCursor lead to the rest.";

// The id of a request is echoed as it was: a text or a number.
struct Reply {
  std::string text;
  Writer out{text};

  explicit Reply(const Value* id) {
    out.begin_object().key("jsonrpc").string("2.0").key("id");
    id == nullptr ? static_cast<void>(out.null()) : static_cast<void>(out.value(*id));
  }
  Writer& result() { return out.key("result").begin_object(); }
  std::string finish() {
    out.end_object().end_object();
    return std::move(text);
  }
};

std::string error(const Value* id, ErrorCode code, std::string_view message) {
  Reply reply(id);
  reply.out.key("error").begin_object().key("code").integer(code).key("message").string(message);
  return reply.finish();
}

std::string_view text_of(const Value* value) {
  return value != nullptr && value->is_string() ? value->string() : std::string_view();
}

std::string initialize(const Value* id, const Value* params) {
  const std::string_view asked =
      params == nullptr ? std::string_view() : text_of(params->find("protocolVersion"));
  Reply reply(id);
  Writer& out = reply.result();
  out.key("protocolVersion").string(is_protocol_version(asked) ? asked : kProtocolVersions.front());
  out.key("capabilities").begin_object().key("tools").begin_object();
  out.key("listChanged").boolean(false).end_object().end_object();
  out.key("serverInfo").begin_object().key("name").string("kernelindex");
  out.key("title").string("KernelIndex").key("version").string(KI_VERSION).end_object();
  out.key("instructions").string(kInstructions);
  return reply.finish();
}

void write_tool(Writer& out, const Tool& tool) {
  out.begin_object().key("name").string(tool.name).key("title").string(tool.title);
  out.key("description").string(tool.doc);
  out.key("inputSchema").raw(input_schema(tool));
  out.key("outputSchema").raw(output_schema(tool));
  out.key("annotations").begin_object().key("readOnlyHint").boolean(true);
  out.key("idempotentHint").boolean(true).key("openWorldHint").boolean(false);
  out.end_object().end_object();
}

std::string list_tools(const Value* id, const Value* params) {
  if (params != nullptr && params->find("cursor") != nullptr) {
    return error(id, invalid_params, "all tools are in one page; leave the cursor out");
  }
  Reply reply(id);
  Writer& out = reply.result().key("tools").begin_array();
  for (const Tool& tool : tools()) write_tool(out, tool);
  out.end_array();
  return reply.finish();
}

std::string call_tool(const Value* id, const Value* params, const query::Resolver& resolver) {
  const std::string_view name =
      params == nullptr ? std::string_view() : text_of(params->find("name"));
  const Tool* const tool = find_tool(name);
  if (tool == nullptr) {
    std::vector<std::string_view> names;
    for (const Tool& one : tools()) names.push_back(one.name);
    const auto near = nearest(name, names);
    return error(id, invalid_params,
                 "there is no tool \"" + excerpt(name) + "\"" +
                     (near.empty() ? "; tools/list names them"
                                   : "; did you mean \"" + std::string(near) + "\"?"));
  }
  static const json::Document kNone = *json::parse("{}");
  const Value* const given = params->find("arguments");
  const Value& arguments = given == nullptr || given->is_null() ? kNone.root : *given;
  if (!arguments.is_object()) return error(id, invalid_params, "arguments is an object");
  const Called called = call(*tool, arguments, resolver);
  Reply reply(id);
  Writer& out = reply.result();
  out.key("content").begin_array().begin_object().key("type").string("text");
  out.key("text").string(called.json).end_object().end_array();
  if (!called.failed) out.key("structuredContent").raw(called.json);
  out.key("isError").boolean(called.failed);
  return reply.finish();
}

}  // namespace

bool is_protocol_version(std::string_view version) {
  return std::ranges::find(kProtocolVersions, version) != kProtocolVersions.end();
}

std::optional<std::string> answer(std::string_view message, const query::Resolver& resolver) {
  const auto document = json::parse(message, kLimits);
  if (!document) return error(nullptr, parse_error, document.error().front().message);
  const Value& root = document->root;
  if (!root.is_object()) {
    return error(nullptr, invalid_request, "a message is one JSON-RPC object, not a batch");
  }
  const Value* const id = root.find("id");
  // A number that a double cannot hold would come back as another.
  constexpr double kExactMax = 9007199254740992;
  const bool sound_id =
      id == nullptr || id->is_string() || (id->is_number() && std::abs(id->number()) < kExactMax);
  const Value* const params = root.find("params");
  if (text_of(root.find("jsonrpc")) != "2.0" || !sound_id ||
      (params != nullptr && !params->is_object())) {
    return error(sound_id ? id : nullptr, invalid_request,
                 "a request has \"jsonrpc\": \"2.0\", an id that is text or a number below 2^53, a "
                 "method, and "
                 "params that are an object");
  }
  const Value* const named = root.find("method");
  if (named == nullptr && id != nullptr &&
      (root.find("result") != nullptr || root.find("error") != nullptr)) {
    return std::nullopt;  // an answer to a request that this server never sends
  }
  const std::string_view method = text_of(named);
  if (method.empty()) return error(id, invalid_request, "the method is missing");
  if (id == nullptr) return std::nullopt;  // a notification: nothing here depends on one
  if (method == "initialize") return initialize(id, params);
  if (method == "ping") {
    Reply reply(id);
    reply.result();
    return reply.finish();
  }
  if (method == "tools/list") return list_tools(id, params);
  if (method == "tools/call") return call_tool(id, params, resolver);
  return error(id, method_not_found,
               "there is no method \"" + excerpt(method) +
                   "\"; this server has initialize, ping, tools/list, tools/call");
}

}  // namespace ki::mcp
