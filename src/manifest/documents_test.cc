// Texts that hold several manifests, in YAML and JSON, and the pages around them.
#include "manifest/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/testing.h"
#include "support/places.h"

namespace ki::manifest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kProjectYaml = R"(# a project
apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: pebble}
spec:
  name: Pebble
  repository: https://example.org/pebble
)";
const std::string kProjectJson = testing::document(
    "SoftwareProject", R"({"name":"Pebble","repository":"https://example.org/pebble"})");
constexpr std::string_view kDigest =
    "sha256:75dd9a3aeeffbf879f3db032276bcf54eb67b9e9023917731e06f70588432c42";

// The digests of a text's manifests, or its issues.
std::vector<std::string> digests(std::string_view text, std::string_view file = "-") {
  std::vector<std::string> out;
  const Documents documents = read_documents(text, file);
  for (const Entry& entry : documents.entries) out.push_back(to_string(entry.manifest.digest()));
  for (const Issue& issue : documents.issues) out.push_back(to_string(issue));
  return out;
}

using Digests = std::vector<std::string>;

TEST(Documents, AreReadAsYamlOrJson) {
  EXPECT_EQ(digests(kProjectYaml), Digests{std::string(kDigest)});
  EXPECT_EQ(digests(kProjectJson), Digests{std::string(kDigest)});
  EXPECT_EQ(digests("\xEF\xBB\xBF---\n" + std::string(kProjectYaml) + "...\n"),
            Digests{std::string(kDigest)});
  EXPECT_EQ(digests(kProjectJson, "p.yaml"), Digests{std::string(kDigest)});
}

TEST(Documents, AByteOrderMarkIsSkippedInJsonTooAndTheRestIsStillAllThereIs) {
  EXPECT_EQ(digests("\xEF\xBB\xBF" + kProjectJson, "p.json"), Digests{std::string(kDigest)});
  const Documents trailing = read_documents("\xEF\xBB\xBF" + kProjectJson + " x", "p.json");
  EXPECT_THAT(trailing.entries, IsEmpty());
  EXPECT_THAT(trailing.issues, SizeIs(1));
}

// What the reader finds does not hide what else is wrong, and nothing of the text is taken.
TEST(Documents, FaultsOfReadingAndOfTheFormAreReportedTogether) {
  struct Case {
    std::string_view file;
    std::string_view text;
    std::vector<std::string> codes;
  };
  const Case cases[] = {
      {"twice.yaml",
       R"(apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: pebble, title: A, title: B}
spec:
  name: Pebble
  repositry: https://example.org/pebble
)",
       {"duplicate_key", "unrecognized_keys"}},
      {"merge.yaml",
       R"(apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: pebble}
spec: {nam: 3, name: x, <<: {}}
)",
       {"merge_key", "unrecognized_keys"}},
      {"nan.yaml",
       R"(apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: pebble}
spec:
  extra: .nan
  name: 7
)",
       {"unrecognized_keys", "number_range", "invalid_type"}},
      {"twice.json",
       R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject",)"
       R"("kind":"SoftwareProject","metadata":{"name":"pebble"},"spec":{"name":7}})",
       {"duplicate_key", "invalid_type"}},
  };
  for (const Case& one : cases) {
    const Documents documents = read_documents(one.text, one.file);
    EXPECT_THAT(documents.entries, IsEmpty()) << one.file;
    std::vector<std::string> codes;
    for (const Issue& issue : documents.issues) {
      codes.push_back(issue.code);
      EXPECT_EQ(issue.file, one.file);
    }
    EXPECT_THAT(codes, ::testing::UnorderedElementsAreArray(one.codes)) << one.file;
  }
}

TEST(Documents, MayBeSeveralInOneText) {
  const std::string yaml(kProjectYaml);
  EXPECT_THAT(digests(yaml + "---\n" + yaml), SizeIs(2));
  EXPECT_EQ(digests("[" + kProjectJson + "," + kProjectJson + "]"),
            (Digests{std::string(kDigest), std::string(kDigest)}));
}

TEST(Documents, OfAListAreJudgedOneByOne) {
  const Documents documents = read_documents(
      "[" + kProjectJson + ",\n" + testing::document("SoftwareProject", "{}") + "]", "list.json");
  ASSERT_THAT(documents.entries, SizeIs(1));
  EXPECT_EQ(documents.entries[0].pointer, "/0");
  ASSERT_THAT(documents.issues, SizeIs(1));
  EXPECT_EQ(documents.issues[0].pointer, "/1/spec/name");
  EXPECT_EQ(documents.issues[0].place.line, 2U);
  EXPECT_EQ(documents.issues[0].file, "list.json");
}

TEST(Documents, ThatAreEmptyOrNoMappingAreRefused) {
  EXPECT_THAT(digests(""), SizeIs(1));
  EXPECT_THAT(digests("[]")[0], HasSubstr("the list holds no manifest"));
  EXPECT_THAT(digests("hello")[0], HasSubstr("must be a mapping, but is the text \"hello\""));
}

TEST(YamlAndJson, SayTheSame) {
  constexpr std::string_view kYaml = R"(
apiVersion: kernelindex.dev/v1alpha1
kind: BenchmarkProtocol
metadata:
  name: quick
spec:
  comparability: {family: h, notes: 'n'}
  measurement:
    timer: cuda_events
    warmupDuration: 0.25 s   # text: it has a unit
    samples: 0xA
    primaryStatistic: "median"
  harness:
    name: h
    version: '1'
)";
  EXPECT_EQ(digests(kYaml),
            Digests{"sha256:820e569777e8b086496faf8b79ae4310ed54401d704ebbea643ad3dd49bece25"});
}

TEST(Yaml, SaysHowToQuoteANumber) {
  const auto issues = digests(
      "apiVersion: kernelindex.dev/v1alpha1\nkind: BenchmarkProtocol\n"
      "metadata: {name: n}\nspec:\n  harness:\n    name: h\n"
      "    version: 3.10\n  measurement: {timer: t, primaryStatistic: m}\n");
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_THAT(issues[0], HasSubstr("-:7:14: /spec/harness/version: must be text"));
  EXPECT_THAT(
      issues[0],
      HasSubstr("is the number 3.10, read as 3.1; if text is meant, write it in quotes: \"3.10\""));
}

TEST(Yaml, KeepsWordsThatOlderVersionsReadAsBooleans) {
  const std::string text =
      "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\n"
      "metadata: {name: n}\nspec: {name: ";
  EXPECT_EQ(digests(text + "n}"), digests(testing::document("SoftwareProject", R"({"name":"n"})")));
  EXPECT_EQ(digests(text + "off}"),
            digests(testing::document("SoftwareProject", R"({"name":"off"})")));
  EXPECT_THAT(digests(text + "true}")[0], HasSubstr("write it in quotes: \"true\""));
}

// ---- runs with their protocol and environment

std::string run_document(std::string_view protocol_digest) {
  const std::string protocol = testing::document(
      "BenchmarkProtocol",
      R"({"harness":{"name":"h"},"measurement":{"timer":"t","primaryStatistic":"median"}})");
  const std::string environment = testing::document(
      "ExecutionEnvironment",
      R"({"hardware":{"vendor":"v","product":"p","architecture":"a"},"software":{}})");
  const std::string digest = to_string(decode_json(protocol)->digest());
  const std::string run = testing::document(
      "BenchmarkRun",
      fmt::format(R"({{"implementationDigest":"{0}","workloadDigest":"{0}","protocolDigest":"{1}",)"
                  R"("environmentDigest":"{2}","status":"timeout",)"
                  R"("observedAt":"2026-01-01T00:00Z"}})",
                  digest, protocol_digest.empty() ? digest : protocol_digest,
                  to_string(decode_json(environment)->digest())));
  return fmt::format("{{\"run\":{},\n\"protocol\":{},\"environment\":{}}}", run, protocol,
                     environment);
}

TEST(RunDocument, KeepsItsThreeManifestsTogether) {
  const Documents documents = read_documents(
      "[" + run_document("") + "," + kProjectJson + "," + run_document("") + "]", "runs.json");
  EXPECT_THAT(documents.issues, IsEmpty());
  ASSERT_THAT(documents.entries, SizeIs(7));
  EXPECT_EQ(documents.entries[0].role, Role::run);
  EXPECT_EQ(documents.entries[1].role, Role::protocol);
  EXPECT_EQ(documents.entries[2].role, Role::environment);
  EXPECT_EQ(documents.entries[2].group, 0U);
  EXPECT_EQ(documents.entries[3].group, 1U);
  EXPECT_EQ(documents.entries[3].role, Role::single);
  EXPECT_EQ(documents.entries[6].group, 2U);
  EXPECT_EQ(documents.entries[5].pointer, "/2/protocol");
}

TEST(RunDocument, NamesTheProtocolBesideIt) {
  const Documents documents =
      read_documents(run_document(fmt::format("sha256:{:0>64}", 7)), "run.json");
  EXPECT_THAT(documents.entries, IsEmpty());
  ASSERT_THAT(documents.issues, SizeIs(1));
  EXPECT_EQ(documents.issues[0].pointer, "/run/spec/protocolDigest");
  EXPECT_THAT(documents.issues[0].message, HasSubstr("but the protocol beside it is sha256:"));
}

TEST(RunDocument, NeedsAllThreeAndNothingElse) {
  const Documents documents = read_documents(
      fmt::format(R"({{"run":{},"protocol":{},"notes":1}})", kProjectJson, kProjectJson), "r.json");
  EXPECT_THAT(documents.entries, IsEmpty());
  const std::string said = to_string(documents.issues);
  EXPECT_THAT(
      said,
      HasSubstr("/run/kind: must be of kind BenchmarkRun here, but is of kind SoftwareProject"));
  EXPECT_THAT(said, HasSubstr("/environment: is missing"));
  EXPECT_THAT(said, HasSubstr("unknown members \"notes\""));
}

TEST(RunDocument, MayStandOnAPage) {
  const std::string page = "PyTorch\n\nShow manifest\n\n" + run_document("") + "\n\nCite {this}\n";
  const Documents documents = read_documents(page, "page.txt");
  EXPECT_THAT(documents.issues, IsEmpty());
  EXPECT_THAT(documents.entries, SizeIs(3));
  const Documents wrong = read_documents("Heading\n\n{\"run\": 1}\n", "-");
  EXPECT_EQ(wrong.issues.at(0).place.line, 3U);
}

// A page holds as many records as it holds; what is passed over can be none.
TEST(Page, EveryRecordOfItIsRead) {
  const std::string one = "PyTorch\n\n" + run_document("");
  for (const std::string& page : {one + one, one + "\n" + one, one + "\n\nCite\n\n" + one + "\n"}) {
    const Documents documents = read_documents(page, "-");
    EXPECT_TRUE(documents.issues.empty()) << documents.issues[0].message;
    EXPECT_EQ(documents.entries.size(), 6U) << page;
  }
  const Documents wrong = read_documents(one + "\nNext\n{\"run\":\n  1}\n", "-");
  ASSERT_EQ(wrong.entries.size(), 3U);
  ASSERT_FALSE(wrong.issues.empty());
  const auto lines = static_cast<std::uint32_t>(std::ranges::count(one, '\n'));
  for (const Issue& issue : wrong.issues) EXPECT_TRUE(issue.pointer.starts_with("/1"));
  EXPECT_EQ(wrong.issues[0].place.line, lines + 4) << wrong.issues[0].message;
  EXPECT_EQ(wrong.issues[0].place.column, 3U);
}

TEST(Page, NothingThatMayBeARecordIsPassedOver) {
  const std::string json = run_document("");
  const std::string yaml = "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\n";
  const std::vector<std::string> pages = {
      yaml + json,
      "Head\n" + yaml + json,
      "Head\n" + json + "\n" + yaml,
      yaml + "broken: [\n" + json,
      "Head\n" + json + " garbage {{{ [\n",
      "Head\n" + json + ", {}\n",
      "Head\n" + json + "\n\xff\xfe",
      "\xff\xfe\n" + json,
      "Head" + std::string(1, '\0') + "\n" + json,
      "Head\n" + json + "\n{\n",
  };
  for (const std::string& page : pages) {
    const Documents documents = read_documents(page, "-");
    EXPECT_TRUE(documents.entries.empty()) << page;
    EXPECT_FALSE(documents.issues.empty()) << page;
  }
}

TEST(Submission, HasASectionForEachKind) {
  const Documents documents = read_documents(
      fmt::format(R"({{"projects":[{}],"operations":[{}],"workloads":3,"other":[]}})", kProjectJson,
                  kProjectJson),
      "s.json");
  EXPECT_THAT(documents.entries, SizeIs(1));
  const std::string said = to_string(documents.issues);
  EXPECT_THAT(said, HasSubstr("/operations/0/kind: must be of kind OperationSpec here"));
  EXPECT_THAT(said, HasSubstr("/workloads: must be a list"));
  EXPECT_THAT(said, HasSubstr("unknown members \"other\""));
}

TEST(Submission, NamesTheProjectOfAnImplementation) {
  const std::string implementation = testing::document(
      "ImplementationRevision",
      fmt::format(R"({{"projectRevision":{{}},"operation":{{"specDigest":"sha256:{:0>64}"}},)"
                  R"("callable":{{"language":"cuda"}},"support":{{"hardwareArchitectures":[],)"
                  R"("dtypes":[]}},"licensing":{{}}}})",
                  1));
  const Documents documents = read_documents(
      fmt::format(R"({{"implementations":[{{"manifest":{0},"projectSlug":"pebble"}},)"
                  R"({{"manifest":{0}}}],"runs":[{1}]}})",
                  implementation, run_document("")),
      "s.json");
  ASSERT_THAT(documents.entries, SizeIs(4));
  EXPECT_EQ(documents.entries[0].project_slug, "pebble");
  EXPECT_EQ(documents.entries[1].pointer, "/runs/0/run");
  ASSERT_THAT(documents.issues, SizeIs(1));
  EXPECT_EQ(documents.issues[0].pointer, "/implementations/1");
}

// ---- many problems

TEST(Documents, OfOneTextListAThousandProblemsAndCountTheRest) {
  constexpr std::size_t kBad = 100'000;
  std::string text = "[";
  for (std::size_t i = 0; i < kBad; ++i) text += "{},\n";
  const Documents documents = read_documents(text + kProjectJson + "]", "list.json");
  const std::size_t each = read_documents("[{}]", "list.json").issues.size();
  ASSERT_THAT(documents.issues, SizeIs(1001));
  EXPECT_EQ(documents.issues.back().code, "too_many");
  EXPECT_THAT(documents.issues.back().message,
              HasSubstr(std::to_string(each * kBad - 1000) + " more problems"));
  const Issue& last = documents.issues[999];
  EXPECT_EQ(last.place.line, 999 / each + 1);
  EXPECT_EQ(last.place.column, last.place.line == 1 ? 2U : 1U);
  ASSERT_THAT(documents.entries, SizeIs(1));  // the last one is good, and is kept
  EXPECT_EQ(documents.entries[0].pointer, "/" + std::to_string(kBad));
}

TEST(Documents, ThatAreNoRunsAreCountedOnceTheListIsFull) {
  std::string text = R"({"runs":[)";
  for (int i = 0; i < 2000; ++i) text += i == 0 ? R"({"run":1})" : R"(,{"run":1})";
  const Documents documents = read_documents(text + "]}", "runs.json");
  ASSERT_THAT(documents.issues, SizeIs(1001));
  EXPECT_THAT(documents.issues.back().message, HasSubstr("more problems are not listed"));
  EXPECT_THAT(documents.entries, IsEmpty());
}

// ---- real records and cases

TEST(Seeds, AreReadWithTheirSurroundings) {
  const auto folder = places::shared_data("data/seeds");
  if (!folder) GTEST_SKIP() << "the shared folder is absent";
  std::vector<std::string> runs;
  for (const auto& file : std::filesystem::directory_iterator(*folder)) {
    const Documents documents =
        read_documents(testing::read(file.path()), file.path().filename().string());
    EXPECT_THAT(documents.issues, IsEmpty()) << to_string(documents.issues);
    // The run names the digests of the protocol and the environment, which were checked.
    ASSERT_THAT(documents.entries, SizeIs(3)) << file.path();
    runs.push_back(to_string(documents.entries[0].manifest.digest()));
  }
  EXPECT_THAT(runs, SizeIs(5));
  EXPECT_THAT(runs, ::testing::Contains(::testing::StartsWith("sha256:521a0b1ea67f4bccad75b0d")));
}

TEST(Case01, NamesTheDuplicateKeyAndBothPlaces) {
  const auto folder = places::shared_data("cases/01-manifest-duplicate-key");
  if (!folder) GTEST_SKIP() << "the shared folder is absent";
  for (const char* name : {"duplicate.yaml", "duplicate-escaped.json"}) {
    const Documents documents = read_documents(testing::read(*folder / name), name);
    EXPECT_THAT(documents.entries, IsEmpty());
    ASSERT_THAT(documents.issues, ::testing::Not(IsEmpty()));
    const Issue& issue = documents.issues[0];
    EXPECT_EQ(issue.code, "duplicate_key");
    EXPECT_EQ(issue.pointer, "/spec/axes/tokens");
    EXPECT_EQ(issue.file, name);
    EXPECT_EQ(issue.place.line, name == std::string_view("duplicate.yaml") ? 10U : 2U);
    EXPECT_THAT(issue.message, HasSubstr("tokens"));
  }
}

}  // namespace
}  // namespace ki::manifest
