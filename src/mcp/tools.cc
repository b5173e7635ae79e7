#include "mcp/tools.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/routes.h"
#include "base/text.h"
#include "json/read.h"
#include "manifest/documents.h"
#include "manifest/json_schema.h"
#include "mcp/shorten.h"
#include "query/tokens.h"

namespace ki::mcp {
namespace {

using json::Member;
using json::Value;

constexpr std::array kTools = {
    Tool{.name = "search_catalog",
         .title = "Search",
         .doc =
             "Which implementation is fastest for a workload, and why: operation, shape or axes, "
             "dtype, GPU and filters in one query, such as \"rmsnorm hidden:4096 bf16 h100\".",
         .route = "search"},
    Tool{.name = "resolve_kernel",
         .title = "Resolve a kernel",
         .doc =
             "The same question as structure: operation and axes, hardware, dtype, pass, and what "
             "an answer must satisfy (licence, trust, versions); says which row fails what.",
         .route = "resolveKernel",
         .input = Input::request},
    Tool{.name = "resolve_kernels",
         .title = "Resolve several kernels",
         .doc = "1 to 100 such requests at once, from one state of the catalog.",
         .route = "resolveKernels",
         .input = Input::body},
    Tool{.name = "resolve_trace",
         .title = "Resolve a trace",
         .doc = "Many shapes of one operation, weighted: the leader of each, how much of them was "
                "measured, and totals of implementations where all of it can be compared.",
         .route = "resolveTrace",
         .input = Input::body},
    Tool{.name = "get_winners",
         .title = "Winner map",
         .doc = "Who leads an operation where, over one or two of its axes (y may be hardware), by "
                "how much, and between which measured points that changes.",
         .route = "getWinners"},
    Tool{.name = "get_operation",
         .title = "Operation",
         .doc = "One operation: semantics, workloads, comparison groups, ranked implementations.",
         .route = "getOperation"},
    Tool{.name = "get_implementation",
         .title = "Implementation",
         .doc = "One implementation: install command, licence, support, best results. "
                "include=source adds its source code.",
         .route = "getImplementation"},
    Tool{.name = "get_benchmark_evidence",
         .title = "Evidence of a run",
         .doc = "Everything behind one number: protocol, environment, measurements, source, "
                "correctness, rank in its comparison group.",
         .route = "getRun"},
    Tool{.name = "compare_runs",
         .title = "Compare runs",
         .doc = "Two to eight runs side by side; a winner only inside one comparison group, "
                "otherwise the first material difference.",
         .route = "compareRuns",
         .input = Input::body},
    Tool{.name = "list_records",
         .title = "Records",
         .doc = "The best run of each comparison group, newest first.",
         .route = "listRecords"},
    Tool{.name = "get_record",
         .title = "Record",
         .doc = "The best run of one comparison group, and how it came to be that, step by step.",
         .route = "getRecord"},
    Tool{.name = "list_runs",
         .title = "Runs",
         .doc = "Runs by operation, hardware, source, status and time, newest first.",
         .route = "listRuns"},
    Tool{.name = "list_operations",
         .title = "Operations",
         .doc = "Operations by family or tag, most measured first.",
         .route = "listOperations"},
    Tool{.name = "list_hardware",
         .title = "Hardware",
         .doc = "Products that were measured on: runs, operations and families of each.",
         .route = "listHardware"},
    Tool{.name = "list_models",
         .title = "Models",
         .doc = "Models that operations or results of serving belong to.",
         .route = "listModels"},
    Tool{.name = "get_model",
         .title = "Model",
         .doc = "One model on one product: the fastest and the fastest usable implementation of "
                "each of its operations, and which operations nothing is ranked for there.",
         .route = "getModel"},
    Tool{.name = "list_changes",
         .title = "Changes",
         .doc = "Records taken, imports and corrections by day, newest first.",
         .route = "getFeed"},
    Tool{.name = "resolve_serving",
         .title = "Resolve serving",
         .doc = "Which configurations of served models keep bounds such as ttft_ms p99 <= 450, "
                "ranked within each comparison group; says why the others are out.",
         .route = "resolveServing",
         .input = Input::request},
    Tool{.name = "get_serving_run",
         .title = "Evidence of a serving run",
         .doc = "Everything behind one result of serving: model, stack, configuration, load, "
                "topology, measurements, caveats, source.",
         .route = "getServingRun"},
    Tool{.name = "validate_manifest",
         .title = "Validate a manifest",
         .doc =
             "Every problem of a manifest with its place and remedy; the digest when it is right.",
         .input = Input::own},
    Tool{.name = "get_manifest_schema",
         .title = "Manifest schema",
         .doc = "The JSON Schema of one kind of manifest.",
         .input = Input::own},
};

constexpr std::string_view kMaxBytes = "maxBytes";
constexpr std::string_view kIncludeSource = "includeSource";
constexpr std::array<std::string_view, 2> kFormats = {"yaml", "json"};

Called failed(const http::Problem& problem) {
  return {.failed = true, .json = json::to_json(problem)};
}

Called refused(std::string detail) {
  return failed(http::make_problem(400, "INVALID_REQUEST", std::move(detail)));
}

// ---- arguments

std::vector<std::string_view> known_arguments(const Tool& tool) {
  std::vector<std::string_view> known{kMaxBytes};
  if (tool.input == Input::parameters || tool.input == Input::request) {
    for (const api::Parameter& parameter : route_of(tool).parameters) {
      known.push_back(parameter.name);
    }
  }
  if (tool.input == Input::request) known.push_back("request");
  if (tool.name == "get_implementation") known.push_back(kIncludeSource);
  if (tool.name == "validate_manifest") known.insert(known.end(), {"content", "format"});
  if (tool.name == "get_manifest_schema") known.push_back("kind");
  return known;
}

// What is wrong with the names of the arguments, "" when nothing. Those of a body the route judges.
std::string unknown_argument(const Tool& tool, const Value& arguments) {
  if (tool.input == Input::body) return {};
  const auto known = known_arguments(tool);
  for (const Member& member : arguments.members()) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    const auto near = nearest(member.key, known);
    return "unknown argument \"" + excerpt(member.key) + "\"" +
           (near.empty() ? "; known here: " + join({known.begin(), known.end()}, ", ")
                         : "; did you mean \"" + std::string(near) + "\"?");
  }
  return {};
}

// The largest answer that the caller wants; nullopt when that is no number of bytes.
std::optional<std::size_t> bytes_wanted(const Value& arguments) {
  constexpr std::int64_t kLeast = 1024;
  const Value* const given = arguments.find(kMaxBytes);
  if (given == nullptr) return static_cast<std::size_t>(kAnswerBytes);
  if (!given->is_number() || given->number() < kLeast ||
      given->number() > static_cast<double>(kAnswerBytesMax)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(given->number());
}

// What is wrong with includeSource, "" when nothing: it says in one word what include says.
std::string fault_of_include(const Value& arguments) {
  const Value* const given = arguments.find(kIncludeSource);
  if (given == nullptr) return {};
  if (!given->is_boolean()) return "includeSource is true or false";
  const Value* const include = arguments.find("include");
  if (include == nullptr || include->is_null() || given->boolean()) return {};
  return "includeSource is false and include asks for the source: leave one of them out";
}

std::string as_parameter(const Value& value) {
  if (value.is_string()) return std::string(value.string());
  std::string text;
  json::append_compact(text, value);
  return text;
}

// The request that asks the route what the arguments ask the tool.
http::Request request_of(const Tool& tool, const api::Route& route, const Value& arguments,
                         std::vector<std::string>& captures) {
  http::Request request;
  request.method = route.method;
  if (tool.input == Input::request) {
    const Value* const body = arguments.find("request");
    request.body = body == nullptr ? "{}" : as_parameter(*body);
  }
  if (tool.input == Input::body) {
    json::Writer body(request.body);
    body.begin_object();
    for (const Member& member : arguments.members()) {
      if (member.key != kMaxBytes) body.key(member.key).value(member.value);
    }
    body.end_object();
    return request;
  }
  for (const api::Parameter& parameter : route.parameters) {
    const Value* const given = arguments.find(parameter.name);
    if (parameter.in == api::In::path) {
      captures.push_back(given == nullptr ? "" : as_parameter(*given));
    } else if (given != nullptr && !given->is_null()) {
      request.parameters.emplace_back(parameter.name, as_parameter(*given));
    } else if (parameter.name == "include" && tool.name == "get_implementation") {
      const Value* const source = arguments.find(kIncludeSource);
      if (source != nullptr && source->boolean()) {
        request.parameters.emplace_back("include", "source");
      }
    }
  }
  return request;
}

// ---- calls

Called shortened(Called called, std::size_t bytes_max) {
  if (called.json.size() <= bytes_max) return called;
  const auto document = json::parse(called.json, json::kBundleLimits);
  KI_CHECK(document && document->root.is_object());
  called.json = shorten(document->root, bytes_max);
  return called;
}

// An answer with at most `bytes_max`; a page keeps all its rows or is asked for again with fewer,
// so that its cursor is right. Where not even one row of each list has room, the call fails and
// says how much it takes: a cursor past a row that was never shown would lose it.
class RouteCall {
 public:
  RouteCall(const Tool& tool, const Value& arguments, const query::Resolver& resolver,
            std::size_t bytes_max)
      : route_(route_of(tool)), resolver_(resolver), bytes_max_(bytes_max) {
    request_ = request_of(tool, route_, arguments, captures_);
  }

  Called run() {
    const bool paged = std::ranges::find(route_.parameters, "limit", &api::Parameter::name) !=
                       route_.parameters.end();
    if (!paged) return shortened(answer(), bytes_max_);
    auto limit = std::ranges::find(request_.parameters, "limit", &http::Parameter::first);
    if (limit == request_.parameters.end()) {
      request_.parameters.emplace_back("limit", std::to_string(kRows));
      limit = std::prev(request_.parameters.end());
    }
    for (;;) {
      Called called = answer();
      if (called.failed || called.json.size() <= bytes_max_) {
        return shortened(std::move(called), bytes_max_);
      }
      const auto rows = query::leading_integer(limit->second);
      const bool is_least = !rows || *rows <= 1;
      if (auto page = as_page(called, is_least)) return std::move(*page);
      if (is_least) return shortened(std::move(called), bytes_max_);
      limit->second = std::to_string(*rows / 2);
    }
  }

 private:
  // The page with all its rows, which has one row of each list where it `is_least`; nullopt where
  // fewer rows are to be asked for, or where the tool has no pages.
  std::optional<Called> as_page(const Called& called, bool is_least) const {
    if (route_.rows.empty()) return std::nullopt;
    const auto document = json::parse(called.json, json::kBundleLimits);
    KI_CHECK(document && document->root.is_object());
    const Value& page = document->root;
    if (auto text = shorten_page(page, route_.rows, Loss::ends, bytes_max_)) {
      return Called{.failed = false, .json = std::move(*text)};
    }
    if (!is_least) return std::nullopt;
    for (const Loss loss : {Loss::members, Loss::inside}) {
      if (auto text = shorten_page(page, route_.rows, loss, bytes_max_)) {
        return Called{.failed = false, .json = std::move(*text)};
      }
    }
    return refused("a page of one row does not fit into maxBytes " + std::to_string(bytes_max_) +
                   ": give at least " + std::to_string(called.json.size()));
  }

  Called answer() {
    const auto arguments = api::check(route_.parameters, captures_, request_);
    if (!arguments) return failed(http::problem_of(arguments.error()));
    const api::Answer answer = route_.handler(resolver_, *arguments);
    if (!answer) return failed(answer.error());
    return {.failed = false, .json = answer->json};
  }

  const api::Route& route_;
  const query::Resolver& resolver_;
  std::size_t bytes_max_;
  std::vector<std::string> captures_;
  http::Request request_;
};

void write_issues(json::Writer& out, const Issues& issues) {
  out.key("errors").begin_array();
  for (const Issue& issue : issues) {
    out.begin_object().key("pointer").string(issue.pointer).key("code").string(issue.code);
    out.key("detail").string(issue.message);
    if (issue.place.line > 0) {
      out.key("line").integer(static_cast<std::int64_t>(issue.place.line));
      out.key("column").integer(static_cast<std::int64_t>(issue.place.column));
    }
    out.end_object();
  }
  out.end_array();
}

// "kind" as the text says it, where it is one document that names one of the kinds, else null.
void write_kind(json::Writer& out, std::string_view text, std::string_view format) {
  const auto said = [](const std::expected<json::Document, Issues>& document) {
    const Value* const kind =
        document && document->root.is_object() ? document->root.find("kind") : nullptr;
    const bool is_known =
        kind != nullptr && kind->is_string() && manifest::parse_kind(kind->string());
    return is_known ? std::string(kind->string()) : std::string();
  };
  std::string kind;
  if (format == kFormats[0]) {
    auto documents = json::parse_yaml(text);
    if (documents && documents->size() == 1) kind = said(std::move(documents->front()));
  } else {
    kind = said(json::parse(text));
  }
  out.key("kind");
  kind.empty() ? out.null() : out.string(kind);
}

Called validate_manifest(const Value& arguments, std::size_t bytes_max) {
  const Value* const content = arguments.find("content");
  if (content == nullptr || !content->is_string()) return refused("content is the manifest's text");
  if (content->string().size() > static_cast<std::size_t>(kManifestBytesMax)) {
    return refused("content has at most " + std::to_string(kManifestBytesMax) + " bytes");
  }
  const Value* const given = arguments.find("format");
  const std::string_view format = given == nullptr     ? kFormats[0]
                                  : given->is_string() ? given->string()
                                                       : "";
  if (std::ranges::find(kFormats, format) == kFormats.end()) {
    return refused("format is yaml or json");
  }
  const manifest::Documents documents =
      manifest::read_documents(content->string(), "manifest." + std::string(format));
  std::string text;
  json::Writer out(text);
  out.begin_object().key("valid").boolean(documents.issues.empty() && !documents.entries.empty());
  const bool is_one = documents.entries.size() == 1 && documents.issues.empty();
  if (is_one) {
    const manifest::Manifest& manifest = documents.entries.front().manifest;
    out.key("kind").string(name_of(manifest.kind()));
    out.key("specDigest").string(to_string(manifest.digest()));
  } else {
    write_kind(out, content->string(), format);
  }
  write_issues(out, documents.issues);
  out.key("manifests").begin_array();
  for (const manifest::Entry& entry : documents.entries) {
    out.begin_object().key("kind").string(name_of(entry.manifest.kind()));
    out.key("name").string(entry.manifest.name());
    out.key("specDigest").string(to_string(entry.manifest.digest())).end_object();
  }
  out.end_array().end_object();
  return shortened({.failed = false, .json = std::move(text)}, bytes_max);
}

Called get_manifest_schema(const Value& arguments, std::size_t bytes_max) {
  const Value* const kind = arguments.find("kind");
  const auto parsed = kind != nullptr && kind->is_string() ? manifest::parse_kind(kind->string())
                                                           : std::optional<manifest::Kind>{};
  if (parsed) {
    const auto schema = json::parse(manifest::json_schema(*parsed));
    KI_CHECK(schema.has_value());
    std::string text;  // in one line, as messages are
    json::append_compact(text, schema->root);
    return shortened({.failed = false, .json = std::move(text)}, bytes_max);
  }
  std::vector<std::string> names;
  for (const auto one : manifest::all_kinds()) names.emplace_back(manifest::name_of(one));
  return refused("kind is one of " + join(names, ", "));
}

}  // namespace

std::span<const Tool> tools() { return kTools; }

const Tool* find_tool(std::string_view name) {
  const auto at = std::ranges::find(kTools, name, &Tool::name);
  return at == kTools.end() ? nullptr : &*at;
}

Called call(const Tool& tool, const json::Value& arguments, const query::Resolver& resolver) {
  if (std::string fault = unknown_argument(tool, arguments); !fault.empty()) {
    return refused(std::move(fault));
  }
  if (tool.name == "get_implementation") {
    if (std::string fault = fault_of_include(arguments); !fault.empty()) {
      return refused(std::move(fault));
    }
  }
  const auto bytes = bytes_wanted(arguments);
  if (!bytes) {
    return refused("maxBytes is a number, 1024 to " + std::to_string(kAnswerBytesMax));
  }
  if (tool.name == "validate_manifest") return validate_manifest(arguments, *bytes);
  if (tool.name == "get_manifest_schema") return get_manifest_schema(arguments, *bytes);
  return RouteCall(tool, arguments, resolver, *bytes).run();
}

}  // namespace ki::mcp
