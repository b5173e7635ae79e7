// Results of serving at the size of a real round: the rows of MLPerf Inference v5.1, mapped as the
// public catalog maps them.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "import/export/lines.h"
#include "import/importer.h"
#include "json/read.h"
#include "json/write.h"
#include "publish/verify.h"
#include "query/resolver.h"
#include "store/store_test.h"
#include "support/places.h"

namespace ki::test {
namespace {

using testing::IsEmpty;

struct Benchmark {
  std::string_view model;
  std::string_view dataset;
  std::pair<int, int> server;
  std::pair<int, int> interactive;  // 0: not listed
};
const std::map<std::string_view, Benchmark> kBenchmarks = {
    {"llama2-70b-99",
     {"Llama-2-70B (MLPerf reference)", "OpenOrca (max_seq_len=1024)", {2000, 200}, {450, 40}}},
    {"llama2-70b-99.9",
     {"Llama-2-70B (MLPerf reference)", "OpenOrca (max_seq_len=1024)", {2000, 200}, {450, 40}}},
    {"llama3.1-8b",
     {"Llama-3.1-8B (MLPerf reference)",
      "CNN DailyMail v3.0.0 (max_seq_len=2048)",
      {2000, 100},
      {500, 30}}},
    {"llama3.1-405b",
     {"Llama-3.1-405B (MLPerf reference)",
      "LongBench/LongDataCollections/Ruler/GovReport subset",
      {6000, 175},
      {4500, 80}}},
    {"mixtral-8x7b",
     {"Mixtral-8x7B (MLPerf reference)", "OpenOrca + GSM8K + MBXP (5k each)", {2000, 200}, {0, 0}}},
    {"deepseek-r1",
     {"DeepSeek-R1 (MLPerf reference)", "mlperf_deepseek_r1", {2000, 80}, {1500, 15}}},
};

std::string_view text_at(const json::Value& row, std::string_view key) {
  return row.find(key)->string();
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string load_of(const Benchmark& benchmark, std::string_view scenario) {
  const bool offline = scenario == "Offline";
  std::string out =
      fmt::format(R"("dataset":{{"name":{}}},"streaming":{},"loadGeneration":"{}")",
                  quoted(benchmark.dataset), !offline, offline ? "offline" : "open_loop");
  if (!offline) out += R"(,"arrival":"poisson")";
  const auto& [ttft, tpot] = scenario == "Interactive" ? benchmark.interactive : benchmark.server;
  if (offline || ttft == 0) return out;
  return out + fmt::format(R"(,"slo":[{{"metric":"ttft_ms","statistic":"p99","operator":"<=",)"
                           R"("value":{},"unit":"ms"}},{{"metric":"tpot_ms","statistic":"p99",)"
                           R"("operator":"<=","value":{},"unit":"ms"}}])",
                           ttft, tpot);
}

Served served_of(const json::Value& row) {
  const Benchmark& benchmark = kBenchmarks.at(text_at(row, "Model"));
  const std::string_view scenario = text_at(row, "Scenario");
  std::string value;
  json::append_number(value, row.find("Performance_Result")->number());
  return {
      .name = kebab(fmt::format("{} {} {}", text_at(row, "ID"), text_at(row, "Model"), scenario)),
      .model = std::string(benchmark.model),
      .stack = std::string(text_at(row, "Submitter")),
      .version = kebab(text_at(row, "Software")),
      .options = fmt::format(R"({{"system":{}}})", quoted(text_at(row, "System"))),
      .load = load_of(benchmark, scenario),
      .load_name = kebab(fmt::format("{} {}", text_at(row, "Model"), scenario)),
      .accelerator = std::string(text_at(row, "Accelerator")),
      .per_node = static_cast<int>(row.find("a#")->number()),
      .nodes = static_cast<int>(row.find("Nodes")->number()),
      .quality =
          text_at(row, "Model").ends_with("99.9") ? "mlperf_closed_99_9" : "mlperf_closed_99",
      .measurements = R"([{"metric":"output_token_throughput_tps","unit":"tokens_s",)"
                      R"("statistic":"reported","value":)" +
                      value + "}]",
      .source_native = fmt::format(
          R"(,"sourceNative":{{"source":"mlperf-inference","benchmark":"{}","scenario":"{}",)"
          R"("division":"closed","category":"datacenter","externalId":"v5.1/{}"}})",
          text_at(row, "Model"), ascii_lower(scenario), text_at(row, "ID"))};
}

bool is_taken(const json::Value& row) {
  return text_at(row, "Category") == "closed" && text_at(row, "Suite") == "datacenter" &&
         kBenchmarks.contains(text_at(row, "Model")) &&
         text_at(row, "Performance_Units") == "Tokens/s" && !text_at(row, "Accelerator").empty();
}

class Mlperf : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    const auto file = places::shared_data("data/mlperf-inference-v5.1-summary_results.json.zst");
    if (!file) GTEST_SKIP() << "the shared data is not here";
    const auto packed = importer::read_input(file->string());
    ASSERT_TRUE(packed);
    std::string lines;
    ASSERT_TRUE(importer::for_each_line(packed->bytes, [&](std::string_view line, std::int64_t,
                                                           std::uint64_t) { lines.append(line); }));
    const auto rows = json::parse(lines, json::kBundleLimits);
    ASSERT_TRUE(rows) << to_string(rows.error());
    bundle_.source = {.slug = "mlperf-inference", .kind = "benchmark", .name = "MLPerf Inference"};
    for (const json::Value& row : rows->root.items()) {
      if (is_taken(row)) add_served(bundle_, served_of(row));
    }
  }
  publish::Bundle bundle_;
};

// How many there are was counted by another program, from the published rules.
TEST_F(Mlperf, ARoundHasAsManyRunsAndCohortsAsThePublishedRulesGive) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, bundle_);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM serving_run"), "362");
  EXPECT_EQ(text(catalog,
                 "SELECT COUNT(*) || ' ' || SUM(n = 1) || ' ' || MAX(n) FROM "
                 "(SELECT COUNT(*) AS n FROM serving_run GROUP BY cohort_key)"),
            "135 84 13");
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM serving_workload"), "12")
      << "two accuracies of one load are one";
  const auto verified = publish::verify(catalog);
  ASSERT_TRUE(verified);
  EXPECT_THAT(verified->findings, IsEmpty());
}

// By the public rules this request ranks nothing: the round reports neither p99 nor mean.
TEST_F(Mlperf, ABareObjectiveRanksEveryCohortOfTheRound) {
  {
    catalog::Catalog catalog = open();
    publish_ok(catalog, bundle_);
  }
  const auto resolver = query::Resolver::open(path(), clock_);
  ASSERT_TRUE(resolver);
  const auto answer = resolver->resolve_serving(
      {.objective = query::ServingObjectiveAsked{.direction = query::ServingDirection::maximize,
                                                 .metric = "output_token_throughput_tps"}},
      {.limit = query::kServingGroupsMax});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->groups.size(), 135U);
  EXPECT_EQ(answer->feasible_runs, 362);
  for (const auto& group : answer->groups) {
    EXPECT_EQ(group.rows.at(0).rank, 1) << group.description;
    EXPECT_TRUE(group.rows[0].on_frontier);
    EXPECT_EQ(group.ranking->statistic, "reported");
  }
}

}  // namespace
}  // namespace ki::test
