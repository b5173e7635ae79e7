#include "policy/serving_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Measurements = std::vector<Measurement>;

Measurement one(std::string metric, std::string statistic, double value, std::string unit = "ms") {
  return {.metric = std::move(metric),
          .statistic = std::move(statistic),
          .unit = std::move(unit),
          .value = value,
          .sample_count = {}};
}

ServingBound slo(std::string_view op, double value, std::string unit = "ms") {
  return {.metric = "ttft_ms",
          .statistic = "p99",
          .strict = op == "<",
          .value = value,
          .unit = std::move(unit)};
}

ServingConstraint ttft(std::string_view op, double value) {
  return {.metric = "ttft_ms", .statistic = "p99", .strict = op == "<", .value = value};
}

std::string said(const ConstraintOutcome& outcome) {
  return std::string(words(outcome.state)[static_cast<std::size_t>(outcome.state)]) +
         (outcome.reason.empty() ? ", satisfied" : ", " + outcome.reason);
}

struct Case {
  Measurements measured;
  std::vector<ServingBound> declared;
  ServingConstraint constraint;
  std::string_view says;
};

// The table of the published rules.
TEST(ServingConstraint, IsDecidedByWhatIsMeasuredElseByWhatIsDeclared) {
  const std::vector<Case> cases = {
      {{one("ttft_ms", "p99", 420)}, {}, ttft("<=", 450), "measured, satisfied"},
      {{one("ttft_ms", "p99", 450)}, {}, ttft("<=", 450), "measured, satisfied"},
      {{one("ttft_ms", "p99", 450)},
       {},
       ttft("<", 450),
       "measured, CONSTRAINT_UNSATISFIED:ttft_ms"},
      {{one("ttft_ms", "p99", 460)},
       {slo("<=", 450)},
       ttft("<=", 450),
       "measured, CONSTRAINT_UNSATISFIED:ttft_ms"},
      {{}, {slo("<=", 450)}, ttft("<=", 500), "declared, satisfied"},
      {{}, {slo("<=", 2000)}, ttft("<=", 450), "declared, CONSTRAINT_UNSATISFIED:ttft_ms"},
      {{}, {}, ttft("<=", 5000), "unknown, METRIC_NOT_REPORTED:ttft_ms"},
      {{one("ttft_ms", "mean", 10)}, {}, ttft("<=", 450), "unknown, METRIC_NOT_REPORTED:ttft_ms"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(said(check_constraint(c.constraint, c.measured, c.declared)), c.says)
        << to_string(c.constraint);
  }
}

// A load that only promises "at most 450" does not promise "below 450".
TEST(ServingConstraint, HonoursTheOperatorsOfDeclaredBounds) {
  const std::vector<Case> cases = {
      {{}, {slo("<=", 450)}, ttft("<", 450), "declared, CONSTRAINT_UNSATISFIED:ttft_ms"},
      {{}, {slo("<", 450)}, ttft("<", 450), "declared, satisfied"},
      {{}, {slo("<", 450)}, ttft("<=", 450), "declared, satisfied"},
      {{}, {slo("<=", 450)}, ttft("<=", 450), "declared, satisfied"},
      {{}, {slo("<=", 449)}, ttft("<", 450), "declared, satisfied"},
      {{}, {slo("<=", 900), slo("<=", 300)}, ttft("<=", 450), "declared, satisfied"},
      {{}, {slo("<=", 300), slo("<=", 900)}, ttft("<=", 450), "declared, satisfied"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(said(check_constraint(c.constraint, c.measured, c.declared)), c.says)
        << to_string(c.constraint);
  }
}

TEST(ServingConstraint, HonoursUnits) {
  const std::vector<Case> cases = {
      {{one("ttft_ms", "p99", 0.4, "s")}, {}, ttft("<=", 450), "measured, satisfied"},
      {{one("ttft_ms", "p99", 1, "s")},
       {},
       ttft("<=", 450),
       "measured, CONSTRAINT_UNSATISFIED:ttft_ms"},
      {{}, {slo("<=", 1, "s")}, ttft("<=", 450), "declared, CONSTRAINT_UNSATISFIED:ttft_ms"},
      {{}, {slo("<=", 0.25, "s")}, ttft("<=", 450), "declared, satisfied"},
      {{one("ttft_ms", "p99", 1, "moons")}, {}, ttft("<=", 450), "unknown, UNIT_NOT_KNOWN:ttft_ms"},
      {{}, {slo("<=", 1, "moons")}, ttft("<=", 450), "unknown, UNIT_NOT_KNOWN:ttft_ms"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(said(check_constraint(c.constraint, c.measured, c.declared)), c.says);
  }
}

TEST(ServingConstraint, SaysItsEvidence) {
  EXPECT_EQ(
      check_constraint(ttft("<=", 450), Measurements{one("ttft_ms", "p99", 420.5)}, {}).detail,
      "measured 420.5");
  EXPECT_EQ(check_constraint(ttft("<=", 500), {}, std::vector{slo("<=", 450)}).detail,
            "benchmark constraint ≤ 450, not measured");
  EXPECT_EQ(check_constraint(ttft("<=", 500), {}, std::vector{slo("<", 450)}).detail,
            "benchmark constraint < 450, not measured");
  EXPECT_EQ(check_constraint(ttft("<=", 500), {}, {}).detail, "not reported");
  EXPECT_EQ(to_string(ttft("<", 0.5)), "ttft_ms < 0.5");
}

TEST(ServingMetrics, HaveTheUnitsAndDirectionsOfTheVocabulary) {
  std::vector<std::string> lines;
  for (const ServingMetric& metric : serving_metrics()) {
    lines.push_back(std::string(metric.name) + " " + std::string(metric.display) +
                    (metric.direction == Direction::lower ? " smaller" : " larger"));
  }
  EXPECT_THAT(lines, ElementsAre("ttft_ms ms smaller", "tpot_ms ms smaller", "itl_ms ms smaller",
                                 "e2e_latency_ms ms smaller", "request_throughput_rps req/s larger",
                                 "output_token_throughput_tps tokens/s larger",
                                 "token_throughput_tps tokens/s larger", "goodput tokens/s larger",
                                 "error_rate ratio smaller"));
  EXPECT_FALSE(find_serving_metric("watts"));
}

// What a bare objective ranks by; the public rule would rank nothing where p99 and mean are absent.
TEST(ServingObjective, TakesTheStatisticThatIsReported) {
  const auto chosen = [](std::string_view metric, const Measurements& there) {
    return choose_statistic(metric, there);
  };
  const std::string tps = "output_token_throughput_tps";
  EXPECT_EQ(chosen("ttft_ms", {one("ttft_ms", "mean", 1), one("ttft_ms", "p99", 1)}), "p99");
  EXPECT_EQ(chosen("ttft_ms", {one("ttft_ms", "p50", 1), one("ttft_ms", "mean", 1)}), "p50");
  EXPECT_EQ(chosen(tps, {one(tps, "p99", 1), one(tps, "mean", 1)}), "mean");
  EXPECT_EQ(chosen(tps, {one(tps, "reported", 1)}), "reported");
  EXPECT_EQ(chosen(tps, {one(tps, "zeta", 1), one(tps, "alpha", 1)}), "alpha");
  EXPECT_EQ(chosen("watts", {one("watts", "mean", 1)}), "mean");
  EXPECT_EQ(chosen(tps, {one("ttft_ms", "mean", 1)}), "");
}

TEST(ServingRanks, AreCompetitionRanks) {
  const std::vector<std::optional<double>> figures = {90, 100, std::nullopt, 100, 80};
  EXPECT_THAT(competition_ranks(figures, Direction::higher), ElementsAre(3, 1, std::nullopt, 1, 4));
  EXPECT_THAT(competition_ranks(figures, Direction::lower), ElementsAre(2, 3, std::nullopt, 3, 1));
  EXPECT_THAT(competition_ranks({}, Direction::lower), IsEmpty());
}

using Runs = std::vector<Measurements>;
std::vector<const Measurements*> pointers(const Runs& runs) {
  std::vector<const Measurements*> out;
  for (const auto& run : runs) out.push_back(&run);
  return out;
}

TEST(ServingFigures, AreInOneUnitOrNone) {
  const ServingObjective ttft{
      .metric = "ttft_ms", .direction = Direction::lower, .statistic = "p99"};
  const Runs runs = {{one("ttft_ms", "p99", 2, "s")},
                     {one("ttft_ms", "p99", 3, "ms")},
                     {one("ttft_ms", "p99", 3, "moons")},
                     {}};
  EXPECT_THAT(figures_of(ttft, pointers(runs)), ElementsAre(2000, 3, std::nullopt, std::nullopt));
  const ServingObjective watts{
      .metric = "watts", .direction = Direction::lower, .statistic = "mean"};
  EXPECT_THAT(
      figures_of(watts, pointers({{one("watts", "mean", 2, "w")}, {one("watts", "mean", 3, "w")}})),
      ElementsAre(2, 3));
  EXPECT_THAT(figures_of(watts, pointers({{one("watts", "mean", 2, "w")},
                                          {one("watts", "mean", 3, "kw")}})),
              ElementsAre(std::nullopt, std::nullopt));
}

Measurements point(double tps, double ttft_p99) {
  return {one("output_token_throughput_tps", "mean", tps, "tokens_s"),
          one("ttft_ms", "p99", ttft_p99), one("watts", "mean", 1, "w")};
}

TEST(ServingFrontier, IsWhatNobodyBeatsOnEveryAxis) {
  const Runs runs = {point(100, 10), point(90, 20), point(120, 30), point(100, 10), point(90, 5)};
  EXPECT_THAT(frontier_of(pointers(runs)), ElementsAre(true, false, true, true, true));
}

TEST(ServingFrontier, ComparesOnlyOnAxesThatAllHave) {
  Runs runs = {point(100, 10), point(90, 5)};
  runs[1].erase(runs[1].begin() + 1);  // no ttft
  EXPECT_THAT(frontier_of(pointers(runs)), ElementsAre(true, false));
  EXPECT_THAT(shared_axes(pointers(runs), true),
              ElementsAre(ServingAxis{"output_token_throughput_tps", "mean"}));
  EXPECT_THAT(shared_axes(pointers(runs), false),
              ElementsAre(ServingAxis{"output_token_throughput_tps", "mean"},
                          ServingAxis{"watts", "mean"}));
}

TEST(ServingFrontier, IsEmptyWithoutAnAxis) {
  EXPECT_THAT(
      frontier_of(pointers({{one("watts", "mean", 1, "w")}, {one("watts", "mean", 2, "w")}})),
      ElementsAre(false, false));
  EXPECT_THAT(
      frontier_of(pointers({{one("ttft_ms", "p99", 1)}, {one("ttft_ms", "p99", 1, "moons")}})),
      ElementsAre(false, false))
      << "a unit that cannot be compared makes no axis";
  EXPECT_THAT(frontier_of({}), IsEmpty());
}

}  // namespace
}  // namespace ki::policy
