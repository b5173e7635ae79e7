#include "policy/serving.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "json/write.h"
#include "support/places.h"

namespace ki::policy {
namespace {

using ::testing::ElementsAre;

std::string_view text_at(const json::Value& value, std::string_view key) {
  return value.find(key)->string();
}

Result<ServingRunFacts> facts_of(const json::Value& vector) {
  return derive_serving_run_facts(*vector.find("run"), derive_model_facts(*vector.find("model")),
                                  derive_serving_workload_facts(*vector.find("workload")));
}

// The vectors were computed by another program, from the published rules alone.
TEST(ServingKeys, AreThoseOfTheGoldenVectors) {
  std::ifstream in(places::source_dir() / "tests/golden/policy/serving_keys.jsonl");
  std::size_t vectors = 0;
  for (std::string line; std::getline(in, line); ++vectors) {
    const auto vector = json::parse(line);
    ASSERT_TRUE(vector) << to_string(vector.error());
    const auto facts = facts_of(vector->root);
    ASSERT_TRUE(facts) << to_string(facts.error());
    EXPECT_EQ(facts->protocol_key, text_at(vector->root, "protocolKey"));
    EXPECT_EQ(facts->topology_key, text_at(vector->root, "topologyKey"));
    EXPECT_EQ(facts->metric_set_key, text_at(vector->root, "metricSetKey"));
    EXPECT_EQ(to_string(facts->cohort_key), text_at(vector->root, "cohortKey"));
  }
  EXPECT_EQ(vectors, 3U);
}

constexpr std::string_view kRun = R"({
  "modelDigest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "configurationDigest":"sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
  "workloadDigest":"sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
  "topology":{"acceleratorModel":"X","acceleratorsPerNode":8,"nodeCount":2},
  "harness":{"name":"lg","version":"5"},"qualityPolicy":"exact","status":"valid",
  "measurements":[{"metric":"ttft_ms","unit":"ms","statistic":"p99","value":12.5},
                  {"metric":"ttft_ms","unit":"ms","statistic":"p99","value":13,"sampleCount":4},
                  {"metric":"ttft_ms","unit":"ms","statistic":"mean","value":9}],
  "observedAt":"2026-01-02T03:04Z"})";

Result<ServingRunFacts> with(std::string_view from, std::string_view to) {
  std::string text(kRun);
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  const auto run = json::parse(text);
  EXPECT_TRUE(run) << text;
  return derive_serving_run_facts(run->root, {}, {.streaming = true, .load_generation = "offline"});
}

TEST(ServingRunFacts, AreTheScalarsOfTheManifest) {
  const auto facts = with("", "");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->topology.total, 16);
  EXPECT_EQ(facts->topology.vendor, std::nullopt);
  EXPECT_EQ(facts->topology_key, "unknown/X/8x2/unspecified");
  EXPECT_EQ(facts->scenario, "unspecified");
  EXPECT_EQ(facts->observed_at, "2026-01-02T03:04:00.000Z");
  EXPECT_EQ(facts->external_id, std::nullopt);
}

TEST(ServingRunFacts, OfTwoMeasurementsOfOneStatisticTheFirstCounts) {
  const auto facts = with("", "");
  ASSERT_TRUE(facts);
  std::vector<double> values;
  for (const Measurement& one : facts->measurements) values.push_back(one.value);
  EXPECT_THAT(values, ElementsAre(12.5, 9));
  EXPECT_EQ(facts->metric_set_key, "ttft_ms·mean,ttft_ms·p99");
}

TEST(ServingRunFacts, RefuseWhatCannotBe) {
  const auto below = with(R"("value":12.5)", R"("value":-1)");
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().where, "/spec/measurements");
  const auto many = with(R"("nodeCount":2)", R"("nodeCount":9007199254740991)");
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().where, "/spec/topology");
}

}  // namespace
}  // namespace ki::policy
