// Every operation of the served OpenAPI document, asked with valid and with invalid input of each
// kind: what comes back is the answer it describes or a problem document.
#include <functional>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/schema.h"
#include "tests/contract/site.h"

namespace ki::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kBase = "/api/v1";

TEST(Schema, FindsWhatAnAnswerLacks) {
  const auto document = json::parse(R"({"s":{"type":"object","required":["a","b"],"properties":{
    "a":{"allOf":[{"type":"string"}]},"b":{"anyOf":[{"$ref":"#/t"},{"type":"null"}]}}},
    "t":{"type":"array","items":{"type":"integer"}}})");
  ASSERT_TRUE(document);
  const auto faults_of = [&](std::string_view text) {
    const auto value = json::parse(text);
    Faults out;
    check_schema(document->root, *document->root.find("s"), value->root, "$", out);
    return out;
  };
  EXPECT_THAT(faults_of(R"({"a":"","b":[1]})"), IsEmpty());
  EXPECT_THAT(faults_of(R"({"a":"","b":null})"), IsEmpty());
  EXPECT_THAT(faults_of(R"({"a":1,"c":1})"),
              ElementsAre("$.b is missing", "$.a is not of type string", "$.c is not described"));
  EXPECT_THAT(faults_of(R"({"a":"","b":[1.5]})"), ElementsAre("$.b[] is not of type integer"));
}

class OpenApi : public ::testing::Test {
 protected:
  struct Operation {
    std::string path;  // pattern
    bool post = false;
    const json::Value* node = nullptr;
  };

  void SetUp() override {
    answer_ = site_.ask("/api/v1/openapi.json");
    document_ = parsed(answer_);
    for (const json::Member& path : document_.root.find("paths")->members()) {
      for (const json::Member& method : path.value.members()) {
        operations_.push_back(
            {.path = std::string(path.key), .post = method.key == "post", .node = &method.value});
      }
    }
    ASSERT_GT(operations_.size(), 10U);
    names_ = {{"/operations/{idOrSlug}", first("/operations", "operations", "slug")},
              {"/implementations/{idOrSlug}", first("/runs", "runs", "implementation")},
              {"/runs/{idOrDigest}", first("/runs", "runs", "id")},
              {"/models/{slug}", first("/models", "kernel", "model")},
              {"/hardware/{slug}", first("/hardware", "hardware", "slug")},
              {"/serving-runs/{id}", first("/serving-runs", "runs", "id")}};
    names_["/runs/{idOrDigest}/attestations"] = names_["/runs/{idOrDigest}"];
    names_["/runs/{idOrDigest}/samples"] = site_.sampled_run();
    names_["/records/{cohortKey}"] = first("/records", "records", "cohortKey");
    names_["/operations/{idOrSlug}/winners"] = names_["/operations/{idOrSlug}"];
    const auto implementation = parsed(site_.ask(address("/implementations/{idOrSlug}")));
    names_["/projects/{slug}"] =
        std::string(implementation.root.find("project")->find("slug")->string());
  }

  std::string first(std::string_view list, std::string_view key, std::string_view member) {
    const auto all = texts_of(site_, std::string(kBase) + std::string(list), key, member);
    return all.empty() ? "" : all.front();
  }

  // The address of an operation, its path filled with something that is there; "" when nothing is.
  std::string address(const std::string& pattern) const {
    const auto open = pattern.find('{');
    if (open == std::string::npos) return std::string(kBase) + pattern;
    const auto name = names_.find(pattern);
    if (name == names_.end() || name->second.empty()) return "";
    return std::string(kBase) + pattern.substr(0, open) + encoded(name->second) +
           pattern.substr(pattern.find('}') + 1);
  }

  static std::string with(const std::string& address, std::string_view name,
                          std::string_view value) {
    return address + (address.contains('?') ? "&" : "?") + std::string(name) + "=" + encoded(value);
  }

  void expect_answer(const Operation& operation, const std::string& target,
                     const tests::Answer& answer) const {
    ASSERT_EQ(answer.status, 200) << target << "\n" << answer.body.substr(0, 400);
    const json::Value* schema = operation.node->find("responses")
                                    ->find("200")
                                    ->find("content")
                                    ->find("application/json")
                                    ->find("schema");
    const auto body = parsed(answer);
    Faults faults;
    check_schema(document_.root, *schema, body.root, "$", faults);
    EXPECT_THAT(std::set<std::string>(faults.begin(), faults.end()), IsEmpty()) << target;
  }

  void expect_problem(const std::string& target, const tests::Answer& answer) const {
    EXPECT_GE(answer.status, 400) << target << "\n" << answer.body.substr(0, 400);
    EXPECT_LT(answer.status, 500) << target << "\n" << answer.body.substr(0, 400);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << target;
    const auto body = parsed(answer);
    Faults faults;
    check_schema(document_.root,
                 *document_.root.find("components")->find("schemas")->find("Problem"), body.root,
                 "$", faults);
    EXPECT_THAT(faults, IsEmpty()) << target;
    const json::Value* status = body.root.find("status");
    ASSERT_NE(status, nullptr) << target;
    EXPECT_EQ(static_cast<int>(status->number()), answer.status) << target;
    if (answer.status != 400 && answer.status != 422) return;
    // Whatever is wrong with a request, the answer says where.
    const json::Value* errors = body.root.find("errors");
    ASSERT_TRUE(errors != nullptr && !errors->items().empty()) << target << answer.body;
    for (const json::Value& error : errors->items()) {
      EXPECT_FALSE(error.find("detail")->string().empty()) << target;
      EXPECT_NE(error.find("pointer"), nullptr) << target;
    }
  }

  void expect_either(const Operation& operation, const std::string& target) const {
    const auto answer = site_.ask(target);
    if (answer.status == 200) {
      expect_answer(operation, target, answer);
    } else {
      expect_problem(target, answer);
    }
  }

  const Site& site_ = Site::get();
  tests::Answer answer_;
  json::Document document_;
  std::vector<Operation> operations_;
  std::map<std::string, std::string> names_;
};

// Values of a parameter: some it takes, and some it must refuse.
struct Values {
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

Values values_of(const json::Value& parameter) {
  const json::Value& schema = *parameter.find("schema");
  const std::string_view type = schema.find("type")->string();
  if (type == "integer") {
    const auto least = static_cast<std::int64_t>(schema.find("minimum")->number());
    const auto most = static_cast<std::int64_t>(schema.find("maximum")->number());
    return {.valid = {std::to_string(least), std::to_string(most)},
            .invalid = {std::to_string(least - 1), std::to_string(most + 1), "x", "1.5", "1e1",
                        "99999999999999999999"}};
  }
  if (const json::Value* words = schema.find("enum")) {
    Values out{.valid = {}, .invalid = {"no-such-word", "PASSED"}};
    for (const json::Value& word : words->items()) out.valid.emplace_back(word.string());
    return out;
  }
  if (schema.find("format") != nullptr) {
    return {.valid = {"2026-01-31T00:00:00Z", "2026-01-31T00:00:00+02:00"},
            .invalid = {"yesterday", "2026-02-30T00:00:00Z", std::string(100, '1')}};
  }
  const auto most = static_cast<std::size_t>(schema.find("maxLength")->number());
  Values out{.valid = {"a", "\xC3\xA9 %/?&=+", std::string(most, 'a')},
             .invalid = {std::string(most + 1, 'a'), "\xFF"}};
  if (parameter.find("name")->string() == "cursor") {
    // A cursor of another listing, of this one with other filters, and none at all.
    out = {.valid = {}, .invalid = {std::string(most + 1, 'a'), "!!!!", "bm90IGEgY3Vyc29y"}};
  }
  return out;
}

TEST_F(OpenApi, EveryOperationAnswersAsDescribed) {
  for (const Operation& operation : operations_) {
    if (operation.post) continue;
    const std::string target = address(operation.path);
    if (target.empty()) {
      EXPECT_FALSE(site_.of_export()) << operation.path << ": say in names_ what to ask for";
      continue;
    }
    const bool is_json = operation.node->find("responses")->find("200") != nullptr;
    // The other is the file of an export, of which this site has none.
    is_json ? expect_answer(operation, target, site_.ask(target))
            : expect_problem(target, site_.ask(target));
  }
}

TEST_F(OpenApi, EveryParameterTakesWhatItSaysAndRefusesTheRest) {
  int asked = 0;
  for (const Operation& operation : operations_) {
    const std::string target = address(operation.path);
    if (target.empty()) continue;
    const auto ask = [&](const std::string& asks) {
      return operation.post ? site_.post(asks, "{}") : site_.ask(asks);
    };
    for (const json::Value& parameter : operation.node->find("parameters")->items()) {
      if (parameter.find("in")->string() != "query") continue;
      const std::string_view name = parameter.find("name")->string();
      const Values values = values_of(parameter);
      for (const auto& value : values.invalid) {
        const std::string asks = with(target, name, value);
        expect_problem(asks, ask(asks));
        ++asked;
      }
      if (operation.post) continue;  // needs a body
      for (const auto& value : values.valid) expect_either(operation, with(target, name, value));
      const std::string twice = with(with(target, name, "1"), name, "2");
      expect_problem(twice, site_.ask(twice));
      expect_answer(operation, with(target, name, ""), site_.ask(with(target, name, "")));
    }
    const std::string unknown = with(target, "no-such-parameter", "1");
    if (operation.path == "/healthz" || operation.path == "/readyz") {
      expect_answer(operation, unknown, ask(unknown));  // probes ignore the query
    } else {
      expect_problem(unknown, ask(unknown));
    }
  }
  EXPECT_GT(asked, 30);
}

TEST_F(OpenApi, EveryPathParameterThatNamesNothingIsAProblem) {
  for (const Operation& operation : operations_) {
    const auto open = operation.path.find('{');
    if (operation.post || open == std::string::npos) continue;
    for (const std::string& name :
         {std::string("no-such-thing"), std::string(201, 'a'), std::string("sha256:"),
          std::string("\xFF"), std::string("a/b"), std::string("%"), std::string("'; --")}) {
      const std::string target =
          std::string(kBase) + operation.path.substr(0, open) + encoded(name);
      expect_problem(target, site_.ask(target));
    }
  }
}

TEST_F(OpenApi, EveryBodyThatIsNotTheOneDescribedIsAProblem) {
  int bodies = 0;
  for (const Operation& operation : operations_) {
    if (!operation.post || operation.node->find("requestBody") == nullptr) continue;
    ++bodies;
    const std::string target = address(operation.path);
    ASSERT_FALSE(target.empty()) << operation.path << ": say in names_ what to ask for";
    for (const std::string_view body :
         {"", "{", "[]", "1", "null", R"({"no-such-member":1})", "{\"a\":1,\"a\":2}", "\xFF"}) {
      expect_problem(target + " " + std::string(body), site_.post(target, body));
    }
  }
  EXPECT_GT(bodies, 6);
}

TEST_F(OpenApi, AQueryIsMeasuredInCharacters) {
  std::string query;
  for (int i = 0; i < 500; ++i) query += "\xC3\xA9";
  EXPECT_EQ(site_.ask(with("/api/v1/search", "q", query)).status, 200);
  EXPECT_EQ(site_.post("/api/v1/resolve/kernel", R"({"query":")" + query + "\"}").status, 200);
  EXPECT_EQ(site_.ask(with("/api/v1/search", "q", query + "x")).status, 400);
  EXPECT_EQ(site_.post("/api/v1/resolve/kernel", R"({"query":"x)" + query + "\"}").status, 400);
}

TEST_F(OpenApi, ACursorOfOneListIsNoneOfAnother) {
  const auto cursor_of = [&](const std::string& target) {
    const auto document = parsed(site_.ask(target));
    const json::Value* cursor = document.root.find("nextCursor");
    return cursor != nullptr && cursor->is_string() ? std::string(cursor->string()) : "";
  };
  const std::string runs = cursor_of("/api/v1/runs?limit=1");
  const std::string records = cursor_of("/api/v1/records?limit=1");
  ASSERT_FALSE(runs.empty());
  ASSERT_FALSE(records.empty());
  for (const std::string& target :
       {with("/api/v1/records", "cursor", runs), with("/api/v1/runs", "cursor", records),
        with("/api/v1/feed", "cursor", runs), with("/api/v1/feed", "cursor", records),
        with(address("/projects/{slug}"), "cursor", records),
        with("/api/v1/runs?status=passed", "cursor", runs)}) {
    const auto answer = site_.ask(target);
    expect_problem(target, answer);
    EXPECT_NE(answer.body.find("INVALID_CURSOR"), std::string::npos) << target;
  }
}

}  // namespace
}  // namespace ki::contract
