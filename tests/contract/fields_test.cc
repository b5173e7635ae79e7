// Every answer holds every field of the public API, with its type and nullability: a client that
// was written for that API works against this one.
#include "tests/contract/fields.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/places.h"

namespace ki::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Faults faults_of(std::string_view rule, std::string_view value) {
  const auto rules = json::parse(rule);
  const auto values = json::parse(value);
  EXPECT_TRUE(rules && values);
  Faults out;
  check_fields(rules->root, values->root, "$", out);
  return out;
}

TEST(FieldRules, FindWhatIsMissingOfAnotherTypeOrNull) {
  constexpr std::string_view kRule = R"({"a":"string","b?":"number","c":["array",{"d":"boolean"}],
    "e":{"type":"string","nullable":true,"enum":["x"]},"f":{"nullable":true,"of":{"g":"any"}},
    "h":{"map":"number"},"type":{"type":"string","enum":["y"]}})";
  EXPECT_THAT(faults_of(kRule, R"({"a":"","c":[],"e":null,"f":null,"h":{},"type":"y","more":1})"),
              IsEmpty());
  EXPECT_THAT(
      faults_of(kRule, R"({"a":1,"b":null,"c":[{}],"e":"z","f":{},"h":{"k":"1"},"type":null})"),
      ElementsAre("$.a is 1, not a string", "$.b is null, not a number", "$.c[].d is missing",
                  R"($.e is "z", none of ["x"])", "$.f.g is missing",
                  R"($.h.* is "1", not a number)", "$.type is null, not a string"));
  EXPECT_THAT(faults_of(R"({"oneOf":[{"a":"number"},{"b":"string"}]})", R"({"b":"x"})"), IsEmpty());
  EXPECT_THAT(faults_of(R"({"oneOf":["number","string"]})", "true"),
              ElementsAre("$ is true, not a number"));
  EXPECT_THAT(faults_of(R"(["array","string"])", "{}"), ElementsAre("$ is {}, not a list"));
}

constexpr std::string_view kBase = "/api/v1";

std::string base(std::string_view rest) { return std::string(kBase) + std::string(rest); }

// Routes of the public API that this program does not have.
const std::set<std::string> kNotServed = {};

// Words that this program adds to closed sets of the public API: how the declaration of something
// never measured relates to the request (docs/method/search.md, section 4).
constexpr std::string_view kOwnWords[] = {R"(.match is "unknown", none of)",
                                          R"(.match is "incompatible", none of)"};

bool is_own_word(const std::string& fault) {
  return std::ranges::any_of(kOwnWords,
                             [&](std::string_view word) { return fault.contains(word); });
}

using Targets = std::vector<std::string>;

Targets each(std::string_view path, const std::vector<std::string>& names,
             std::string_view query = {}) {
  Targets out;
  for (const auto& name : names) {
    out.push_back(base(path) + "/" + encoded(name) + std::string(query));
  }
  return out;
}

void add(Targets& into, Targets more) {
  into.insert(into.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

// At most `count` of them, spread over the whole list, each once.
std::vector<std::string> some_of(std::vector<std::string> all, std::size_t count) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i * count / all.size() != (i + 1) * count / all.size() || all.size() <= count) {
      out.push_back(all[i]);
    }
  }
  return out;
}

// Addresses of each route, made from what the catalog holds.
class Addresses {
 public:
  explicit Addresses(const Site& site) : site_(site) {
    operations_ = texts_of(site, base("/operations"), "operations", "slug");
    for (const char* status : {"", "passed", "incorrect_numerical", "runtime_error"}) {
      const std::string target = base("/runs?limit=200&status=") + status;
      append(runs_, texts_of(site, target, "runs", "id"));
      append(implementations_, texts_of(site, target, "runs", "implementation"));
    }
    for (const auto& operation : some_of(operations_, 60)) {
      const std::string target = base("/runs?limit=20&operation=") + encoded(operation);
      append(runs_, texts_of(site, target, "runs", "id"));
      append(implementations_, texts_of(site, target, "runs", "implementation"));
    }
    models_ = texts_of(site, base("/models"), "kernel", "model");
    products_ = texts_of(site, base("/hardware"), "hardware", "model");
    sources_ = texts_of(site, base("/sources"), "sources", "slug");
  }

  Targets of(const std::string& route) const {
    static const std::map<std::string, Targets (Addresses::*)() const> kOwn = {
        {"/search", &Addresses::searches},
        {"/runs", &Addresses::run_lists},
        {"/runs/{idOrDigest}", &Addresses::runs},
        {"/operations", &Addresses::operation_lists},
        {"/operations/{idOrSlug}", &Addresses::operations},
        {"/implementations/{idOrSlug}", &Addresses::implementations},
        {"/projects/{slug}", &Addresses::projects},
        {"/models/{slug}", &Addresses::models},
        {"/records", &Addresses::record_lists},
        {"/feed", &Addresses::feeds},
        {"/serving-runs", &Addresses::serving_run_lists},
        {"/serving-runs/{id}", &Addresses::serving_runs},
    };
    const auto own = kOwn.find(route);
    if (own != kOwn.end()) return (this->*own->second)();
    return route.contains('{') ? Targets{} : Targets{base(route)};
  }

  // Two runs that can be compared.
  std::string comparison() const {
    return R"({"runs":[")" + runs_.at(0) + R"(",")" + runs_.at(1) + R"("]})";
  }

 private:
  static void append(std::vector<std::string>& into, const std::vector<std::string>& more) {
    into.insert(into.end(), more.begin(), more.end());
  }
  Targets searches() const {
    Targets out = {base("/search"), base("/search?q=no-such-kernel"), base("/search?q=attention"),
                   base("/search?q=family:gemm"), base("/search?q=rmsnorm%20h100%20bf16")};
    for (const auto& slug : some_of(operations_, 80)) {
      out.push_back(base("/search?q=op:") + encoded(slug));
      out.push_back(base("/search?limit=200&q=op:") + encoded(slug) + "%20seq:1000%20b200");
    }
    return out;
  }
  Targets run_lists() const {
    Targets out = {base("/runs"), base("/runs?limit=200"), base("/runs?status=runtime_error"),
                   base("/runs?since=2026-01-01T00:00:00Z")};
    for (const auto& source : sources_) out.push_back(base("/runs?source=") + encoded(source));
    for (const auto& product : products_) out.push_back(base("/runs?hardware=") + encoded(product));
    return out;
  }
  Targets runs() const { return each("/runs", some_of(runs_, 200)); }
  Targets operation_lists() const {
    return {base("/operations"), base("/operations?family=gemm"), base("/operations?tag=gemm")};
  }
  Targets operations() const {
    Targets out = each("/operations", some_of(operations_, 120));
    add(out, each("/operations", some_of(operations_, 5), "?workload=none&cohort=none"));
    return out;
  }
  Targets implementations() const {
    Targets out = each("/implementations", some_of(implementations_, 150));
    add(out, each("/implementations", some_of(implementations_, 20), "?include=source"));
    return out;
  }
  Targets projects() const {
    std::vector<std::string> slugs;
    for (const auto& slug : some_of(implementations_, 60)) {
      const auto document = parsed(site_.ask(base("/implementations/") + encoded(slug)));
      const json::Value* project = document.root.find("project");
      if (project != nullptr) slugs.emplace_back(project->find("slug")->string());
    }
    return each("/projects", some_of(std::move(slugs), 30));
  }
  Targets models() const {
    Targets out = each("/models", models_);
    for (const auto& product : products_) {
      add(out, each("/models", some_of(models_, 3), "?gpu=" + encoded(product)));
    }
    add(out, each("/models", some_of(models_, 3), "?gpu=none"));
    return out;
  }
  Targets record_lists() const { return {base("/records"), base("/records?limit=200")}; }
  Targets serving_run_lists() const {
    return {base("/serving-runs"), base("/serving-runs?limit=3"),
            base("/serving-runs?model=mlperf-llama2-70b")};
  }
  Targets serving_runs() const {
    return each("/serving-runs", texts_of(site_, base("/serving-runs?limit=200"), "runs", "id"));
  }
  Targets feeds() const { return {base("/feed"), base("/feed?since=2000-01-01T00:00:00Z")}; }

  const Site& site_;
  std::vector<std::string> operations_, runs_, implementations_, models_, products_, sources_;
};

// The rule for a successful answer; nullptr where it has no body.
const json::Value* rule_of(const json::Value& method) {
  const json::Value* responses = method.find("responses");
  for (const char* status : {"200", "201"}) {
    const json::Value* response = responses->find(status);
    if (response != nullptr) return response->find("application/json");
  }
  return nullptr;
}

class Contract : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = places::shared_data("contract/fields.json");
    if (!path) GTEST_SKIP() << "the field trees of the public API are not on this machine";
    std::ifstream in(*path);
    text_.assign(std::istreambuf_iterator<char>(in), {});
    auto document = json::parse(text_);
    ASSERT_TRUE(document) << to_string(document.error());
    fields_ = std::move(*document);
  }

  // The faults of one answer, each with its place; `seen` keeps those told already.
  static void report(const std::string& target, const tests::Answer& answer,
                     const json::Value& rule, std::set<std::string>& seen) {
    EXPECT_EQ(answer.status, 200) << target << "\n" << answer.body.substr(0, 400);
    if (answer.status != 200) return;
    const auto document = parsed(answer);
    Faults faults;
    check_fields(rule, document.root, "$", faults);
    for (const auto& fault : faults) {
      if (is_own_word(fault)) continue;
      if (seen.insert(fault).second) ADD_FAILURE() << target << ": " << fault;
    }
  }

  std::string text_;
  json::Document fields_;
};

TEST_F(Contract, EveryReadHoldsEveryFieldOfThePublicApi) {
  const Site& site = Site::get();
  const Addresses addresses(site);
  std::size_t answers = 0;
  for (const json::Member& route : fields_.root.members()) {
    const std::string name(route.key);
    const json::Value* get = route.value.find("GET");
    if (get == nullptr || kNotServed.contains(name)) continue;
    if (get->find("responses")->find("200") == nullptr) continue;  // an answer without fields
    const json::Value* rule = rule_of(*get);
    ASSERT_NE(rule, nullptr) << name;
    const Targets targets = addresses.of(name);
    // The registry names no model.
    EXPECT_TRUE(!targets.empty() || (!site.of_export() && name == "/models/{slug}"))
        << name << ": say in Addresses how to ask for it";
    std::set<std::string> seen;
    for (const std::string& target : targets) {
      report(target, site.ask(target), *rule, seen);
      ++answers;
    }
  }
  std::cout << answers << " answers hold the fields of the public API\n";
  EXPECT_GT(answers, 50U);
}

TEST_F(Contract, AComparisonHoldsEveryFieldOfThePublicApi) {
  const Site& site = Site::get();
  const json::Value* rule = rule_of(*fields_.root.find("/compare")->find("POST"));
  std::set<std::string> seen;
  const std::string target = base("/compare");
  report(target, site.post(target, Addresses(site).comparison()), *rule, seen);
}

TEST_F(Contract, AnswersAboutServedModelsHoldEveryFieldOfThePublicApi) {
  const Site& site = Site::get();
  const json::Value* rule = rule_of(*fields_.root.find("/resolve/serving")->find("POST"));
  std::set<std::string> seen;
  const std::string target = base("/resolve/serving");
  for (const std::string body :
       {"{}", R"({"model":"mlperf-llama2-70b","objective":{"direction":"maximize",
          "metric":"output_token_throughput_tps"},"constraints":[{"metric":"ttft_ms",
          "operator":"<=","value":2000},{"metric":"tpot_ms","statistic":"p99","operator":"<",
          "value":1}],"hardware":{"model":"mi325x","countMaximum":8}})",
        R"({"workload":"no-such"})"}) {
    report(target, site.post(target, body), *rule, seen);
  }
  EXPECT_EQ(site.post(target, "{}").header("Cache-Control"),
            "public, max-age=0, s-maxage=60, stale-while-revalidate=300");
  const auto wrong =
      site.post(target, R"({"objective":{"direction":"maximize","metric":"ttft_ms"}})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body.find("/objective/direction"), std::string::npos) << wrong.body;
}

TEST_F(Contract, WhatIsNotServedIsListedAndNothingElse) {
  const Site& site = Site::get();
  for (const json::Member& route : fields_.root.members()) {
    const std::string name(route.key);
    std::string path = name;
    for (auto at = path.find('{'); at != std::string::npos; at = path.find('{')) {
      path.replace(at, path.find('}', at) - at + 1, "x");
    }
    const bool read = route.value.find("GET") != nullptr;
    const auto answer = read ? site.ask(base(path)) : site.post(base(path), "{}");
    const json::Document problem = parsed(answer);
    const json::Value* code = problem.root.find("code");
    const bool unknown = code != nullptr && code->is_string() && code->string() == "NOT_FOUND";
    const bool served = answer.status != 405 && !unknown;
    EXPECT_EQ(served, !kNotServed.contains(name))
        << name << (served ? " is served: take it from kNotServed" : " is not served any more");
  }
}

}  // namespace
}  // namespace ki::contract
