// Requests as structure: their limits, what each member asks for, and what a requirement leaves
// out.
#include <algorithm>

#include <gtest/gtest.h>

#include "json/read.h"
#include "query/parse.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::TestCatalog;
using testing::uuid;

KernelRequest request_of(std::string_view text) {
  const auto document = json::parse(text);
  EXPECT_TRUE(document) << text;
  auto request = json::read<KernelRequest>(document->root, text);
  EXPECT_TRUE(request) << to_string(request.error());
  return request ? *request : KernelRequest{};
}

std::vector<std::string> pointers(const Issues& issues) {
  std::vector<std::string> out;
  for (const Issue& issue : issues) out.push_back(issue.pointer);
  return out;
}

using Texts = std::vector<std::string>;

TEST(Structured, EveryMemberIsAFacetOfTheQueryThatStandsForIt) {
  const KernelRequest request = request_of(
      R"({"operation":{"name":"rope","axes":{"n":64},"pass":"backward","metric":"latency"},)"
      R"("environment":{"architecture":"hopper","count":8,"memory":">=80","vendor":"NVIDIA",)"
      R"("framework":"torch","toolkit":">=12","dtype":"bf16"},)"
      R"("policy":{"licenses":["MIT","permissive"],"frameworkVersion":"2.9",)"
      R"("toolkitVersion":">=12.4","minimumTrust":"verified","sourceRequired":true,)"
      R"("installableRequired":true}})");
  const Request read = read_request(request);
  EXPECT_TRUE(read.issues.empty());
  const Facets& facets = read.facets;
  EXPECT_EQ(facets.pass->pass, policy::Pass::backward);
  EXPECT_EQ(facets.metric, "latency");
  EXPECT_EQ(facets.architecture->requested, "hopper");
  EXPECT_EQ(facets.device_count->text(), "8");
  EXPECT_EQ(facets.memory_gb->text(), ">= 80");
  EXPECT_EQ(facets.vendor, "nvidia");
  EXPECT_EQ(facets.framework, "pytorch");
  EXPECT_EQ(facets.cuda->major.text(), ">= 12");
  ASSERT_TRUE(facets.license);
  EXPECT_EQ(facets.license->requested, "mit,permissive");
  EXPECT_EQ(facets.framework_version->requested, "2.9");
  EXPECT_EQ(facets.toolkit_version->requested, ">=12.4");
  EXPECT_EQ(
      read.text,
      "op:rope n:64 pass:backward metric:latency vendor:NVIDIA arch:hopper count:8 memory:>=80 "
      "dtype:bf16 framework:torch cuda:>=12 trust:verified source:true installable:true "
      "license:MIT,permissive framework_version:2.9 toolkit_version:>=12.4");
  const Request again = parse_query(read.text);
  EXPECT_TRUE(again.issues.empty());
  EXPECT_EQ(interpretation_of(again, ""), interpretation_of(read, ""));
}

TEST(Structured, NamesOfAxesIgnoreCaseAndAreNames) {
  const Request read =
      read_request(request_of(R"({"operation":{"name":"rope","axes":{"SEQ":8}}})"));
  ASSERT_EQ(read.facets.axes.size(), 1U);
  EXPECT_EQ(read.facets.axes[0].name, "seq");
  for (const char* name : {"", " ", "seq:1 gpu", "a b", "\\u0000"}) {
    const auto request = request_of(R"({"operation":{"axes":{")" + std::string(name) + R"(":1}}})");
    EXPECT_EQ(pointers(faults_of(request)), Texts{"/operation/axes"}) << name;
  }
}

TEST(Structured, ASizeOfAnAxisThatIsNoneIsRefusedWithItsPlace) {
  const auto faults = [](std::string_view size) {
    return pointers(faults_of(
        request_of(R"({"operation":{"axes":{"seq":8,"d_k":)" + std::string(size) + "}}}")));
  };
  for (const char* size : {"-1", "1.5", "1e-3", "9007199254740993", "9007199254740992", "1e300"}) {
    EXPECT_EQ(faults(size), Texts{"/operation/axes/d_k"}) << size;
  }
  for (const char* size : {"0", "1e3", "8.0", "9007199254740991"}) {
    EXPECT_EQ(faults(size), Texts{}) << size;
  }
}

TEST(Structured, AValueThatMeansNothingIsAnIssue) {
  const Request read =
      read_request(request_of(R"({"operation":{"pass":"sideways"},"environment":{"memory":"much"},)"
                              R"("policy":{"toolkitVersion":"newest"}})"));
  ASSERT_EQ(read.issues.size(), 3U);
  for (const QueryIssue& issue : read.issues) EXPECT_EQ(issue.code, "unknown_value");
  EXPECT_FALSE(read.facets.toolkit_version);
}

TEST(Structured, ALicenceIsAnExpressionOrAnIssue) {
  const auto read = [](const std::string& licence) {
    return read_request(request_of(R"({"policy":{"license":")" + licence + R"("}})"));
  };
  for (const std::string licence : {"MIT OR Apache-2.0", "permissive", "mit, unknown"}) {
    EXPECT_TRUE(read(licence).facets.license) << licence;
    EXPECT_TRUE(read(licence).issues.empty()) << licence;
  }
  for (const std::string licence : {"", "foo bar", "Apache 2.0", "MIT/Apache-2.0", "MIT,"}) {
    const Request request = read(licence);
    ASSERT_EQ(request.issues.size(), 1U) << licence;
    EXPECT_EQ(request.issues[0].code, "unknown_value");
    EXPECT_TRUE(request.issues[0].message.starts_with("no licence: '")) << licence;
    EXPECT_FALSE(request.facets.license);
  }
}

TEST(Structured, AnUnknownMemberIsRefusedWithItsPlaceAndASuggestion) {
  const std::string text = R"({"environment":{"toolkt":"12"},"policy":{"licenses":[1]}})";
  const auto document = json::parse(text);
  ASSERT_TRUE(document);
  const auto request = json::read<KernelRequest>(document->root, text);
  ASSERT_FALSE(request);
  EXPECT_EQ(pointers(request.error()), (Texts{"/environment", "/policy/licenses"}));
  EXPECT_NE(request.error()[0].message.find("did you mean \"toolkit\""), std::string::npos);
}

TEST(Structured, LimitsNameTheirPlace) {
  KernelRequest request;
  request.environment.emplace().vendor = std::string(100, 'x');
  request.policy.emplace().licenses = Licences{.names = Texts(kLicencesMax, "MIT")};
  EXPECT_TRUE(faults_of(request).empty());
  request.environment->vendor = std::string(101, 'x');
  request.policy->licenses->names.emplace_back("MIT");
  request.policy->license = "MIT";
  request.operation.emplace().name = "\xFF";
  EXPECT_EQ(pointers(faults_of(request, "/requests/3")),
            (Texts{"/requests/3/operation/name", "/requests/3/environment/vendor",
                   "/requests/3/policy/licenses", "/requests/3/policy/licenses"}));
  request.policy->license.reset();
  request.policy->licenses = Licences{.names = {"MIT", "a,b", " "}};
  EXPECT_EQ(pointers(faults_of(request)), (Texts{"/operation/name", "/environment/vendor",
                                                 "/policy/licenses/1", "/policy/licenses/2"}));
}

TEST(Structured, ABatchHoldsOneToAHundred) {
  KernelRequests batch;
  EXPECT_EQ(pointers(faults_of(batch)), Texts{"/requests"});
  batch.requests.resize(kBatchRequestsMax);
  EXPECT_TRUE(faults_of(batch).empty());
  for (int i = 0; i < 500; ++i)
    batch.requests[6].query = batch.requests[6].query.value_or("") + "é";
  EXPECT_TRUE(faults_of(batch).empty()) << "500 characters, 1000 bytes";
  batch.requests[7].query = std::string(501, 'x');
  EXPECT_EQ(pointers(faults_of(batch)), Texts{"/requests/7/query"});
  batch.requests.resize(kBatchRequestsMax + 1);
  EXPECT_EQ(pointers(faults_of(batch)), Texts{"/requests"});
}

// "rope", one case on H100: "free" is MIT, has raw evidence and is slow; "closed" states no licence
// and is fast. "free" also ran under CUDA 12.8, on its own; "spare" was never measured.
class RequirementsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "rope", "rope");
    catalog.workload("0101", 64);
    catalog.implementation("0201", "closed", false, "cuda");
    catalog.implementation("0202", "free", true);
    catalog.implementation("0203", "spare", true);
    catalog.run(
        {.id = "0301", .implementation = "0201", .workload = "0101", .value = 10, .spread = 1});
    catalog.run({.id = "0302",
                 .implementation = "0202",
                 .workload = "0101",
                 .value = 20,
                 .raw_evidence = true,
                 .spread = 1});
    catalog.run({.id = "0303",
                 .implementation = "0202",
                 .workload = "0101",
                 .toolkit = "12.8",
                 .value = 19});
    catalog.touch("8001");
  }

  Envelope ask(std::string_view policy, const SearchOptions& options = {}) {
    const auto out = catalog.resolver().resolve(
        request_of(R"({"operation":{"name":"rope"},"policy":)" + std::string(policy) + "}"),
        options);
    EXPECT_TRUE(out) << to_string(out.error());
    return out ? *out : Envelope{};
  }

  // "id: field requested/observed ..." of each unmet row.
  static Texts unmet(const Envelope& envelope) {
    Texts out;
    for (const UnmetRow& one : envelope.unmet) {
      std::string line = one.row.run_id ? one.row.run_id->substr(32) : one.row.implementation.slug;
      for (const Mismatch& failed : one.failed) {
        line += " " + failed.field + " " + failed.requested + "/" + failed.observed;
      }
      out.push_back(std::move(line));
    }
    return out;
  }

  TestCatalog catalog;
};

TEST_F(RequirementsTest, EachUnmetRowSaysWhatItFails) {
  const Envelope out = ask(R"({"licenses":["MIT","permissive"],"sourceRequired":true})");
  EXPECT_EQ(unmet(out), Texts{"0301 license mit,permissive/unknown source true/false"});
  EXPECT_EQ(out.totals.unmet, 1);
  ASSERT_EQ(out.groups.exact.size(), 1U);
  EXPECT_EQ(out.groups.exact[0].rank, 2) << "what is required never moves a rank";
  EXPECT_EQ(out.unmet[0].row.rank, 1);
  ASSERT_TRUE(out.verdict);
  EXPECT_TRUE(
      out.verdict->text.ends_with("(of all 2 runs of the group, of which 1 satisfy the request)"))
      << out.verdict->text;
  EXPECT_EQ(out.fastest->implementation.slug, "closed");
  EXPECT_EQ(out.best_deployable->implementation.slug, "free");
}

TEST_F(RequirementsTest, WhatIsRequiredIsPartOfWhatTheFastestLacks) {
  const Envelope out = ask(R"({"minimumTrust":"reproducible"})");
  EXPECT_EQ(unmet(out),
            (Texts{"0301 trust reproducible/reported", "0303 trust reproducible/reported",
                   "spare trust reproducible/none"}));
  ASSERT_FALSE(out.fastest_blocked_by.empty());
  EXPECT_EQ(out.fastest_blocked_by.back().code, "REQUIRED_TRUST");
}

TEST_F(RequirementsTest, AVersionThatIsNotStatedSatisfiesNothing) {
  const Envelope out = ask(R"({"toolkitVersion":">=12.4"})");
  ASSERT_EQ(out.groups.exact.size(), 1U);
  EXPECT_EQ(out.groups.exact[0].run_id, uuid("0303"));
  EXPECT_EQ(unmet(out),
            (Texts{"0301 toolkitVersion >=12.4/unknown", "0302 toolkitVersion >=12.4/unknown",
                   "spare toolkitVersion >=12.4/unknown"}));
  EXPECT_EQ(unmet(ask(R"({"toolkitVersion":"13"})")).size(), 4U);
}

TEST_F(RequirementsTest, WhatIsExcludedIsPaged) {
  const std::string_view policy = R"({"toolkitVersion":"13"})";
  Texts all;
  SearchOptions options{.limit = 1};
  for (int page = 0; page < 10; ++page) {
    const Envelope out = ask(policy, options);
    EXPECT_EQ(out.totals.unmet, 4);
    EXPECT_LE(out.unmet.size(), 1U);
    EXPECT_EQ(out.overflow.unmet, 4 - std::ssize(out.unmet));
    for (auto& line : unmet(out)) all.push_back(std::move(line));
    if (!out.next_cursor) break;
    options.cursor = *out.next_cursor;
  }
  EXPECT_EQ(all, unmet(ask(policy)));
}

TEST_F(RequirementsTest, ABatchAnswersInOrder) {
  KernelRequests batch;
  batch.requests = {request_of(R"({"operation":{"name":"rope"}})"), request_of("{}"),
                    request_of(R"({"operation":{"name":"absent"}})")};
  const auto out = catalog.resolver().resolve(batch);
  ASSERT_TRUE(out) << to_string(out.error());
  ASSERT_EQ(out->results.size(), 3U);
  EXPECT_EQ(out->results[0].mode, Mode::exact);
  EXPECT_EQ(out->results[1].mode, Mode::browse);
  EXPECT_EQ(out->results[2].mode, Mode::none);
  batch.requests.clear();
  EXPECT_EQ(catalog.resolver().resolve(batch).error().code, Code::invalid);
}

// Somebody publishes whenever the time is looked at, which every answer does once.
class BusyClock final : public Clock {
 public:
  explicit BusyClock(TestCatalog& catalog) : catalog_(catalog) {}
  Instant now() const override {
    const std::string id = std::to_string(5000 + published_++);
    catalog_.run({.id = id, .implementation = "0202", .workload = "0101", .value = 50});
    catalog_.touch(std::to_string(8500 + published_));
    return *parse_instant("2026-02-01T00:00:00Z");
  }

 private:
  TestCatalog& catalog_;
  mutable int published_ = 0;
};

TEST_F(RequirementsTest, ABatchIsOfOneStateOfTheCatalog) {
  const BusyClock clock(catalog);
  const Resolver resolver = catalog.resolver(clock);
  KernelRequests batch;
  batch.requests.resize(3, request_of(R"({"operation":{"name":"rope"}})"));
  std::int64_t before = 0;
  for (int round = 0; round < 2; ++round) {
    const auto out = resolver.resolve(batch);
    ASSERT_TRUE(out) << to_string(out.error());
    const std::int64_t runs = out->results[0].totals.exact;
    EXPECT_GT(runs, before);
    for (const Envelope& one : out->results) EXPECT_EQ(one.totals.exact, runs);
    before = runs;
  }
}

TEST_F(RequirementsTest, TheFastestOfEachLanguageIsNamed) {
  const Envelope out = ask("{}");
  Texts languages;
  for (const Row& row : out.fastest_by_language) {
    languages.push_back(*row.language + " " + row.implementation.slug);
  }
  EXPECT_EQ(languages, (Texts{"cuda closed", "triton free"}));
  EXPECT_FALSE(out.best_verified);
}

}  // namespace
}  // namespace ki::query
