// The documents of the project, and what its tables say of the API and of the tools for agents.

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "api/openapi.h"
#include "api/routes.h"
#include "base/embedded.h"
#include "json/read.h"
#include "mcp/tools.h"
#include "web/markdown.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::embedded {
std::span<const File> documents();  // made by ki_embed()
}

namespace ki::web {
namespace {

struct Entry {
  std::string_view group;
  std::string_view name;  // of the address and, with ".md", of the file; "api" and "types" are made
  std::string_view title;
  std::string_view says;
};

constexpr std::array kEntries = {
    Entry{"Start", "quickstart", "Quickstart", "From a checkout to an answer"},
    Entry{"Start", "first-answer", "Publishing your own", "From your figures to an answer"},
    Entry{"Start", "importing", "Importing", "What goes in, what is kept, what happens to repeats"},
    Entry{"Start", "self-hosting", "Self-hosting", "One program, one file: serving it to others"},
    Entry{"Asking", "search", "Query syntax", "Words, facets, and how a question is answered"},
    Entry{"Asking", "command-line", "Command line", "Every command, outputs, exit status"},
    Entry{"Asking", "api", "API", "Every route, its parameters and answers"},
    Entry{"Asking", "types", "Types of the API", "Every field of every answer"},
    Entry{"Asking", "agents", "Agents (MCP)", "Tools for models, and rules for claims"},
    Entry{"Method", "trust", "Evidence levels", "How far a number can be trusted"},
    Entry{"Method", "ranking", "Ranking", "Ties, winners, doubt, records"},
    Entry{"Method", "protocols", "Protocols", "How ki bench measures"},
    Entry{"Method", "statistics", "Statistics", "When one of our own measurements is faster"},
    Entry{"Method", "serving", "Serving", "How results of model servers are compared"},
    Entry{"Formats", "manifest", "Manifests", "Every kind and field"},
    Entry{"Formats", "canonical", "Canonical form", "What a digest is made of"},
    Entry{"Formats", "bundle", "Bundles", "Several manifests in one file"},
    Entry{"Formats", "evidence", "Evidence", "What a runner signs of a session"},
    Entry{"Formats", "database", "Database", "The tables of a catalog"},
    Entry{"Formats", "samples", "Samples", "Every time measured of a run"},
    Entry{"Formats", "worker", "Worker", "How ki bench measures a process that times itself"},
    Entry{"Formats", "snapshot", "Snapshot", "Answers in one mapped file"}};

const Entry* find_entry(std::string_view name) {
  const auto* const found = std::ranges::find(kEntries, name, &Entry::name);
  return found == kEntries.end() ? nullptr : found;
}

std::string_view file_text(std::string_view name) {
  const auto files = embedded::documents();
  const auto found = std::ranges::find(files, std::string(name) + ".md", &embedded::File::name);
  return found == files.end() ? std::string_view() : found->bytes;
}

// "../method/ranking.md#ties" leads to the page of that document; what has none is no link.
Url target_of(std::string_view target) {
  if (const Url outside = Url::outside(target); !outside.empty()) return outside;
  const std::size_t hash = target.find('#');
  const std::string_view fragment = hash == std::string_view::npos ? "" : target.substr(hash + 1);
  std::string_view path = target.substr(0, hash);
  if (path.empty()) return Url::fragment(fragment);
  path.remove_prefix(path.rfind('/') + 1);
  if (path.ends_with(".md")) path.remove_suffix(3);
  if (find_entry(path) == nullptr) return Url::outside("");
  return fragment.empty() ? docs_url(path) : docs_url(path).at(fragment);
}

Html side(std::string_view current) {
  Html html;
  html.add(R"(<nav class="side sticky" aria-label="Documents">)");
  std::string_view group;
  for (const Entry& entry : kEntries) {
    if (entry.group != group) {
      if (!group.empty()) html.add("</ul>");
      html.add("<p class=\"meta\">{}</p><ul>", entry.group);
      group = entry.group;
    }
    if (entry.name == current) {
      html.add(R"(<li><a href="{}" aria-current="page">{}</a></li>)", docs_url(entry.name),
               entry.title);
    } else {
      html.add(R"(<li><a href="{}">{}</a></li>)", docs_url(entry.name), entry.title);
    }
  }
  return html.add("</ul></nav>");
}

// ---- the API, from the table of routes

std::string_view method_name(const api::Route& route) {
  return route.method == http::Method::post ? "POST" : "GET";
}

std::string range_text(const api::Parameter& parameter) {
  std::string text;
  switch (parameter.type) {
    case api::ParameterType::text:
    case api::ParameterType::cursor:
      text = fmt::format("text, at most {} characters", parameter.maximum);
      break;
    case api::ParameterType::integer:
      text = fmt::format("{} to {}", parameter.minimum, parameter.maximum);
      break;
    case api::ParameterType::instant:
      text = "an instant, as 2026-01-31T00:00:00Z";
      break;
    case api::ParameterType::choice:
      text = "one of " + join({parameter.choices.begin(), parameter.choices.end()}, ", ");
      break;
  }
  if (!parameter.initial.empty()) text += "; " + std::string(parameter.initial) + " unless said";
  return text;
}

Html parameter_rows(const api::Route& route) {
  Html html;
  for (const api::Parameter& one : route.parameters) {
    html.add(R"(<tr><th scope="row"><code>{}</code></th><td>{}</td><td>{}</td></tr>)", one.name,
             range_text(one), one.doc);
  }
  return html;
}

Html type_link(const json::Value* schema) {
  Html html;
  if (schema == nullptr) return html;
  if (const json::Value* ref = schema->find("$ref")) {
    std::string_view name = ref->string();
    name.remove_prefix(name.rfind('/') + 1);
    return html.add(R"(<a href="{}">{}</a>)", docs_url("types").at(name), name);
  }
  if (const json::Value* items = schema->find("items")) {
    return html.add("list of {}", type_link(items));
  }
  for (const std::string_view several : {"anyOf", "oneOf"}) {
    const json::Value* list = schema->find(several);
    if (list == nullptr || !list->is_array()) continue;
    std::string_view between;
    for (const json::Value& one : list->items()) {
      html.add("{}{}", between, type_link(&one));
      between = " or ";
    }
    return html;
  }
  const json::Value* type = schema->find("type");
  if (type == nullptr) return html.add("any");
  if (type->is_string()) return html.add("{}", type->string());
  std::string_view between;
  for (const json::Value& one : type->items()) {
    html.add("{}{}", between, one.string());
    between = " or ";
  }
  return html;
}

const json::Value* step(const json::Value* value, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    if (value != nullptr) value = value->find(name);
  }
  return value;
}

Html schema_link(const json::Value& document, const api::Route& route, bool is_body) {
  const std::string_view method = route.method == http::Method::post ? "post" : "get";
  const json::Value* at = step(&document, {"paths", route.pattern, method});
  if (is_body) {
    return type_link(step(at, {"requestBody", "content", "application/json", "schema"}));
  }
  const std::string status = std::to_string(route.status);
  return type_link(step(at, {"responses", status, "content", "application/json", "schema"}));
}

Html route_section(const json::Value& document, const api::Route& route) {
  Html html;
  html.add(R"(<section id="{}"><h2><code>{} {}{}</code></h2><p>{}.</p>)", route.id,
           method_name(route), api::kBase, route.pattern, route.doc);
  const Html rows = parameter_rows(route);
  if (!rows.empty()) {
    html.add(R"(<table><caption>Parameters</caption><thead><tr><th scope="col">Name</th>)"
             R"(<th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>)"
             R"(<tbody>{}</tbody></table>)",
             rows);
  }
  std::string key;
  if (route.keyed != nullptr) {
    key = route.scope.empty() ? "any" : "with the scope " + std::string(route.scope);
  }
  html.add("{}</section>",
           facts(std::vector<Fact>{{"body", schema_link(document, route, true)},
                                   {"answer", schema_link(document, route, false)},
                                   {"status", text_value(std::to_string(route.status))},
                                   {"key", text_value(key)}}));
  return html;
}

Html api_body(const json::Value& document) {
  Html list;
  Html sections;
  for (const api::Route& route : api::routes()) {
    list.add(R"(<tr><th scope="row"><a href="{}"><code>{} {}</code></a></th><td>{}</td></tr>)",
             Url::fragment(route.id), method_name(route), route.pattern, route.doc);
    sections.add("{}", route_section(document, route));
  }
  Html html;
  html.add(
      R"(<h1>API</h1><p>JSON over HTTP below <code>{}</code>. Reading needs no key. Failures )"
      R"(are problem documents (RFC 9457) with a stable code; answers have strong ETags. The )"
      R"(machine-readable description is <a href="/api/v1/openapi.json">OpenAPI 3.1</a>, made )"
      R"(from the same table as this page.</p>)",
      api::kBase);
  return html.add(R"(<table class="{}"><caption>Routes</caption><thead><tr>)"
                  R"(<th scope="col">Route</th><th scope="col">Answers</th></tr></thead>)"
                  R"(<tbody>{}</tbody></table>{})",
                  filter_class(api::routes().size()), list, sections);
}

Html types_body(const json::Value& document) {
  Html html;
  html.add(
      "<h1>Types of the API</h1><p>What the answers are made of, by name. A field that may be "
      "null says so in its type.</p>");
  const json::Value* schemas = step(&document, {"components", "schemas"});
  if (schemas == nullptr) return html;
  for (const json::Member& schema : schemas->members()) {
    Html rows;
    const json::Value* properties = schema.value.find("properties");
    if (properties == nullptr) continue;
    for (const json::Member& field : properties->members()) {
      const json::Value* says = field.value.find("description");
      rows.add(R"(<tr><th scope="row"><code>{}</code></th><td>{}</td><td>{}</td></tr>)", field.key,
               type_link(&field.value), says == nullptr ? "" : says->string());
    }
    html.add(
        R"(<section id="{}"><h2>{}</h2><table><thead><tr><th scope="col">Field</th>)"
        R"(<th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>{}</tbody>)"
        R"(</table></section>)",
        schema.key, schema.key, rows);
  }
  return html;
}

Html tool_table() {
  Html rows;
  for (const mcp::Tool& tool : mcp::tools()) {
    rows.add(R"(<tr><th scope="row"><code>{}</code></th><td>{}</td></tr>)", tool.name, tool.doc);
  }
  Html html;
  return html.add(R"(<h2 id="tools">Tools</h2><table><thead><tr><th scope="col">Tool</th>)"
                  R"(<th scope="col">What it does</th></tr></thead><tbody>{}</tbody></table>)",
                  rows);
}

Html body_of(const Entry& entry) {
  if (entry.name != "api" && entry.name != "types") {
    Document document = read_markdown(file_text(entry.name), target_of);
    if (entry.name == "agents") document.body.add("{}", tool_table());
    return std::move(document.body);
  }
  const auto openapi = json::parse(api::openapi_document());
  KI_CHECK(openapi.has_value());
  return entry.name == "api" ? api_body(openapi->root) : types_body(openapi->root);
}

// The bodies of all documents, made once: they are the same for every reader.
const Html& document_body(const Entry& entry) {
  static const std::vector<Html> bodies = [] {
    std::vector<Html> all;
    for (const Entry& one : kEntries) all.push_back(body_of(one));
    return all;
  }();
  return bodies[static_cast<std::size_t>(&entry - kEntries.data())];
}

}  // namespace

std::vector<std::string_view> document_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

Page docs_page() {
  Html body;
  body.add("<h1>Documentation</h1>");
  std::string_view group;
  for (const Entry& entry : kEntries) {
    if (entry.group != group) {
      if (!group.empty()) body.add("</dl></section>");
      body.add(R"(<section><h2>{}</h2><dl class="facts">)", entry.group);
      group = entry.group;
    }
    body.add(R"(<div><dt><a href="{}">{}</a></dt><dd>{}</dd></div>)", docs_url(entry.name),
             entry.title, entry.says);
  }
  body.add("</dl></section>");
  return {.title = "Documentation",
          .body = std::move(body),
          .description = "How to ask, how answers are made, how to keep a catalog.",
          .current = "Docs",
          .canonical = docs_url()};
}

std::optional<Page> document_page(std::string_view name) {
  const Entry* entry = find_entry(name);
  if (entry == nullptr) return std::nullopt;
  Html body;
  body.add(R"(<div class="columns with-nav">{}<div class="prose wide-prose">{}</div></div>)",
           side(name), document_body(*entry));
  Page page{.title = std::string(entry->title) + " · Documentation",
            .body = std::move(body),
            .description = std::string(entry->says),
            .current = "Docs",
            .canonical = docs_url(name)};
  if (name == "api" || name == "types") page.json = api_url({"openapi.json"});
  return page;
}

Page legal_page(const query::SourcesList& sources, const Context& context) {
  Html body;
  body.add(R"(<div class="prose">{}</div><h2 id="sources">Sources and licences of the data</h2>{})",
           read_markdown(file_text("legal"), target_of).body, sources_table(sources.sources));
  const Url json = api_url({"sources"});
  return {.title = "Legal",
          .body = std::move(body),
          .description = "Licences of the program and of the data, attribution, corrections.",
          .canonical = legal_url(),
          .json = json,
          .commands = {curl_command(context, json), "ki sources"}};
}

}  // namespace ki::web
