// Every list of the API, as the table of routes has them: its pages together are the list, whatever
// their size, and no list is without pages unless it is said here why.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "api/routes.h"
#include "json/write.h"
#include "tests/contract/site.h"

namespace ki::contract {
namespace {

struct Ask {
  std::string target;     // below the base, with "?" and the filters
  std::string body = {};  // of a POST
};

const Site& site() { return Site::get(); }

std::string base(const std::string& rest) { return std::string(api::kBase) + rest; }

std::string first(const std::string& target, std::string_view list, std::string_view member) {
  const auto all = texts_of(site(), base(target), list, member);
  return all.empty() ? "" : encoded(all.front());
}

// The name that is in most of the given list: what has much has many pages.
std::string of_a_run(const std::string& operation, std::string_view member) {
  return first("/runs?limit=1&operation=" + operation, "runs", member);
}

// What to ask of each route that has pages, so that there are several. A route that is not here
// fails the test.
const std::map<std::string_view, std::vector<Ask>>& asks() {
  static const auto kAll = [] {
    const std::string operation = first("/operations?limit=1", "operations", "slug");
    const std::string implementation = of_a_run(operation, "implementation");
    const std::string model = first("/models?limit=1", "kernel", "model");
    const auto dossier = parsed(site().ask(base("/implementations/" + implementation)));
    const std::string project(dossier.root.find("project")->find("slug")->string());
    std::map<std::string_view, std::vector<Ask>> all = {
        {"search",
         {{"/search?q=op:" + operation},
          {"/search?q="},
          {"/search?q=nvidia"},
          {"/search?q=family:gemm"}}},
        {"resolveKernel", {{"/resolve/kernel?", R"({"operation":{"name":")" + operation + "\"}}"}}},
        {"resolveServing", {{"/resolve/serving?", "{}"}}},
        {"listServingRuns", {{"/serving-runs?"}}},
        {"listServingConfigurations", {{"/serving-configurations?"}}},
        {"getServingOverview", {{"/serving?"}}},
        {"listRuns",
         {{"/runs?operation=" + operation},
          {"/runs?status=runtime_error"},
          {"/runs?status=pending"},
          {"/runs?trust=verified"}}},
        {"listOperations", {{"/operations?"}, {"/operations?family=gemm"}}},
        {"getOperation", {{"/operations/" + operation + "?"}}},
        {"getImplementation",
         {{"/implementations/" + implementation + "?"},
          {"/implementations/" + implementation + "?include=source"}}},
        {"listRecords",
         {{"/records?"}, {"/records?history=0"}, {"/records?sort=since&with=source"}}},
        {"getRecord", {{"/records/" + first("/records?limit=1", "records", "cohortKey") + "?"}}},
        {"listProjects", {{"/projects?"}, {"/projects?sort=records"}}},
        {"getProject", {{"/projects/" + project + "?"}}},
        {"getHardware", {{"/hardware/" + first("/hardware?limit=1", "hardware", "slug") + "?"}}},
        {"listHardware", {{"/hardware?"}}},
        {"listModels", {{"/models?"}}},
        {"listSources", {{"/sources?"}}},
        {"listRunners", {{"/runners?"}}},
        {"getFeed",
         {{"/feed?since=2020-01-01T00:00:00Z"},
          {"/feed?since=2020-01-01T00:00:00Z&include=restored"}}}};
    // The registry names no model.
    all["getModel"] =
        model.empty() ? std::vector<Ask>() : std::vector<Ask>{{"/models/" + model + "?"}};
    return all;
  }();
  return kAll;
}

// ---- an answer and its rows

using Lists = std::map<std::string, std::vector<std::string>>;

std::string text_of(const json::Value& value) {
  std::string text;
  json::append_compact(text, value);
  return text;
}

// In the order in which a page shows them; of a group, each entry.
void collect(const json::Value& value, const std::string& place, Lists& rows) {
  if (value.is_object()) {
    for (const json::Member& list : value.members()) {
      collect(list.value, place + "/" + std::string(list.key), rows);
    }
  } else if (value.is_array()) {
    auto& list = rows[place];
    for (const json::Value& row : value.items()) {
      const json::Value* entries = row.is_object() ? row.find("entries") : nullptr;
      entries == nullptr ? list.push_back(text_of(row)) : collect(*entries, place, rows);
    }
  }
}

// What a page says beside its rows and where it stands among the others.
std::string rest_of(const json::Value& page, const api::Rows& rows) {
  static const std::set<std::string_view> kOfThePage = {"nextCursor", "limit", "overflow",
                                                        "generatedAt"};
  std::string out;
  if (!page.is_object()) return out;
  for (const json::Member& member : page.members()) {
    if (kOfThePage.contains(member.key) || std::ranges::find(rows, member.key) != rows.end())
      continue;
    out += std::string(member.key) + "=" + text_of(member.value) + "\n";
  }
  return out;
}

// The cursor of the next page, in the answer or in its header; "" on the last.
std::string next_of(const tests::Answer& answer, const json::Value& page) {
  if (page.is_object()) {
    const json::Value* next = page.find("nextCursor");
    return next == nullptr || next->is_null() ? "" : encoded(next->string());
  }
  const std::string link(answer.header("Link"));
  constexpr std::string_view kStart = "cursor=";
  const auto at = link.find(kStart);
  if (at == std::string::npos) return "";
  return link.substr(at + kStart.size(), link.find_first_of("&>", at) - at - kStart.size());
}

struct Paged {
  Lists rows;
  std::string rest;  // of the first page
  int pages = 0;
};

Paged paged(const api::Route& route, const Ask& ask, std::int64_t limit) {
  Paged out;
  std::string cursor;
  for (; out.pages < 5000; ++out.pages) {
    const std::string target = base(ask.target) + "&limit=" + std::to_string(limit) +
                               (cursor.empty() ? "" : "&cursor=" + cursor);
    const auto answer =
        route.method == http::Method::post ? site().post(target, ask.body) : site().ask(target);
    EXPECT_EQ(answer.status, 200) << target << answer.body.substr(0, 400);
    if (answer.status != 200) return out;
    const auto document = parsed(answer);
    Lists shown;
    for (const std::string_view name : route.rows) {
      const json::Value* list = name.empty() ? &document.root : document.root.find(name);
      EXPECT_NE(list, nullptr) << target << " lacks " << name;
      if (list != nullptr) collect(*list, std::string(name), shown);
    }
    for (auto& [name, rows] : shown) {
      EXPECT_LE(std::ssize(rows), limit) << target << " " << name;
      auto& all = out.rows[name];
      all.insert(all.end(), rows.begin(), rows.end());
    }
    const std::string rest = rest_of(document.root, route.rows);
    if (out.pages == 0) out.rest = rest;
    EXPECT_EQ(rest, out.rest) << target << ": what is no row is the same on every page";
    cursor = next_of(answer, document.root);
    if (cursor.empty()) return out;
  }
  ADD_FAILURE() << ask.target << " never ends";
  return out;
}

std::size_t longest(const Lists& lists) {
  std::size_t most = 0;
  for (const auto& [name, rows] : lists) most = std::max(most, rows.size());
  return most;
}

const api::Parameter* parameter(const api::Route& route, std::string_view name) {
  const auto at = std::ranges::find(route.parameters, name, &api::Parameter::name);
  return at == route.parameters.end() ? nullptr : &*at;
}

TEST(Lists, ThePagesOfEachAreTheList) {
  int several = 0;
  for (const api::Route& route : api::routes()) {
    if (route.rows.empty()) continue;
    const auto found = asks().find(route.id);
    ASSERT_NE(found, asks().end()) << route.id << ": say in asks() what to ask";
    for (const Ask& ask : found->second) {
      SCOPED_TRACE(ask.target);
      const Paged whole = paged(route, ask, parameter(route, "limit")->maximum);
      const std::size_t rows = longest(whole.rows);
      for (const std::int64_t limit : {1, 3, 7, 50}) {
        constexpr std::size_t kPagesMax = 250;  // or it takes too long
        if (rows / static_cast<std::size_t>(limit) > kPagesMax) continue;
        const Paged pages = paged(route, ask, limit);
        EXPECT_EQ(pages.rows, whole.rows) << route.id << " by " << limit;
        EXPECT_EQ(pages.rest, whole.rest) << route.id << " by " << limit;
        several += pages.pages > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(several, 20) << "what has one page proves nothing";
}

TEST(Lists, EachHasALimitACursorAndFields) {
  for (const api::Route& route : api::routes()) {
    const bool has_pages = !route.rows.empty();
    EXPECT_EQ(parameter(route, "cursor") != nullptr, has_pages) << route.id;
    EXPECT_EQ(parameter(route, "fields") != nullptr, has_pages) << route.id;
    EXPECT_TRUE(!has_pages || parameter(route, "limit") != nullptr) << route.id;
  }
}

// ---- what has no pages

// Lists of objects that a route gives whole, and what bounds each.
const std::map<std::string, std::string> kWhole = {
    {"compareRuns.fields", "facts that are compared"},
    {"compareRuns.runs", "2 to 8"},
    {"getCoverage.sources", "those of /sources, which has pages"},
    {"getImplementation.deployability", "requirements of use"},
    {"getModel.gpus", "products"},
    {"getModel.notApplied", "parameters of the route"},
    {"getModel.sources", "sources of one answer"},
    {"getOperation.notApplied", "parameters of the route"},
    {"getOperation.sources", "sources of one answer"},
    {"getProject.sources", "sources of one answer"},
    {"getRun.artifacts", "of one manifest"},
    {"getRun.attestations", "the newest 100"},
    {"getRun.environment", "of one manifest"},
    {"getRun.labels", "of one manifest"},
    {"getRun.measurements", "of one manifest"},
    {"getRun.pendingReasons", "objects that a run names"},
    {"getRun.protocol", "of one manifest"},
    {"getServingRun.measurements", "of one manifest"},
    {"getWinners.cells", "values of two axes, each bounded"},
    {"getWinners.flips", "neighbours among the cells"},
    {"getWinners.series", "256"},
    {"listOperations.notApplied", "parameters of the route"},
    {"listRecords.notApplied", "parameters of the route"},
    {"listRunners.protocols", "those that this program has"},
    {"listRuns.notApplied", "parameters of the route"},
    {"listServingRuns.notApplied", "parameters of the route"},
    {"resolveKernels.results", "one for each request, 100"},
    {"resolveTrace.implementations", "bounded, with implementationsTotal"},
    {"resolveTrace.incomparableBecause", "kinds of reasons"},
    {"resolveTrace.refused", "bounded, with refusedTotal"},
    {"resolveTrace.shapes", "as many as limit says, 10,000 at most, with shapesTotal"},
    {"search.cohortOptions", "of one workload; getOperation has them in pages"},
    {"search.facets", "words of the query"},
    {"search.fastestBlockedBy", "requirements of use"},
    {"search.fastestByLanguage", "16"},
    {"search.issues", "words of the query"},
    {"search.named", "8 of a kind"},
    {"search.readings", "words of the query"},
    {"search.related", "operations of one meaning"},
    {"search.sources", "sources of one answer"},
    {"search.variants", "products of one name"},
};

class Schemas {
 public:
  Schemas() : answer_(site().ask("/api/v1/openapi.json")), document_(parsed(answer_)) {}

  // The members of an answer that are lists of objects; "" is the answer itself.
  std::set<std::string> lists_of(const api::Route& route) const {
    const json::Value* operation = document_.root.find("paths")->find(route.pattern);
    operation = operation->find(route.method == http::Method::post ? "post" : "get");
    const json::Value* content =
        operation->find("responses")->find(std::to_string(route.status))->find("content");
    std::set<std::string> out;
    if (content == nullptr) return out;
    const json::Value& schema = resolved(*content->find("application/json")->find("schema"));
    if (is_list(schema)) out.insert("");
    const json::Value* properties = schema.find("properties");
    if (properties == nullptr) return out;
    for (const json::Member& member : properties->members()) {
      if (is_list(resolved(member.value))) out.emplace(member.key);
    }
    return out;
  }

 private:
  // Through "$ref", "allOf" and "or null".
  const json::Value& resolved(const json::Value& schema) const {
    if (const json::Value* reference = schema.find("$ref")) {
      const std::string_view path = reference->string();
      const auto name = path.substr(path.rfind('/') + 1);
      return resolved(*document_.root.find("components")->find("schemas")->find(name));
    }
    for (const char* key : {"allOf", "anyOf"}) {
      if (const json::Value* parts = schema.find(key)) return resolved(parts->items()[0]);
    }
    return schema;
  }
  bool is_list(const json::Value& schema) const {
    const json::Value* items = schema.find("items");
    return items != nullptr && resolved(*items).find("properties") != nullptr;
  }

  tests::Answer answer_;
  json::Document document_;
};

TEST(Lists, OneWithoutPagesIsBoundedByWhatIsSaidHere) {
  const Schemas schemas;
  std::set<std::string> unused;
  for (const auto& [name, bound] : kWhole) unused.insert(name);
  for (const api::Route& route : api::routes()) {
    for (const std::string& list : schemas.lists_of(route)) {
      // A request as structure has the answer of a query.
      const std::string_view id = route.id == "resolveKernel" ? "search" : route.id;
      const std::string name = std::string(id) + "." + list;
      unused.erase(name);
      if (std::ranges::find(route.rows, list) != route.rows.end()) continue;
      EXPECT_TRUE(kWhole.contains(name))
          << name << " has no pages: give it some, or its bound here";
    }
  }
  EXPECT_TRUE(unused.empty()) << "there is no list " << *unused.begin();
}

// ---- other promises

TEST(Lists, AreWholeWhereNoPageIsAskedFor) {
  for (const char* id : {"listOperations", "listHardware", "listModels", "listSources",
                         "listRunners", "getServingOverview", "getModel"}) {
    const auto route = std::ranges::find(api::routes(), std::string_view(id), &api::Route::id);
    for (const Ask& ask : asks().at(id)) {
      const auto document = parsed(site().ask(base(ask.target)));
      EXPECT_EQ(document.root.find("nextCursor"), nullptr) << id;
      Lists rows;
      for (const std::string_view name : route->rows) {
        collect(*document.root.find(name), std::string(name), rows);
      }
      EXPECT_EQ(rows, paged(*route, ask, 200).rows) << id;
    }
  }
}

TEST(Lists, ACursorIsGoodForItsFiltersOnly) {
  const auto document = parsed(site().ask("/api/v1/operations?limit=1"));
  const std::string cursor = encoded(document.root.find("nextCursor")->string());
  EXPECT_EQ(site().ask("/api/v1/operations?limit=5&cursor=" + cursor).status, 200);
  for (const char* other : {"/api/v1/operations?tag=x&cursor=", "/api/v1/hardware?cursor=",
                            "/api/v1/feed?cursor=", "/api/v1/serving-configurations?cursor="}) {
    const auto refused = site().ask(other + cursor);
    EXPECT_EQ(refused.status, 400) << other;
    EXPECT_NE(refused.body.find("INVALID_CURSOR"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find(R"("pointer":"/query/cursor")"), std::string::npos);
  }
}

// The dossier of an operation and the list of records gave all of the cohort and of the history.
TEST(Lists, WholeCohortsAndHistoriesAreForThoseWhoAsk) {
  for (const auto& slug : texts_of(site(), "/api/v1/operations", "operations", "slug")) {
    const auto document = parsed(site().ask("/api/v1/operations/" + encoded(slug)));
    for (const char* list : {"records", "workloads", "cohortOptions", "implementations"}) {
      const auto shown = document.root.find(list)->items().size();
      const auto total = document.root.find("totals")->find(list)->number();
      EXPECT_EQ(static_cast<double>(shown), std::min(total, 50.0)) << slug << " " << list;
    }
  }
  std::string most;
  std::size_t steps = 0;
  std::string cursor;
  do {
    const auto page = parsed(site().ask("/api/v1/records?limit=200&cursor=" + cursor));
    for (const json::Value& record : page.root.find("records")->items()) {
      const auto total = static_cast<std::size_t>(record.find("historyTotal")->number());
      EXPECT_EQ(record.find("history")->items().size(), std::min<std::size_t>(total, 5));
      if (total <= steps) continue;
      steps = total;
      most = encoded(record.find("cohortKey")->string());
    }
    const json::Value* next = page.root.find("nextCursor");
    cursor = next->is_null() ? "" : encoded(next->string());
  } while (!cursor.empty());
  EXPECT_TRUE(steps > 5 || !site().of_export()) << "a history that is cut";
  const auto one = parsed(site().ask("/api/v1/records/" + most + "?limit=200"));
  EXPECT_EQ(one.root.find("history")->items().size(), std::min<std::size_t>(steps, 200));
  EXPECT_EQ(site().ask("/api/v1/records/none").status, 404);
}

TEST(Lists, HardwareIsNamedByItsSlugToo) {
  const auto slugs = texts_of(site(), "/api/v1/hardware", "hardware", "slug");
  const auto models = texts_of(site(), "/api/v1/hardware", "hardware", "model");
  ASSERT_EQ(slugs.size(), models.size());
  for (std::size_t i = 0; i < slugs.size(); ++i) {
    for (const char* list :
         {"/api/v1/runs?fields=id&hardware=", "/api/v1/serving-runs?fields=id&hardware="}) {
      EXPECT_EQ(text_of(*parsed(site().ask(list + slugs[i])).root.find("runs")),
                text_of(*parsed(site().ask(list + encoded(models[i]))).root.find("runs")))
          << list << slugs[i];
    }
  }
}

TEST(Lists, ASourceCountsItsRunsOfServedModels) {
  const auto document = parsed(site().ask("/api/v1/sources"));
  int serving = 0;
  for (const json::Value& source : document.root.find("sources")->items()) {
    if (source.find("kind")->string() != "serving") continue;
    ++serving;
    for (const char* count : {"runs", "indexed", "breadth", "hardware"}) {
      EXPECT_GT(source.find(count)->number(), 0) << source.find("slug")->string() << " " << count;
    }
    EXPECT_FALSE(source.find("lastPublishedAt")->is_null());
  }
  EXPECT_GT(serving, 0);
}

}  // namespace
}  // namespace ki::contract
