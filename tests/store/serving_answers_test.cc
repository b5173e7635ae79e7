// What is answered about served models, over real files.

#include <algorithm>
#include <set>

#include "query/resolver.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using query::ServingAnswer;
using query::ServingDirection;
using query::ServingOperator;
using query::ServingRequest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kTps = "output_token_throughput_tps";

std::string tps(double value, std::string_view statistic = "reported") {
  return R"([{"metric":"output_token_throughput_tps","unit":"tokens_s","statistic":")" +
         std::string(statistic) + R"(","value":)" + std::to_string(value) + "}]";
}

std::string with_ttft(double value, double ttft_p99) {
  return tps(value, "mean").substr(0, tps(value, "mean").size() - 1) +
         R"(,{"metric":"ttft_ms","unit":"ms","statistic":"p99","value":)" +
         std::to_string(ttft_p99) + "}]";
}

constexpr std::string_view kWithSlo =
    R"("streaming":true,"loadGeneration":"open_loop","slo":[{"metric":"ttft_ms","statistic":"p99",)"
    R"("operator":"<=","value":450,"unit":"ms"}])";

class ServingAnswers : public StoreTest {
 protected:
  void publish(const std::vector<Served>& runs) {
    publish::Bundle bundle;
    bundle.source = {.slug = "lab",
                     .kind = "benchmark",
                     .name = "A laboratory",
                     .policy_json = R"({"license":"MIT","url":"https://example.org"})"};
    for (const Served& run : runs) add_served(bundle, run);
    catalog::Catalog catalog = open();
    publish_ok(catalog, bundle);
  }

  query::Resolver resolver() {
    auto opened = query::Resolver::open(path(), clock_);
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(*opened);
  }

  ServingAnswer resolve(const ServingRequest& request, const query::PageOptions& page = {}) {
    auto answer = resolver().resolve_serving(request, page);
    EXPECT_TRUE(answer) << to_string(answer.error());
    return answer ? std::move(*answer) : ServingAnswer{};
  }

  static ServingRequest maximize(std::optional<std::string> statistic = {}) {
    return {.objective = query::ServingObjectiveAsked{.direction = ServingDirection::maximize,
                                                      .metric = std::string(kTps),
                                                      .statistic = std::move(statistic)}};
  }
  static query::ServingConstraintAsked ttft(ServingOperator op, double value,
                                            std::optional<std::string> statistic = {}) {
    return {.metric = "ttft_ms", .statistic = std::move(statistic), .op = op, .value = value};
  }

  // "1 stack-a, 2 stack-b": rank or "-", and the stack, of the rows of a group.
  static std::string rows(const query::ServingGroup& group) {
    std::string out;
    for (const auto& row : group.rows) {
      out += (out.empty() ? "" : ", ") + (row.rank ? std::to_string(*row.rank) : "-") + " " +
             row.stack + (row.on_frontier ? "*" : "");
    }
    return out;
  }
};

TEST_F(ServingAnswers, ACohortIsRankedByCompetition) {
  publish({{.version = "a", .measurements = tps(90)},
           {.version = "b", .measurements = tps(100)},
           {.version = "c", .measurements = tps(100)},
           {.version = "d", .measurements = tps(80)}});
  const ServingAnswer answer = resolve(maximize("reported"));
  ASSERT_THAT(answer.groups, SizeIs(1));
  EXPECT_THAT(rows(answer.groups[0]),
              testing::AnyOf("1 b*, 1 c*, 3 a, 4 d", "1 c*, 1 b*, 3 a, 4 d"));
  EXPECT_EQ(answer.policy_version, "serving-v1");
  EXPECT_EQ(answer.total_runs, 4);
  EXPECT_EQ(answer.groups[0].description, "m-1 · chat · unspecified · 8× NVIDIA B200 · exact");
  EXPECT_THAT(answer.groups[0].shared_axes, ElementsAre("output_token_throughput_tps·reported"));
}

// A bare objective would rank nothing by the public rule where only `reported` is there (gap 55).
TEST_F(ServingAnswers, ABareObjectiveRanksByTheStatisticThatIsReported) {
  publish({{.version = "a", .measurements = tps(90)}, {.version = "b", .measurements = tps(100)}});
  const ServingAnswer answer = resolve(maximize());
  EXPECT_EQ(rows(answer.groups.at(0)), "1 b*, 2 a");
  ASSERT_TRUE(answer.groups[0].ranking);
  EXPECT_EQ(answer.groups[0].ranking->statistic, "reported");
  EXPECT_EQ(answer.groups[0].ranking->statistic_chosen, "reported");
  const ServingAnswer asked = resolve(maximize("p99"));
  EXPECT_FALSE(asked.groups.at(0).ranking) << "a statistic that is named is taken as it is";
  EXPECT_EQ(rows(asked.groups[0]).substr(0, 1), "-");
}

TEST_F(ServingAnswers, RunsOfOtherTopologiesLoadsAndMetricsAreOtherGroups) {
  publish({{.version = "a", .measurements = tps(1)},
           {.version = "b", .nodes = 2, .measurements = tps(2)},
           {.version = "c", .quality = "other", .measurements = tps(3)},
           {.version = "d", .measurements = tps(4, "mean")},
           {.version = "e", .measurements = tps(5)}});
  const ServingAnswer answer = resolve({});
  EXPECT_EQ(answer.groups_total, 4);
  EXPECT_THAT(answer.groups.at(0).rows, SizeIs(2)) << "most feasible runs first";
  std::set<std::string> topologies;
  for (const auto& group : answer.groups) topologies.insert(group.identity.topology);
  EXPECT_TRUE(topologies.contains("8× NVIDIA B200 × 2 nodes"));
}

TEST_F(ServingAnswers, ConstraintsExcludeAndSayWhy) {
  publish({{.version = "fast", .measurements = with_ttft(90, 420)},
           {.version = "slow", .measurements = with_ttft(100, 450)}});
  ServingRequest request = maximize();
  request.constraints = {ttft(ServingOperator::below, 450)};
  const ServingAnswer answer = resolve(request);
  EXPECT_EQ(rows(answer.groups.at(0)), "1 fast*");
  ASSERT_THAT(answer.groups[0].excluded, SizeIs(1));
  EXPECT_THAT(answer.groups[0].excluded[0].reasons, ElementsAre("CONSTRAINT_UNSATISFIED:ttft_ms"));
  EXPECT_EQ(answer.groups[0].rows[0].constraints.at(0).detail, "measured 420");
  EXPECT_EQ(answer.feasible_runs, 1);
  EXPECT_EQ(answer.matching_runs, 2);
  request.constraints = {ttft(ServingOperator::at_most, 100)};
  const ServingAnswer none = resolve(request);
  EXPECT_THAT(none.groups.at(0).rows, IsEmpty()) << "a group without feasible runs stays";
  EXPECT_THAT(none.groups[0].excluded, SizeIs(2));
}

// The public rule ignores both operators (gap 55).
TEST_F(ServingAnswers, ADeclaredBoundIsHeldAgainstTheOperator) {
  publish({{.load = std::string(kWithSlo), .measurements = tps(1)}});
  const auto state = [&](ServingOperator op, double value) {
    const ServingAnswer answer = resolve({.constraints = std::vector{ttft(op, value)}});
    return answer.groups.at(0).rows.size();
  };
  EXPECT_EQ(state(ServingOperator::at_most, 450), 1U);
  EXPECT_EQ(state(ServingOperator::below, 450), 0U) << "at most 450 is not below 450";
  EXPECT_EQ(state(ServingOperator::below, 451), 1U);
}

// The public answer has one entry for both, the later one (gap 55).
TEST_F(ServingAnswers, ConstraintsThatDifferOnlyInStatisticKeepApart) {
  publish({{.measurements = with_ttft(1, 420)}});
  const ServingAnswer answer =
      resolve({.constraints = std::vector{ttft(ServingOperator::at_most, 450, "p99"),
                                          ttft(ServingOperator::at_most, 450, "mean")}});
  ASSERT_THAT(answer.groups.at(0).rows, IsEmpty());
  EXPECT_THAT(answer.groups[0].excluded.at(0).reasons, ElementsAre("METRIC_NOT_REPORTED:ttft_ms"));
  const ServingAnswer both =
      resolve({.constraints = std::vector{ttft(ServingOperator::at_most, 450, "p99"),
                                          ttft(ServingOperator::at_most, 430, "p99")}});
  std::vector<std::string> outcomes;
  for (const auto& one : both.groups.at(0).rows.at(0).constraints) {
    outcomes.push_back(one.constraint + " " + one.statistic);
  }
  EXPECT_THAT(outcomes, ElementsAre("ttft_ms <= 450 p99", "ttft_ms <= 430 p99"));
}

TEST_F(ServingAnswers, AWrongDirectionIsRefusedAndNamesTheRightOne) {
  publish({{}});
  ServingRequest request = maximize();
  request.objective->metric = "ttft_ms";
  const Issues issues = faults_of(request);
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_EQ(issues[0].pointer, "/objective/direction");
  EXPECT_THAT(issues[0].message, HasSubstr("minimize"));
  EXPECT_FALSE(resolver().resolve_serving(request));
  request.objective->metric = "watts";
  EXPECT_THAT(faults_of(request), IsEmpty()) << "of other metrics nobody knows";
}

TEST_F(ServingAnswers, LimitsOfARequestHoldAtAndPastTheLimit) {
  ServingRequest request{.model = std::string(200, 'm')};
  request.constraints.emplace(8, ttft(ServingOperator::below, 1));
  EXPECT_THAT(faults_of(request), IsEmpty());
  request.model->push_back('m');
  request.constraints->push_back(ttft(ServingOperator::below, 0));
  request.hardware = query::ServingHardwareAsked{.count_maximum = 0};
  std::vector<std::string> pointers;
  for (const Issue& issue : faults_of(request)) pointers.push_back(issue.pointer);
  EXPECT_THAT(pointers, ElementsAre("/model", "/hardware/countMaximum", "/constraints",
                                    "/constraints/8/value"));
}

TEST_F(ServingAnswers, FiltersNarrowAndWildcardsAreText) {
  publish({{.model = "m-1", .version = "a", .accelerator = "AMD Instinct MI355X"},
           {.model = "m-1", .version = "b", .nodes = 2},
           {.model = "m-2", .version = "c", .accelerator = "odd_name"}});
  const auto matching = [&](const ServingRequest& request) {
    return resolve(request).matching_runs;
  };
  const auto on = [](std::string part, std::optional<std::int64_t> most = {}) {
    return ServingRequest{
        .hardware = query::ServingHardwareAsked{.model = std::move(part), .count_maximum = most}};
  };
  EXPECT_EQ(matching({.model = "m-1"}), 2);
  EXPECT_EQ(matching({.model = "m-1", .workload = "chat"}), 2);
  EXPECT_EQ(matching({.workload = "chat"}), 3);
  EXPECT_EQ(matching(on("mi355x")), 1);
  EXPECT_EQ(matching(on("%")), 0) << "% and _ are no wildcards";
  EXPECT_EQ(matching(on("d_n")), 1);
  EXPECT_EQ(matching(on("i_s")), 0);
  EXPECT_EQ(matching(on("", 8)), 2) << "accelerators in all";
  const ServingAnswer unknown = resolve({.model = "m-3"});
  EXPECT_THAT(unknown.groups, IsEmpty());
  EXPECT_THAT(unknown.notes, ElementsAre(HasSubstr("no model with eligible runs is called 'm-3'")));
}

// All runs of a round share one time: a cut by time would be arbitrary (gap 56).
TEST_F(ServingAnswers, EveryRunIsJudgedAndGroupsArePaged) {
  std::vector<Served> runs;
  for (int i = 0; i < 450; ++i) {
    runs.push_back(
        {.name = "run-" + std::to_string(i), .per_node = 1 + i % 45, .measurements = tps(i + 1)});
  }
  publish(runs);
  const ServingRequest request = maximize();
  std::set<std::string> seen;
  query::PageOptions page{.limit = 20};
  int pages = 0;
  for (;;) {
    const ServingAnswer answer = resolve(request, page);
    EXPECT_EQ(answer.matching_runs, 450);
    EXPECT_EQ(answer.groups_total, 45);
    for (const auto& group : answer.groups) {
      EXPECT_TRUE(seen.insert(group.cohort_key).second);
      EXPECT_THAT(group.rows, SizeIs(10));
    }
    ++pages;
    if (!answer.next_cursor) break;
    page.cursor = *answer.next_cursor;
  }
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(seen, SizeIs(45));
  ServingRequest other = request;
  other.model = "m-1";
  const auto foreign = resolver().resolve_serving(other, {.cursor = page.cursor, .limit = 20});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().where, "INVALID_CURSOR");
}

TEST_F(ServingAnswers, AsManyRunsAsAreJudgedMayMatchAndNotOneMore) {
  publish({{.measurements = tps(1)}});
  const auto add_runs = [&](std::int64_t first, std::int64_t end) {
    publish::Bundle chain;
    add_served(chain, {.measurements = tps(1)});
    const std::string one = chain.serving.front().manifest.to_json();
    publish::Bundle bundle;
    for (std::int64_t i = first; i < end; ++i) {
      std::string text = one;
      const std::string_view value = R"("value":1)";
      text.replace(text.find(value), value.size(), R"("value":)" + std::to_string(i));
      auto run = manifest::decode_json(text);
      ASSERT_TRUE(run);
      bundle.serving.push_back({.manifest = std::move(*run)});
    }
    catalog::Catalog catalog = open();
    publish_ok(catalog, bundle);
  };
  add_runs(2, query::kServingRunsMax + 1);
  const ServingAnswer all = resolve(maximize());
  EXPECT_EQ(all.matching_runs, query::kServingRunsMax);
  EXPECT_EQ(all.groups.at(0).rows_total, query::kServingRunsMax);
  EXPECT_THAT(all.groups[0].rows, SizeIs(query::kServingRowsMax));
  EXPECT_EQ(all.groups[0].rows[0].measurements[0].value, query::kServingRunsMax);
  add_runs(query::kServingRunsMax + 1, query::kServingRunsMax + 2);
  const auto refused = resolver().resolve_serving(maximize());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("name a model, a workload or hardware"));
  EXPECT_FALSE(resolver().serving_overview());
}

TEST_F(ServingAnswers, RunsThatAreNotValidArePutInNoGroup) {
  publish({{.version = "a"}, {.version = "b", .status = "invalid"}});
  EXPECT_EQ(resolve({}).matching_runs, 1);
  EXPECT_EQ(resolve({}).facets.models.at(0).runs, 1);
  EXPECT_THAT(resolver().serving_runs()->runs, SizeIs(1));
}

TEST_F(ServingAnswers, ADossierSaysEverythingAboutARun) {
  publish({{.load = std::string(kWithSlo),
            .measurements = with_ttft(90, 420),
            .source_native = R"(,"sourceNative":{"source":"lab","benchmark":"b","scenario":"server",
              "division":"closed","category":"available","externalId":"v1/7"},"caveats":["a preview"])"}});
  const auto page = resolver().serving_runs();
  ASSERT_TRUE(page);
  ASSERT_THAT(page->runs, SizeIs(1));
  const std::string digest = page->runs[0].digest;
  for (const std::string& name : {page->runs[0].id, digest, digest.substr(7, 8)}) {
    const auto run = resolver().serving_run(name);
    ASSERT_TRUE(run) << name << to_string(run.error());
    EXPECT_EQ(run->run.digest, digest);
    EXPECT_EQ(run->attribution.line, "A laboratory · closed/available · v1/7");
    EXPECT_EQ(run->attribution.url, "https://example.org");
    EXPECT_EQ(run->cohort.description, "m-1 · chat · server · 8× NVIDIA B200 · exact");
    EXPECT_EQ(run->configuration.facts.at(0).key, "level");
    EXPECT_EQ(run->workload.slo.at(0).value, 450);
    EXPECT_EQ(run->harness, "lg 5");
    EXPECT_THAT(run->caveats, ElementsAre("a preview"));
    EXPECT_THAT(run->measurements, SizeIs(2));
    EXPECT_FALSE(run->lifecycle.retracted);
  }
  const auto none = resolver().serving_run("sha256:" + std::string(64, '0'));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().where, "SERVING_RUN_NOT_FOUND");
}

TEST_F(ServingAnswers, ListsArePagedAndBoundToTheirFilters) {
  std::vector<Served> runs;
  for (int i = 0; i < 5; ++i) {
    runs.push_back({.stack = "stack-" + std::to_string(i % 2),
                    .options = R"({"level":")" + std::to_string(i) + R"("})",
                    .measurements = tps(i + 1)});
  }
  publish(runs);
  std::set<std::string> seen;
  query::ServingRunsFilter filter{.model = "m-1", .limit = 2};
  for (int pages = 0; pages < 3; ++pages) {
    const auto page = resolver().serving_runs(filter);
    ASSERT_TRUE(page) << to_string(page.error());
    for (const auto& run : page->runs) EXPECT_TRUE(seen.insert(run.id).second);
    EXPECT_EQ(page->next_cursor.has_value(), pages < 2);
    if (!page->next_cursor) break;
    filter.cursor = *page->next_cursor;
  }
  EXPECT_THAT(seen, SizeIs(5));
  filter.model = "m-2";
  EXPECT_EQ(resolver().serving_runs(filter).error().where, "INVALID_CURSOR");
  const auto all = resolver().serving_configurations();
  ASSERT_TRUE(all);
  ASSERT_THAT(*all, SizeIs(5));
  const auto rest = resolver().serving_configurations((*all)[1].id, 2);
  ASSERT_TRUE(rest) << to_string(rest.error());
  ASSERT_THAT(*rest, SizeIs(2));
  EXPECT_EQ((*rest)[0].id, (*all)[2].id);
  EXPECT_EQ((*all)[0].runs, 1);
  EXPECT_FALSE(resolver().serving_configurations("no-such-id"));
}

// The best of all systems is the largest one; beside it stands the best accelerator (gap 56).
TEST_F(ServingAnswers, TheOverviewNamesTheBestAndTheBestOfOneAccelerator) {
  publish({{.version = "small", .per_node = 1, .measurements = tps(200)},
           {.version = "large", .per_node = 8, .measurements = tps(900)},
           {.model = "m-2", .version = "other", .measurements = R"([{"metric":"watts","unit":"w",
             "statistic":"mean","value":3}])"}});
  const auto overview = resolver().serving_overview();
  ASSERT_TRUE(overview) << to_string(overview.error());
  ASSERT_THAT(overview->pairs, SizeIs(2));
  const auto& pair = overview->pairs[0];
  EXPECT_EQ(pair.model.slug, "m-1");
  EXPECT_EQ(pair.runs, 2);
  EXPECT_EQ(pair.configurations, 2);
  EXPECT_EQ(pair.best->stack, "large");
  EXPECT_EQ(pair.best_per_accelerator->stack, "small");
  EXPECT_EQ(pair.best_per_accelerator->value, 200);
  EXPECT_FALSE(overview->pairs[1].best);
}

}  // namespace
}  // namespace ki::test
