#include "policy/facts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "json/write.h"

namespace ki::policy {
namespace {

using ::testing::ElementsAre;

json::Document parsed(std::string_view text) {
  auto document = json::parse(text);
  EXPECT_TRUE(document.has_value()) << to_string(document.error()) << "\n" << text;
  return std::move(*document);
}

std::string digest_text(char digit) { return "sha256:" + std::string(64, digit); }

const std::string kRunRefs =
    R"("implementationDigest":")" + digest_text('1') + R"(","workloadDigest":")" +
    digest_text('2') + R"(","protocolDigest":")" + digest_text('3') + R"(","environmentDigest":")" +
    digest_text('4') + R"(","observedAt":"2026-01-02T03:04Z",)";

json::Document run_of(std::string_view rest) {
  return parsed("{" + kRunRefs + std::string(rest) + "}");
}

constexpr std::string_view kOperation = R"({
  "family":"gemm","axes":{},
  "inputs":[{"name":"a","tensor":{"shape":["m","k"],"dtype":"fp8_e4m3"}},
            {"name":"eps","scalar":{"dtype":"fp32"}},
            {"name":"b","tensor":{"shape":["k","n"],"dtype":"fp8_e4m3"}}],
  "outputs":[{"name":"c","tensor":{"shape":["m","n"],"dtype":"bf16"}}],
  "semantics":{"mutation":"none","determinism":"unspecified"}})";

std::string case_text(std::string_view tensors) {
  return R"({"operationSpecDigest":")" + digest_text('5') +
         R"(","axes":{"m":16,"k":32},"tensors":)" + std::string(tensors) +
         R"(,"correctness":{"comparator":"allclose","maxAbsoluteError":0.01,)" +
         R"("requiredMatchedRatio":0.07}})";
}

WorkloadFacts workload_facts(std::string_view workload) {
  const auto operation = parsed(kOperation);
  return derive_workload_facts(parsed(workload).root, operation.root);
}

TEST(OperationFacts, DtypesAreThoseOfTensorsInArgumentOrder) {
  const auto operation = parsed(kOperation);
  const OperationFacts facts = derive_operation_facts(operation.root);
  EXPECT_EQ(facts.family, "gemm");
  EXPECT_THAT(facts.dtypes, ElementsAre("fp8_e4m3", "bf16"));
}

TEST(EquivalenceKey, LeavesOutFamilyReferenceAndANumberInFront) {
  const auto key = [](std::string_view slug, std::string_view members) {
    return equivalence_key(slug, parsed("{" + std::string(members) + R"("axes":{}})").root);
  };
  const Digest plain = key("norm-h128", R"("family":"norm","inputs":[1,2],)");
  EXPECT_EQ(key("021-norm-h128", R"("inputs":[1,2],"family":"rmsnorm",)"), plain);
  EXPECT_EQ(key("1-norm-h128", R"("inputs":[1,2],"reference":{"code":"x"},)"), plain);
  EXPECT_NE(key("norm-h256", R"("inputs":[1,2],)"), plain);
  EXPECT_NE(key("norm-h128", R"("inputs":[2,1],)"), plain) << "order of a list";
  EXPECT_NE(key("a21-norm-h128", R"("inputs":[1,2],)"), plain);
  EXPECT_NE(key("21norm-h128", R"("inputs":[1,2],)"), plain);
  EXPECT_NE(key("-norm-h128", R"("inputs":[1,2],)"), plain);
  EXPECT_NE(key("1-2-norm-h128", R"("inputs":[1,2],)"), plain) << "one number only";
  EXPECT_EQ(key("7-", ""), key("7-", "")) << "nothing would be left of it";
  EXPECT_NE(key("7-", ""), key("", ""));
}

TEST(WorkloadFacts, ShapeIsThatOfTheFirstArgumentWhateverTheMemberOrder) {
  constexpr std::string_view kA = R"("a":{"shape":[16,32],"dtype":"fp8_e4m3"})";
  constexpr std::string_view kC = R"("c":{"shape":[16,64],"dtype":"bf16"})";
  const auto text = [](std::string_view x, std::string_view y) {
    return case_text("{" + std::string(x) + "," + std::string(y) + "}");
  };
  EXPECT_EQ(workload_facts(text(kA, kC)).shape_summary, "[16, 32]");
  EXPECT_EQ(workload_facts(text(kC, kA)).shape_summary, "[16, 32]");
}

TEST(WorkloadFacts, ShapeFallsBackToOutputsThenSaysItDoesNotKnow) {
  EXPECT_EQ(workload_facts(case_text(R"({"c":{"shape":[16,64],"dtype":"bf16"}})")).shape_summary,
            "[16, 64]");
  EXPECT_EQ(workload_facts(case_text(R"({"z":{"shape":[1],"dtype":"bf16"}})")).shape_summary, "?");
  EXPECT_EQ(workload_facts(case_text("{}")).shape_summary, "[]");
}

TEST(WorkloadFacts, DtypesAndLayoutsAreSortedAndUnique) {
  const WorkloadFacts facts = workload_facts(case_text(R"({
      "a":{"shape":[2,3],"dtype":"fp32","strides":[3,1]},
      "b":{"shape":[2,3],"dtype":"bf16","strides":[1,2]},
      "c":{"shape":[4],"dtype":"fp32"},
      "d":{"shape":[4],"dtype":"fp32","strides":[1,99]},
      "e":{"shape":[4,5],"dtype":"fp32","strides":[5]}})"));
  EXPECT_THAT(facts.dtypes, ElementsAre("bf16", "fp32"));
  EXPECT_THAT(facts.layout_keys, ElementsAre("contiguous", "row_major", "strided"));
  EXPECT_THAT(facts.axes, ElementsAre(std::pair("m", 16), std::pair("k", 32)));
}

TEST(WorkloadFacts, SuitesNameTheirCountAndAggregation) {
  const std::string suite =
      R"({"operationSpecDigest":")" + digest_text('5') +
      R"(","cases":[{"externalId":"x","axes":{}},{"externalId":"y","axes":{}}],)" +
      R"("correctness":{"comparator":"eval"},)" +
      R"("aggregation":{"metric":"score","statistic":"geomean"}})";
  const WorkloadFacts facts = workload_facts(suite);
  EXPECT_TRUE(facts.suite);
  EXPECT_EQ(facts.shape_summary, "suite of 2 cases");
  EXPECT_TRUE(facts.dtypes.empty());
  EXPECT_EQ(workload_label(parsed(suite).root), "suite of 2 cases · geomean score");
  EXPECT_EQ(tolerance_summary(parsed(suite).root), "eval");
  std::string unspecified = suite;
  unspecified.replace(unspecified.find("geomean"), 7, "unspecified");
  EXPECT_EQ(workload_label(parsed(unspecified).root), "suite of 2 cases · score");
}

TEST(WorkloadFacts, CaseLabelAndTolerance) {
  const auto workload = parsed(case_text(R"({"a":{"shape":[1],"dtype":"fp32"},
                                             "i":{"shape":[1],"dtype":"int32"}})"));
  EXPECT_EQ(workload_label(workload.root), "m = 16 · k = 32 · fp32");
  EXPECT_EQ(tolerance_summary(workload.root), "abs ≤ 0.01, matched ≥ 7%");
}

TEST(DtypeLabel, DropsIndexTypesUnlessNothingElseIsThere) {
  EXPECT_EQ(dtype_label({"bf16", "int32", "bool", "uint8"}), "bf16");
  EXPECT_EQ(dtype_label({"bool", "int32"}), "bool/int32");
  EXPECT_EQ(dtype_label({"bf16", "float4_e2m1fn_x2", "fp16", "fp32", "fp8_e4m3"}),
            "bf16/fp4/fp16 +2");
  EXPECT_EQ(dtype_label({}), "");
  EXPECT_EQ(row_summary({"bf16"}, "[4, 4]"), "bf16 · [4, 4]");
  EXPECT_EQ(row_summary({}, "suite of 3 cases"), "suite of 3 cases");
}

TEST(ImplementationFacts, EveryFactHasItsRule) {
  const auto text = parsed(R"({
    "projectRevision":{"repository":"https://x.test/r","version":"1.2","commit":"abc"},
    "operation":{"specDigest":"x"},
    "callable":{"language":"triton","interface":"pytorch"},
    "support":{"hardwareArchitectures":["sm_90"],"dtypes":[]},
    "buildVariants":[{"name":"pip","install":{"kind":"pip"}},
                     {"name":"git","install":{"kind":"git","command":"git clone"}}],
    "licensing":{"declared":"MIT","concluded":"apache-2.0"}})");
  const ImplementationFacts facts = derive_implementation_facts(text.root);
  EXPECT_EQ(facts.source_revision, "abc");
  EXPECT_EQ(facts.language, "triton");
  EXPECT_EQ(facts.framework, "pytorch");
  EXPECT_THAT(facts.target_architectures, ElementsAre("sm_90"));
  EXPECT_EQ(facts.license_declared, "MIT");
  EXPECT_EQ(facts.license_expression, "Apache-2.0");
  EXPECT_TRUE(facts.source_available);
  EXPECT_TRUE(facts.installable);
  EXPECT_EQ(facts.install_kind, "pip");
  EXPECT_EQ(facts.install_command, std::nullopt) << "only the first variant counts";
}

TEST(ImplementationFacts, AbsentStaysAbsent) {
  const auto text = parsed(R"({"projectRevision":{},"operation":{"specDigest":"x"},
    "callable":{"language":"unknown"},"support":{"hardwareArchitectures":[],"dtypes":[]},
    "licensing":{"declared":"Proprietary"}})");
  const ImplementationFacts facts = derive_implementation_facts(text.root);
  EXPECT_EQ(facts.source_revision, std::nullopt);
  EXPECT_EQ(facts.framework, std::nullopt);
  EXPECT_EQ(facts.license_expression, std::nullopt);
  EXPECT_FALSE(facts.source_available);
  EXPECT_FALSE(facts.installable);
}

TEST(ProjectFacts, RepositoryBeforeHomepageAndLibraryByDefault) {
  const auto both = parsed(R"({"name":"Liger-Kernel","homepage":"https://h.test",
                               "repository":"https://r.test"})");
  EXPECT_EQ(derive_project_facts(both.root).canonical_url, "https://r.test");
  EXPECT_EQ(derive_project_facts(both.root).normalized_name, "liger-kernel");
  EXPECT_EQ(derive_project_facts(both.root).kind, "library");
  const auto home = parsed(R"({"name":"X","homepage":"https://h.test","kind":"vendor"})");
  EXPECT_EQ(derive_project_facts(home.root).canonical_url, "https://h.test");
  EXPECT_EQ(derive_project_facts(home.root).kind, "vendor");
}

struct PrimaryCase {
  std::string_view rest;  // of the run
  std::string_view key;
  double value;
};

TEST(PrimaryMetric, LatencyThenFirstMeasurementThenNothing) {
  const PrimaryCase cases[] = {
      {R"("status":"passed","timing":{"primaryStatistic":"median",
           "latencyNs":{"median":5,"mean":7}})",
       "latency:median:ns", 5},
      {R"("status":"passed","timing":{"primaryStatistic":"mean",
           "latencyNs":{"median":5,"mean":7}})",
       "latency:mean:ns", 7},
      {R"("status":"passed","timing":{"primaryStatistic":"mean","latencyNs":{"median":5}})",
       "latency:mean:ns", 5},
      {R"("status":"passed","timing":{"primaryStatistic":"p95","latencyNs":{"mean":7,"p95":9}})",
       "latency:p95:ns", 7},
      {R"("status":"passed","measurements":[
           {"metric":"score","statistic":"geomean","unit":"s","value":0.25},
           {"metric":"latency","statistic":"mean","unit":"ns","value":3}])",
       "score:geomean:s", 0.25},
  };
  for (const PrimaryCase& c : cases) {
    const auto run = run_of(c.rest);
    const auto primary = primary_metric(run.root);
    ASSERT_TRUE(primary.has_value()) << c.rest;
    EXPECT_EQ(metric_key(primary), c.key) << c.rest;
    EXPECT_EQ(primary->value, c.value) << c.rest;
  }
  const auto failed = run_of(R"("status":"timeout")");
  EXPECT_EQ(metric_key(primary_metric(failed.root)), "none");
}

TEST(MeasurementRows, ComeInOrderAndTheFirstOfAPairWins) {
  const auto run = run_of(R"("status":"passed","timing":{"primaryStatistic":"median","samples":9,
      "latencyNs":{"mad":1,"maximum":8,"minimum":2,"p95":7,"p05":3,"mean":6,"median":5,
                   "confidence95":[4,6]}},
      "measurements":[{"metric":"latency","statistic":"median","unit":"ns","value":99},
                      {"metric":"latency","statistic":"p20","unit":"ns","value":4,"sampleCount":3},
                      {"metric":"latency","statistic":"p20","unit":"us","value":5}])");
  std::vector<std::pair<std::string, double>> rows;
  for (const Measurement& row : measurement_rows(run.root)) {
    rows.emplace_back(row.statistic, row.value);
  }
  EXPECT_THAT(rows, ElementsAre(std::pair("median", 5), std::pair("mean", 6), std::pair("p05", 3),
                                std::pair("p95", 7), std::pair("min", 2), std::pair("max", 8),
                                std::pair("mad", 1), std::pair("p20", 4)));
  EXPECT_EQ(measurement_rows(run.root).front().sample_count, 9);
  EXPECT_EQ(measurement_rows(run.root).back().sample_count, 3);
}

TEST(MajorVersion, IsTheLeadingIntegerOrNothing) {
  EXPECT_EQ(major_version("570.86.15"), 570);
  EXPECT_EQ(major_version(" +12.8"), 12);
  EXPECT_EQ(major_version("-1"), -1);
  EXPECT_EQ(major_version("v12"), std::nullopt);
  EXPECT_EQ(major_version(""), std::nullopt);
  EXPECT_EQ(major_version("+"), std::nullopt);
  EXPECT_EQ(major_version("+-3"), std::nullopt);
  EXPECT_EQ(major_version("99999999999999999999"), std::nullopt);
}

constexpr std::string_view kEnvironment = R"({
  "hardware":{"vendor":"nvidia","product":"NVIDIA B200","architecture":"sm_100"},
  "software":{"driver":"570.1","cudaToolkit":"12.8",
              "framework":{"name":"pytorch","version":"2.9.0"}}})";
constexpr std::string_view kProtocol = R"({"harness":{"name":"flashinfer-bench"}})";

Result<RunFacts> facts_of(std::string_view rest) {
  const auto run = run_of(rest);
  const auto protocol = parsed(kProtocol);
  const auto environment = parsed(kEnvironment);
  const auto workload = workload_facts(case_text("{}"));
  return derive_run_facts(run.root, protocol.root, environment.root, workload,
                          {.source_revision = {},
                           .language = "cuda",
                           .framework = {},
                           .target_architectures = {},
                           .license_declared = {},
                           .license_expression = "MIT",
                           .source_available = true,
                           .installable = true,
                           .install_kind = {},
                           .install_command = {}});
}

TEST(RunFacts, TakesEachScalarFromItsPlace) {
  const auto facts = facts_of(
      R"("status":"passed","timing":{"primaryStatistic":"median","samples":4,
         "rawSamples":{},"latencyNs":{"median":50,"confidence95":[49,52]}},
         "measurements":[{"metric":"latency","statistic":"p80","unit":"ns","value":53},
                         {"metric":"latency","statistic":"p20","unit":"ns","value":48}],
         "sourceNative":{"source":"s","metrics":{"sol_score":0.73}})");
  ASSERT_TRUE(facts.has_value()) << to_string(facts.error());
  EXPECT_EQ(to_string(facts->protocol_key), digest_text('3'));
  EXPECT_EQ(facts->observed_at, "2026-01-02T03:04:00.000Z");
  EXPECT_EQ(facts->uncertainty, (Interval{.low = 49, .high = 52}));
  EXPECT_EQ(facts->spread, (Interval{.low = 48, .high = 53}));
  EXPECT_EQ(facts->hardware_model, "NVIDIA B200");
  EXPECT_EQ(facts->driver_major, 570);
  EXPECT_EQ(facts->cuda_major, 12);
  EXPECT_EQ(facts->environment_summary, "CUDA 12.8 · pytorch 2.9.0 · flashinfer-bench");
  EXPECT_TRUE(facts->has_raw_evidence);
  EXPECT_TRUE(facts->source_native);
  EXPECT_EQ(facts->sol_score, 0.73);
  EXPECT_EQ(facts->license_expression, "MIT");
}

TEST(RunFacts, SpreadOfAnotherUnitOrWithOneEndIsUnknown) {
  const auto facts = facts_of(
      R"("status":"passed","timing":{"primaryStatistic":"median","latencyNs":{"median":50}},
         "measurements":[{"metric":"latency","statistic":"p20","unit":"ns","value":48},
                         {"metric":"latency","statistic":"p80","unit":"us","value":53}])");
  ASSERT_TRUE(facts.has_value()) << to_string(facts.error());
  EXPECT_EQ(facts->spread, std::nullopt);
}

TEST(RunFacts, RefusesWhatCannotBePublished) {
  EXPECT_FALSE(facts_of(R"("status":"passed")").has_value());
  EXPECT_TRUE(facts_of(R"("status":"timeout")").has_value());
  EXPECT_FALSE(facts_of(R"("status":"passed","measurements":[
      {"metric":"score","statistic":"geomean","unit":"s","value":-1}])")
                   .has_value());
  EXPECT_FALSE(facts_of(R"("status":"passed","measurements":[
      {"metric":"score","statistic":"geomean","unit":"s","value":1},
      {"metric":"latency","statistic":"mean","unit":"ns","value":-1}])")
                   .has_value());
}

TEST(RunFacts, RefusesALatencyOfNothing) {
  EXPECT_FALSE(facts_of(
      R"("status":"passed","timing":{"primaryStatistic":"median","latencyNs":{"median":0}})"));
  EXPECT_FALSE(facts_of(R"("status":"passed","measurements":[
      {"metric":"latency","statistic":"mean","unit":"ns","value":0}])"));
  EXPECT_TRUE(facts_of(R"("status":"passed","measurements":[
      {"metric":"errors","statistic":"total","unit":"1","value":0}])"));
}

TEST(RunFacts, RefusesTwoValuesOfOneStatistic) {
  const auto of = [](std::string_view timing, std::string_view rows) {
    return facts_of(fmt::format(R"("status":"passed"{},"measurements":[{}])", timing, rows));
  };
  constexpr std::string_view kTiming =
      R"(,"timing":{"primaryStatistic":"median","latencyNs":{"median":50,"maximum":60}})";
  constexpr std::string_view k50 =
      R"({"metric":"latency","statistic":"median","unit":"ns","value":50})";
  constexpr std::string_view k7 =
      R"({"metric":"latency","statistic":"median","unit":"ns","value":7})";
  constexpr std::string_view kMs =
      R"({"metric":"latency","statistic":"median","unit":"ms","value":50})";
  constexpr std::string_view kMax =
      R"({"metric":"latency","statistic":"max","unit":"ns","value":61})";
  EXPECT_TRUE(of(kTiming, k50)) << "the same twice";
  EXPECT_TRUE(of("", k7));
  for (const std::string_view other : {k7, kMs, kMax}) {
    EXPECT_FALSE(of(kTiming, other)) << other;
    EXPECT_FALSE(of("", fmt::format("{},{}", other == kMax ? kMs : k50, k7))) << other;
  }
}

TEST(ComparisonKey, CanonicalBodyHasSevenMembersInOrder) {
  const auto digest = [](char c) { return *parse_digest(digest_text(c)); };
  const ComparisonParts parts{.operation = digest('1'),
                              .workload = digest('2'),
                              .protocol = digest('3'),
                              .environment = digest('4'),
                              .correctness = digest('5'),
                              .metric = "latency:median:ns"};
  const auto body =
      parsed(R"({"v":1,"operation":")" + digest_text('1') + R"(","workload":")" + digest_text('2') +
             R"(","protocol":")" + digest_text('3') + R"(","environment":")" + digest_text('4') +
             R"(","correctness":")" + digest_text('5') + R"(","metric":"latency:median:ns"})");
  EXPECT_EQ(comparison_key(parts), sha256(json::canonical(body.root)));
}

}  // namespace
}  // namespace ki::policy
