// Whole rankings as text, beside the runs they are made of. KI_UPDATE_GOLDEN=1 rewrites the file.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "policy/names.h"
#include "policy/ranking.h"
#include "support/places.h"

namespace ki::policy {
namespace {

const std::filesystem::path kGolden = places::source_dir() / "tests/golden/policy/ranking.txt";

struct GoldenRun {
  std::string_view name;
  std::optional<double> value;
  std::optional<Interval> spread;
  std::optional<std::int64_t> samples{};
  std::vector<std::string> ineligible{};
};

struct GoldenCohort {
  std::string_view title;
  RankingOptions options;
  std::vector<GoldenRun> runs;
};

const RankingOptions kEvents{.metric = "latency", .unit = "ns", .resolution = 500};
const RankingOptions kUnknownTimer{.metric = "latency", .unit = "ns", .resolution = 0};

std::vector<GoldenCohort> cohorts() {
  return {
      {"a clear winner",
       kEvents,
       {{"Liger", 15097856, Interval{14942208, 15116288}},
        {"PyTorch", 24104448, Interval{24077312, 24161880}}}},
      {"one call each: ranked, never crowned",
       kEvents,
       {{"Liger", 84317200, Interval{84317200, 84317200}},
        {"PyTorch", 84902405, Interval{84902405, 84902405}}}},
      {"overlapping spreads share the rank",
       kEvents,
       {{"Liger", 3121152, Interval{3116851, 3127296}},
        {"PyTorch", 3120128, Interval{3115622, 3126272}}}},
      {"closer than the timer can tell",
       kEvents,
       {{"a", 20480, std::nullopt}, {"b", 20736, std::nullopt}, {"c", 24576, std::nullopt}}},
      {"ties are not transitive",
       kUnknownTimer,
       {{"a", 10, Interval{9, 11}}, {"b", 11, Interval{10.5, 12}}, {"c", 13, Interval{11.5, 14}}}},
      {"the second rank reaches the leader",
       kUnknownTimer,
       {{"a", 10, Interval{9, 11}},
        {"b", 11.5, Interval{11.2, 12}},
        {"c", 11.8, Interval{10.5, 13}}}},
      {"higher is better",
       {.metric = "tokens_per_second", .unit = "tokens_s", .resolution = 0},
       {{"a", 1000, Interval{990, 1010}}, {"b", 2000, Interval{1980, 2020}}}},
      {"an unknown metric is listed",
       {.metric = "score", .unit = "points", .resolution = 0},
       {{"a", 3, std::nullopt}, {"b", 2, std::nullopt}}},
      {"excluded and valueless runs",
       kUnknownTimer,
       {{"a", 10, Interval{9, 11}, 20, {"RETRACTED"}},
        {"b", std::nullopt, std::nullopt, {}, {"STATUS_TIMEOUT", "MISSING_PRIMARY_METRIC"}},
        {"c", std::nullopt, std::nullopt, {}, {"MISSING_PRIMARY_METRIC"}},
        {"d", 12, Interval{11, 13}, 20},
        {"e", 30, Interval{29, 31}, 1}}},
  };
}

std::string describe(const RankedRun& run, const RankingOptions& options) {
  std::string out = run.value ? measured_text(*run.value, options.unit) : std::string("no value");
  if (run.spread) out += fmt::format(" [{}, {}]", run.spread->low, run.spread->high);
  if (run.sample_count) out += fmt::format(", {} samples", *run.sample_count);
  return out;
}

std::string render(const GoldenCohort& cohort) {
  std::vector<RankedRun> runs;
  std::vector<std::string> names;
  for (const GoldenRun& given : cohort.runs) {
    RankedRun run;
    run.id = given.name;
    run.value = given.value;
    run.spread = given.spread;
    run.sample_count = given.samples;
    run.observed_at = "2026-01-01T00:00:00.000Z";
    run.ineligible = given.ineligible;
    runs.push_back(run);
    names.emplace_back(given.name);
  }
  const Ranking ranking = rank(runs, cohort.options);
  std::string out =
      fmt::format("# {} ({} in {})\n", cohort.title, cohort.options.metric, cohort.options.unit);
  for (const Place& place : ranking.places) {
    out += fmt::format("{:>3} {} {}\n", place.rank ? std::to_string(*place.rank) : "-",
                       names[place.run], describe(runs[place.run], cohort.options));
    for (const Reason& reason : explain(place, runs, cohort.options)) {
      out += fmt::format("      {}: {}\n", reason.code, reason.text);
    }
  }
  for (const Excluded& excluded : ranking.excluded) {
    out += fmt::format("  x {} {}\n", names[excluded.run], join(excluded.codes, ", "));
  }
  return out + fmt::format("  = {}: {}\n\n", name_of(ranking.verdict.kind),
                           explain(ranking.verdict, names));
}

TEST(RankingGolden, EveryExampleReadsAsWritten) {
  std::string actual;
  for (const GoldenCohort& cohort : cohorts()) actual += render(cohort);
  if (std::getenv("KI_UPDATE_GOLDEN") != nullptr) std::ofstream(kGolden) << actual;
  std::ifstream in(kGolden);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(actual, expected) << "KI_UPDATE_GOLDEN=1 rewrites " << kGolden;
}

}  // namespace
}  // namespace ki::policy
