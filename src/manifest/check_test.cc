// What is refused: the code and pointer of every kind of fault, and what the messages say.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/complaints.h"
#include "manifest/kinds.h"
#include "manifest/manifest.h"
#include "manifest/testing.h"
#include "support/places.h"

namespace ki::manifest {
namespace {

using testing::document;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using testing::verdict;

std::string project(std::string_view spec) { return verdict(document("SoftwareProject", spec)); }

Issues issues_of(std::string_view text) {
  auto manifest = decode_json(text, "file.json");
  return manifest ? Issues{} : manifest.error();
}

std::string message(std::string_view kind, std::string_view spec) {
  const Issues issues = issues_of(document(kind, spec));
  return issues.empty() ? "accepted" : issues[0].message;
}

std::string operation(std::string_view axes,
                      std::string_view input = R"({"name":"x","scalar":{"dtype":"fp32"}})") {
  return document("OperationSpec",
                  fmt::format(R"({{"family":"f","axes":{},"inputs":[{}],"outputs":[{{"name":"y",)"
                              R"("scalar":{{"dtype":"fp32"}}}}],"semantics":{{"mutation":"none",)"
                              R"("determinism":"unspecified"}}}})",
                              axes, input));
}

std::string workload(std::string_view axes, std::string_view more = "") {
  return document(
      "WorkloadCase",
      fmt::format(R"({{"operationSpecDigest":"sha256:{:0>64}","axes":{},"tensors":{{}},)"
                  R"("correctness":{{"comparator":"c"}}{}}})",
                  1, axes, more));
}

std::string environment(std::string_view settings) {
  return document(
      "ExecutionEnvironment",
      fmt::format(
          R"({{"hardware":{{"vendor":"v","product":"p","architecture":"a"}},"software":{{}},)"
          R"("settings":{}}})",
          settings));
}

// ---- envelope

TEST(Envelope, HasExactlyFourMembers) {
  EXPECT_EQ(verdict("{}"),
            "invalid_type /apiVersion\ninvalid_type /kind\ninvalid_type /metadata\n"
            "invalid_type /spec\n");
  EXPECT_EQ(verdict("[]"), "invalid_type \n");
  EXPECT_EQ(verdict("null"), "invalid_type \n");
  EXPECT_EQ(verdict(R"({"apiVersion":"kernelindex.dev/v1","kind":"SoftwareProject",
                        "metadata":{"name":"A"},"spec":{"name":"n"},"status":{}})"),
            "invalid_value /apiVersion\ninvalid_format /metadata/name\nunrecognized_keys \n");
}

TEST(Envelope, OfAnUnknownKindIsJudgedButForItsSpec) {
  const Issues issues = issues_of(
      R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"BenchmarkRuns","metadata":{},
          "spec":{"timing":1,"nothing":2}})");
  ASSERT_THAT(issues, SizeIs(3));
  EXPECT_EQ(issues[0].code, "invalid_union");
  EXPECT_EQ(issues[0].pointer, "/kind");
  EXPECT_THAT(issues[0].message, HasSubstr("did you mean \"BenchmarkRun\"?"));
  EXPECT_EQ(issues[1].pointer, "/metadata/name");
  EXPECT_EQ(issues[2].pointer, "/spec");
  EXPECT_THAT(issues[2].message, HasSubstr("no kind has \"nothing\";"));
}

// ---- types, formats, bounds

TEST(Check, RefusesAnotherType) {
  EXPECT_EQ(project(R"({"name":3.10})"), "invalid_type /spec/name\n");
  EXPECT_EQ(project(R"({"name":null})"), "invalid_type /spec/name\n");
  EXPECT_EQ(project(R"({"name":"n","homepage":null})"), "invalid_type /spec/homepage\n");
  EXPECT_EQ(project(R"({"name":"n","packages":{}})"), "invalid_type /spec/packages\n");
  EXPECT_EQ(project(R"({"name":"n","host":[]})"), "invalid_type /spec/host\n");
  EXPECT_EQ(project("7"), "invalid_type /spec\n");
  EXPECT_EQ(project("{}"), "invalid_type /spec/name\n");
  EXPECT_EQ(verdict(workload(R"({"n":1.5})")), "invalid_type /spec/axes/n\n");
  EXPECT_EQ(verdict(workload(R"({"n":"1"})")), "invalid_type /spec/axes/n\n");
  EXPECT_EQ(verdict(workload(R"({"n":true})")), "invalid_type /spec/axes/n\n");
  EXPECT_EQ(verdict(environment(R"({"clocksLocked":"yes"})")),
            "invalid_type /spec/settings/clocksLocked\n");
}

TEST(Check, RefusesAnotherWordOrForm) {
  EXPECT_EQ(project(R"({"name":"n","kind":"libary"})"), "invalid_value /spec/kind\n");
  EXPECT_EQ(project(R"({"name":"n","packages":[{"ecosystem":"PyPI","name":"x"}]})"),
            "invalid_format /spec/packages/0/ecosystem\n");
  EXPECT_EQ(project(R"({"name":"n","homepage":"http://a"})"), "custom /spec/homepage\n");
}

TEST(Check, HoldsEveryBoundAtTheLimit) {
  EXPECT_EQ(project(fmt::format(R"({{"name":"{}"}})", std::string(200, 'a'))), "accepted");
  EXPECT_EQ(project(fmt::format(R"({{"name":"{}"}})", std::string(201, 'a'))),
            "too_big /spec/name\n");
  EXPECT_EQ(verdict(workload(R"({"n":9007199254740991,"m":-9007199254740991})")), "accepted");
  EXPECT_EQ(verdict(workload(R"({"n":9007199254740992,"m":-9007199254740992})")),
            "too_big /spec/axes/n\ntoo_small /spec/axes/m\n");
  EXPECT_EQ(verdict(environment(R"({"powerLimitWatts":5e-324})")), "accepted");
  EXPECT_EQ(verdict(environment(R"({"powerLimitWatts":0})")),
            "too_small /spec/settings/powerLimitWatts\n");
  const auto ratio = [](std::string_view value) {
    return verdict(document(
        "WorkloadCase",
        fmt::format(R"({{"operationSpecDigest":"sha256:{:0>64}","axes":{{}},"tensors":{{}},)"
                    R"("correctness":{{"comparator":"c","requiredMatchedRatio":{}}}}})",
                    1, value)));
  };
  EXPECT_EQ(ratio("0"), "accepted");
  EXPECT_EQ(ratio("1"), "accepted");
  EXPECT_EQ(ratio("1.0000000000000002"), "too_big /spec/correctness/requiredMatchedRatio\n");
  EXPECT_EQ(ratio("-5e-324"), "too_small /spec/correctness/requiredMatchedRatio\n");
}

TEST(Check, CountsUtf16Units) {
  std::string hundred_emoji;
  for (int i = 0; i < 100; ++i) hundred_emoji += "\U0001F600";
  EXPECT_EQ(project(R"({"name":")" + hundred_emoji + "\"}"), "accepted");
  EXPECT_EQ(project(R"({"name":")" + hundred_emoji + "a\"}"), "too_big /spec/name\n");
}

TEST(Check, ReportsFormAndLengthOfOneText) {
  const std::string url(2001, 'a');
  EXPECT_EQ(project(fmt::format(R"({{"name":"n","homepage":"{}"}})", url)),
            "custom /spec/homepage\ntoo_big /spec/homepage\n");
}

TEST(Check, HoldsListSizes) {
  EXPECT_EQ(verdict(operation("{}", "")), "too_small /spec/inputs\n");
  const auto run = [](std::string_view interval) {
    const std::string digest = fmt::format("sha256:{:0>64}", 1);
    return verdict(document(
        "BenchmarkRun",
        fmt::format(R"({{"implementationDigest":"{0}","workloadDigest":"{0}",)"
                    R"("protocolDigest":"{0}","environmentDigest":"{0}","status":"passed",)"
                    R"("timing":{{"primaryStatistic":"m","latencyNs":{{"mean":1,)"
                    R"("confidence95":{1}}}}},"observedAt":"2026-01-01T00:00Z"}})",
                    digest, interval)));
  };
  const std::string pointer = " /spec/timing/latencyNs/confidence95\n";
  EXPECT_EQ(run("[1,2]"), "accepted");
  EXPECT_EQ(run("[1]"), "too_small" + pointer);
  EXPECT_EQ(run("[1,2,3]"), "too_big" + pointer);
}

TEST(Check, AcceptsADimensionAsExtentOrAxis) {
  const auto shape = [](std::string_view items) {
    return verdict(operation(
        "{}", fmt::format(R"({{"name":"x","tensor":{{"shape":[{}],"dtype":"fp32"}}}})", items)));
  };
  EXPECT_EQ(shape(R"(0,"n",8.0)"), "accepted");
  for (const char* wrong : {"-1", "1.5", "\"N\"", "\"\"", "null", "9007199254740992"}) {
    EXPECT_EQ(shape(wrong), "invalid_union /spec/inputs/0/tensor/shape/0\n") << wrong;
  }
  EXPECT_EQ(shape("1e-400"), "number_range /spec/inputs/0/tensor/shape/0\n");
}

TEST(Check, RefusesANumberThatNoDoubleIsNear) {
  EXPECT_EQ(verdict(environment(R"({"powerLimitWatts":1e-400})")),
            "number_range /spec/settings/powerLimitWatts\n");
  EXPECT_EQ(verdict(workload(R"({"n":1e-400})")), "number_range /spec/axes/n\n");
}

// ---- names

TEST(Check, ReportsUnknownMembersLastAndTogether) {
  const Issues issues =
      issues_of(document("SoftwareProject", R"({"nmae":"n","zzz":1,"kind":"library","name":7})"));
  ASSERT_THAT(issues, SizeIs(2));
  EXPECT_EQ(issues[0].pointer, "/spec/name");
  EXPECT_EQ(issues[1].code, "unrecognized_keys");
  EXPECT_EQ(issues[1].pointer, "/spec");
  EXPECT_THAT(issues[1].message, HasSubstr("\"nmae\" (did you mean \"name\"?), \"zzz\""));
}

TEST(Check, ListsTheKnownMembersWhenNoneIsNear) {
  EXPECT_THAT(message("SoftwareProject", R"({"name":"n","zzz":1})"),
              HasSubstr("known here: name, kind, repository, homepage, host, packages"));
}

TEST(Check, ShowsTwentyUnknownMembersThenACount) {
  std::string spec = "{\"name\":\"n\"";
  for (int i = 0; i < 25; ++i) spec += fmt::format(",\"x{:02}\":1", i);
  const std::string said = message("SoftwareProject", spec + "}");
  EXPECT_THAT(said, HasSubstr("\"x19\" and 5 more"));
  EXPECT_THAT(said, Not(HasSubstr("\"x20\"")));
}

// The contract's readers lose an entry of that name, whatever it holds, and so have no issue of it.
TEST(Check, AnEntryNamedProtoIsDroppedWhereNamesAreFree) {
  const auto variables = [](std::string_view names) {
    return environment(R"({"environmentVariables":)" + std::string(names) + "}");
  };
  const auto with = decode_json(variables(R"({"A":"1","__proto__":{"x":[null]},"B":"2"})"), "");
  const auto without = decode_json(variables(R"({"A":"1","B":"2"})"), "");
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->digest(), without->digest());
  EXPECT_EQ(with->to_json().find("__proto__"), std::string::npos);
  ASSERT_THAT(with->changes(), SizeIs(1));
  EXPECT_EQ(with->changes()[0].rule, "dropped name");
  EXPECT_EQ(with->changes()[0].after, R"({"A":"1","B":"2"})");
  EXPECT_EQ(verdict(workload(R"({"n":1,"__proto__":"no size"})")), "accepted");
  EXPECT_EQ(project(R"({"name":"n","__proto__":1})").substr(0, 17), "unrecognized_keys")
      << "no name is free there";
}

TEST(Check, RefusesNamesThatAreNoTokens) {
  EXPECT_EQ(verdict(workload(R"({"N":1,"1":1,"":1,"<<":1})")),
            "invalid_key /spec/axes/N\ninvalid_key /spec/axes/1\ninvalid_key /spec/axes/\n"
            "invalid_key /spec/axes/<<\n");
  EXPECT_EQ(verdict(environment(R"({"environmentVariables":{"A/B":"1","~":"2"}})")), "accepted");
  EXPECT_EQ(verdict(environment(R"({"environmentVariables":{"a/~":1}})")),
            "invalid_type /spec/settings/environmentVariables/a~1~0\n");
}

// ---- conditions between members

TEST(Check, AxesNeedWhatTheirRoleSays) {
  const auto axis = [](std::string_view members) {
    return verdict(operation(fmt::format(R"({{"n":{{"type":"integer",{}}}}})", members)));
  };
  EXPECT_EQ(axis(R"("role":"constant")"), "custom /spec/axes/n\n");
  EXPECT_EQ(axis(R"("role":"derived")"), "custom /spec/axes/n\n");
  EXPECT_EQ(axis(R"("role":"variable")"), "accepted");
  EXPECT_EQ(axis(R"("role":"constant","value":1)"), "accepted");
  EXPECT_EQ(axis(R"("role":"derived","expression":"m * 2")"), "accepted");
  EXPECT_EQ(axis(R"("role":"derived","expression":"M")"),
            "invalid_format /spec/axes/n/expression\n");
  // The form is wrong already: the condition is not judged.
  EXPECT_EQ(axis(R"("role":"constant","valeu":1)"), "unrecognized_keys /spec/axes/n\n");
}

TEST(Check, ArgumentsAreTensorsOrScalars) {
  EXPECT_EQ(verdict(operation("{}", R"({"name":"x"})")), "custom /spec/inputs/0\n");
  EXPECT_EQ(verdict(operation("{}", R"({"name":"x","scalar":{"dtype":"i32"},
                                        "tensor":{"shape":[1],"dtype":"i32"}})")),
            "custom /spec/inputs/0\n");
}

TEST(Check, LatencyNeedsMedianOrMean) {
  const std::string digest = fmt::format("sha256:{:0>64}", 1);
  EXPECT_EQ(verdict(document(
                "BenchmarkRun",
                fmt::format(R"({{"implementationDigest":"{0}","workloadDigest":"{0}",)"
                            R"("protocolDigest":"{0}","environmentDigest":"{0}",)"
                            R"("status":"passed","timing":{{"primaryStatistic":"m",)"
                            R"("latencyNs":{{"p95":1}}}},"observedAt":"2026-01-01T00:00Z"}})",
                            digest))),
            "custom /spec/timing/latencyNs\n");
}

// ---- messages

TEST(Message, SaysHowToQuoteWhatReadsAsANumber) {
  const std::string said = message("SoftwareProject", R"({"name":3.10})");
  EXPECT_THAT(
      said, HasSubstr("must be text, at most 200 characters, but is the number 3.10, read as 3.1"));
  EXPECT_THAT(said, HasSubstr("write it in quotes: \"3.10\""));
}

TEST(Message, QuotesNumbersAsTheyAreWritten) {
  EXPECT_THAT(message("SoftwareProject", R"({"name":9007199254740993})"),
              HasSubstr("is the number 9007199254740993, read as 9007199254740992;"));
}

TEST(Message, SaysWhatWouldBeRight) {
  EXPECT_THAT(message("SoftwareProject", R"({"name":"n","kind":"libary"})"),
              HasSubstr("did you mean \"library\"?"));
  EXPECT_THAT(message("SoftwareProject", R"({"name":"n","homepage":null})"),
              HasSubstr("leave the member out"));
  EXPECT_THAT(issues_of(workload(R"({"n":"2048"})"))[0].message,
              HasSubstr("write 2048 without quotes"));
  EXPECT_THAT(message("SoftwareProject", "{}"),
              HasSubstr("is missing; it is required and must be text"));
}

TEST(Message, KnowsItsPlace) {
  const Issues issues = issues_of(
      "{\n \"apiVersion\": \"kernelindex.dev/v1alpha1\",\n"
      " \"kind\": \"SoftwareProject\", \"metadata\": {\"name\": \"n\"},\n"
      " \"spec\": {\"name\":\n  7}}");
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_THAT(to_string(issues[0]), ::testing::StartsWith("file.json:5:3: /spec/name: must be"));
}

TEST(Message, QuotesAtMostEightyLettersAndNoControlCharacters) {
  const std::string said =
      message("SoftwareProject",
              fmt::format(R"({{"name":"n","kind":"\u001b{}"}})", std::string(5000, 'k')));
  EXPECT_THAT(said, HasSubstr("\\u001bkkk"));
  EXPECT_LT(said.size(), 250U);
}

TEST(Message, AreBoundedInNumber) {
  std::string spec = R"({"name":"n","packages":[)";
  for (int i = 0; i < 3000; ++i) spec += i == 0 ? "1" : ",1";
  const Issues issues = issues_of(document("SoftwareProject", spec + "]}"));
  ASSERT_THAT(issues, SizeIs(kIssuesKeptMax + 1));
  EXPECT_EQ(issues.back().code, "too_many");
  EXPECT_THAT(issues.back().message, HasSubstr("2000 more problems"));
}

// ---- hostile files

TEST(Case37, RefusesABigManifestInFewWords) {
  const auto path = places::shared_data("cases/37-hostile-numbers-and-sizes/big-manifest.json");
  if (!path) GTEST_SKIP() << "the shared folder is absent";
  const Issues issues = issues_of(testing::read(*path));
  const std::string said = to_string(issues);
  EXPECT_THAT(said, HasSubstr("/metadata/name: is 70000 characters long, but at most 200"));
  EXPECT_THAT(said, HasSubstr(std::string(80, 'n') + "..."));
  EXPECT_THAT(said, Not(HasSubstr(std::string(81, 'n'))));
  EXPECT_THAT(said, HasSubstr("\"k00019\" and 2980 more"));
  EXPECT_LT(said.size(), 8192U);
}

TEST(Case37, RefusesNumbersThatAreNotRepresentable) {
  const auto path = places::shared_data("cases/37-hostile-numbers-and-sizes/numbers.jsonl");
  if (!path) GTEST_SKIP() << "the shared folder is absent";
  const std::map<std::string, std::string, std::less<>> expected = {
      {"tinyexp", "number_range /spec/axes/n\n"},  {"zeros", "number_range /spec/axes/n\n"},
      {"longfrac", "invalid_type /spec/axes/n\n"}, {"u64", "too_big /spec/axes/n\n"},
      {"ten20", "too_big /spec/axes/n\n"},         {"ok", "accepted"},
  };
  std::istringstream lines(testing::read(*path));
  std::size_t judged = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = json::parse(line);
    ASSERT_TRUE(parsed);
    const auto text = parsed->root.find("json")->string();
    const auto found = expected.find(parsed->root.find("name")->string());
    const std::string got =
        verdict(workload(fmt::format(R"({{"n":{}}})", text.substr(1, text.size() - 2))));
    if (found != expected.end()) {
      EXPECT_EQ(got, found->second) << found->first;
    } else {
      EXPECT_THAT(got, HasSubstr("number_range ")) << line.substr(0, 40);
    }
    ++judged;
  }
  EXPECT_EQ(judged, 9U);
}

// Names are compared by marks and by words: one other character anywhere makes another name.
TEST(Check, ANameThatDiffersInOneCharacterIsUnknown) {
  for (const std::string_view name : {"title", "sourceRefs", "description", "name"}) {
    for (std::size_t at = 0; at < name.size(); ++at) {
      std::string other(name);
      other[at] = other[at] == 'x' ? 'y' : 'x';
      const auto decoded =
          decode_json(R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject",)"
                      R"("metadata":{"name":"p",")" +
                      other + R"(":"text"},"spec":{"name":"P"}})");
      ASSERT_FALSE(decoded) << other;
      EXPECT_EQ(decoded.error().front().code, "unrecognized_keys") << other;
    }
  }
}

TEST(Kinds, AreWithinTheLimitsOfTheChecker) {
  const auto judge = [](const auto& self, const Mapping& mapping) -> void {
    EXPECT_LE(mapping.fields.size(), kFieldsMax);
    for (const Field& field : mapping.fields) {
      EXPECT_FALSE(field.says.empty()) << field.name;
      const Type* type = field.type.item != nullptr ? field.type.item : &field.type;
      if (type->mapping != nullptr) self(self, *type->mapping);
    }
  };
  judge(judge, envelope());
  for (const Kind kind : all_kinds()) {
    judge(judge, spec_of(kind));
    EXPECT_EQ(parse_kind(name_of(kind)), kind);
  }
  EXPECT_FALSE(parse_kind("operationspec"));
}

}  // namespace
}  // namespace ki::manifest
