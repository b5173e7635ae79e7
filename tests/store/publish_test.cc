// publish() on real files: what it inserts, refuses, keeps pending, supersedes and leaves alone.

#include <algorithm>

#include "store/store_test.h"

namespace ki::test {
namespace {

using publish::Action;
using publish::Bundle;
using testing::HasSubstr;

class Publish : public StoreTest {};

TEST_F(Publish, StoresEverythingAndDerivesTheRecord) {
  catalog::Catalog catalog = open();
  const auto report = publish_ok(catalog, bundle_of({{"slow", 2000, "2026-01-01T00:00:00Z"},
                                                     {"fast", 1000, "2026-01-02T00:00:00Z"}}));
  EXPECT_EQ(report.inserted, 9);  // project operation workload 2 implementations 2 runs + 2
  EXPECT_EQ(report.existing, 0);
  EXPECT_EQ(report.record_events, 2);
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(holder(catalog), "fast");
  EXPECT_EQ(events(catalog), ">slow new_run, slow>fast new_run");
  EXPECT_EQ(text(catalog, "SELECT eligible_runs || ' ' || best_value FROM cohort"), "2 1000.0");
  EXPECT_EQ(text(catalog, "SELECT alias FROM operation_alias"), "saxpy");
  EXPECT_EQ(text(catalog, "SELECT field FROM search_term WHERE term = 'saxpy'"), "alias");
  EXPECT_EQ(text(catalog, "SELECT name || '=' || value FROM workload_axis"), "n=1024");
  EXPECT_EQ(text(catalog, "SELECT action || ' ' || actor FROM audit"), "publish local");
  EXPECT_EQ(text(catalog, "SELECT shape_summary || dtypes FROM workload"), "[1024][\"fp32\"]");
}

TEST_F(Publish, TheSameBundleAgainChangesNothing) {
  catalog::Catalog catalog = open();
  const auto providers = std::vector<Provider>{{"a", 2000}, {"b", 1000}};
  publish_ok(catalog, bundle_of(providers));
  const auto before = counts(catalog);
  const auto again = publish_ok(catalog, bundle_of(providers));
  EXPECT_EQ(again.inserted, 0);
  EXPECT_EQ(again.existing, 9);
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(counts(catalog), before);
}

TEST_F(Publish, ADryRunReportsAndWritesNothing) {
  catalog::Catalog catalog = open();
  const auto before = counts(catalog);
  const auto report = publish_ok(catalog, bundle_of({{"a"}}), {.dry_run = true});
  EXPECT_EQ(report.inserted, 7);
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(counts(catalog), before);
}

TEST_F(Publish, TheOrderOfEntriesDoesNotMatter) {
  const std::vector<Provider> providers{{"a", 1000}, {"b", 900}, {"c", 900}, {"d", 800}};
  std::string first;
  for (const bool reversed : {false, true}) {
    std::filesystem::remove(path());
    catalog::Catalog catalog = open();
    Bundle bundle = bundle_of(providers);
    if (reversed) std::ranges::reverse(bundle.runs);
    publish_ok(catalog, bundle);
    if (!reversed) first = events(catalog);
    EXPECT_EQ(events(catalog), first);
  }
}

TEST_F(Publish, AnErrorLeavesTheCatalogAsItWas) {
  catalog::Catalog catalog = open();
  const auto before = counts(catalog);
  Bundle bundle = bundle_of({{"a"}, {"b"}});
  bundle.implementations.back().project_slug = "nobody";
  const auto refused = publish::publish(catalog, bundle, clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
  EXPECT_THAT(refused.error().message, HasSubstr("\"nobody\""));
  EXPECT_EQ(counts(catalog), before);
}

TEST_F(Publish, ASlugNamesOneOperation) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, bundle_of({{"a"}}));
  Bundle other;
  other.operations.push_back({.manifest = operation("other"), .slug = "axpy"});
  const std::string digest = to_string(other.operations[0].manifest.digest());
  const auto refused = publish::publish(catalog, other, clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr(digest));
  EXPECT_THAT(refused.error().message, HasSubstr(to_string(operation().digest())));
}

TEST_F(Publish, RefusesWhatDoesNotFitTogether) {
  catalog::Catalog catalog = open();
  Bundle wrong_protocol = bundle_of({{"a"}});
  wrong_protocol.runs[0].protocol = protocol("another");
  EXPECT_THAT(publish::publish(catalog, wrong_protocol, clock_).error().message,
              HasSubstr("protocolDigest"));

  Bundle no_protocol = bundle_of({{"a"}});
  no_protocol.runs[0].protocol.reset();
  EXPECT_THAT(publish::publish(catalog, no_protocol, clock_).error().message,
              HasSubstr("neither in the bundle nor in the catalog"));

  Bundle wrong_kind = bundle_of({{"a"}});
  wrong_kind.workloads[0].manifest = operation();
  EXPECT_EQ(publish::publish(catalog, wrong_kind, clock_).error().code, Code::invalid);

  Bundle no_operation = bundle_of({{"a"}});
  no_operation.operations.clear();
  EXPECT_THAT(publish::publish(catalog, no_operation, clock_).error().message,
              HasSubstr("names the operation"));

  Bundle bad_content = bundle_of({{"a"}});
  bad_content.runs[0].artifacts.push_back(
      {.role = "logs", .kind = "log", .media_type = "text/plain", .content = "hello"});
  EXPECT_EQ(publish::publish(catalog, bad_content, clock_).error().code, Code::invalid);
  EXPECT_EQ(counts(catalog).count("run"), 0U);
}

TEST_F(Publish, APassedRunNeedsAValue) {
  catalog::Catalog catalog = open();
  Bundle bundle = bundle_of({{"a"}});
  const manifest::Manifest& old = bundle.runs[0].run;
  const auto digest = [&](std::string_view key) { return old.spec().find(key)->string(); };
  bundle.runs[0].run =
      make("BenchmarkRun", "empty",
           "{\"implementationDigest\":\"" + std::string(digest("implementationDigest")) +
               "\",\"workloadDigest\":\"" + std::string(digest("workloadDigest")) +
               "\",\"protocolDigest\":\"" + std::string(digest("protocolDigest")) +
               "\",\"environmentDigest\":\"" + std::string(digest("environmentDigest")) +
               "\",\"status\":\"passed\",\"observedAt\":\"2026-01-01T00:00:00Z\"}");
  EXPECT_EQ(publish::publish(catalog, bundle, clock_).error().code, Code::invalid);
  bundle.workloads.clear();  // pending evidence is held to it too
  EXPECT_EQ(publish::publish(catalog, bundle, clock_).error().code, Code::invalid);
}

TEST_F(Publish, FailedRunsAreKeptButDoNotStand) {
  catalog::Catalog catalog = open();
  Bundle bundle = bundle_of({{"a"}});
  const auto& spec = bundle.runs[0].run.spec();
  bundle.runs.push_back(
      run({.implementation = *parse_digest(spec.find("implementationDigest")->string()),
           .workload = *parse_digest(spec.find("workloadDigest")->string()),
           .latency_ns = 1,
           .status = "incorrect_numerical"}));
  publish_ok(catalog, bundle);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM run"), "2");
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM standing"), "1");
  EXPECT_EQ(text(catalog, "SELECT best_value FROM cohort"), "1000.0");
}

TEST_F(Publish, EvidenceWaitsForWhatItNamesAndIsCompletedByIt) {
  catalog::Catalog catalog = open();
  Bundle whole = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"}});
  Bundle seed;
  seed.source = whole.source;
  seed.runs = std::move(whole.runs);
  seed.runs[0].source_row = 7;
  whole.runs.clear();

  const auto first = publish_ok(catalog, seed);
  EXPECT_EQ(first.pending, 1);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM run"), "0");
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM standing"), "0");
  const std::string pending_id = text(catalog, "SELECT id FROM pending_run");
  EXPECT_FALSE(publish_ok(catalog, seed).changed);

  const auto second = publish_ok(catalog, whole);
  EXPECT_EQ(second.completed, 1);
  EXPECT_EQ(second.record_events, 1);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM pending_run"), "0");
  EXPECT_EQ(run_of(catalog, "a"), pending_id);
  EXPECT_EQ(holder(catalog), "a");
  EXPECT_EQ(text(catalog, "SELECT external_id || ' ' || source_row FROM source_link"), "row/1 7");
  EXPECT_EQ(publish_ok(catalog, seed).existing, 3);  // run, protocol, environment
}

TEST_F(Publish, EvidenceThatLacksTwoThingsWaitsForBoth) {
  catalog::Catalog catalog = open();
  Bundle whole = bundle_of({{"a"}});
  Bundle seed;
  seed.runs = std::move(whole.runs);
  whole.runs.clear();
  Bundle later;
  later.implementations = std::move(whole.implementations);
  whole.implementations.clear();
  publish_ok(catalog, seed);
  EXPECT_EQ(publish_ok(catalog, whole).completed, 0);
  EXPECT_EQ(publish_ok(catalog, later).completed, 1);
}

TEST_F(Publish, ALateFasterRunRewritesHistoryAndSaysSo) {
  catalog::Catalog catalog = open();
  publish_ok(catalog,
             bundle_of({{"a", 1000, "2026-01-02T00:00:00Z"}, {"b", 900, "2026-01-04T00:00:00Z"}}));
  const std::string kept = text(catalog, "SELECT id FROM record_event ORDER BY at LIMIT 1");
  publish_ok(catalog, bundle_of({{"late", 800, "2026-01-03T00:00:00Z"}}));
  EXPECT_EQ(events(catalog), ">a new_run, a>late new_run");
  EXPECT_EQ(holder(catalog), "late");
  EXPECT_EQ(text(catalog, "SELECT id FROM record_event ORDER BY at LIMIT 1"), kept);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM audit WHERE action = 'rewrite_history'"), "1");
}

TEST_F(Publish, ANewRevisionOfAnObservationSupersedes) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"}}));
  const std::string older = run_of(catalog, "a");
  const auto report =
      publish_ok(catalog, bundle_of({{"a", 1100, "2026-01-05T00:00:00Z", "row/1"}}));
  EXPECT_EQ(report.superseded, 1);
  EXPECT_EQ(text(catalog, "SELECT best_value FROM cohort"), "1100.0");
  EXPECT_EQ(text(catalog, "SELECT actor || ' ' || action FROM correction"), "import supersede");
  EXPECT_EQ(text(catalog, "SELECT superseded_run_id FROM correction"), older);
  const auto again = publish_ok(catalog, bundle_of({{"a", 1100, "2026-01-05T00:00:00Z", "row/1"}}));
  EXPECT_FALSE(again.changed);
  EXPECT_TRUE(again.ambiguities.empty());
}

TEST_F(Publish, ARunThatNoLongerStandsIsSaidWhenItComesAgain) {
  catalog::Catalog catalog = open();
  const Bundle first = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"}});
  publish_ok(catalog, first);
  publish_ok(catalog, bundle_of({{"a", 1100, "2026-01-05T00:00:00Z", "row/1"}}));
  const auto reverted = publish_ok(catalog, first);
  EXPECT_FALSE(reverted.changed);
  EXPECT_THAT(reverted.ambiguities,
              ::testing::ElementsAre(::testing::HasSubstr("is superseded by run ")));
  EXPECT_EQ(text(catalog, "SELECT best_value FROM cohort"), "1100.0");
}

TEST_F(Publish, AnOlderObservationNeverSupersedesANewerOne) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, bundle_of({{"a", 1100, "2026-01-05T00:00:00Z", "row/1"}}));
  const auto report =
      publish_ok(catalog, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"}}));
  EXPECT_EQ(report.superseded, 1);  // the one that arrived last, by the newer
  EXPECT_EQ(text(catalog, "SELECT best_value FROM cohort"), "1100.0");
}

TEST_F(Publish, OneBundleIsOneStateOfItsSource) {
  catalog::Catalog catalog = open();
  const auto report =
      publish_ok(catalog, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "submission/1"},
                                     {"b", 1100, "2026-01-02T00:00:00Z", "submission/1"}}));
  EXPECT_EQ(report.superseded, 0);
  EXPECT_EQ(text(catalog, "SELECT eligible_runs FROM cohort"), "2");
}

TEST_F(Publish, TwoMappingsOfOneObservationStandBesideEachOther) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"}}));
  Bundle other = bundle_of({});
  manifest::Manifest spec = operation("other");
  manifest::Manifest work = workload(spec.digest());
  manifest::Manifest by = implementation(spec.digest(), "x");
  other.runs.push_back(run({.implementation = by.digest(),
                            .workload = work.digest(),
                            .observed_at = "2026-01-09T00:00:00Z",
                            .external_id = "row/1"}));
  other.operations.push_back({.manifest = std::move(spec), .slug = "other"});
  other.workloads.push_back({.manifest = std::move(work)});
  other.implementations.push_back(
      {.manifest = std::move(by), .slug = "x", .project_slug = "kernels"});
  EXPECT_EQ(publish_ok(catalog, other).superseded, 0);
}

TEST_F(Publish, TheFirstEditorialDataWinsButPoliciesAndTagsAreReplaced) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, bundle_of({{"a"}}));
  Bundle changed = bundle_of({{"a"}});
  changed.source.name = "Another name";
  changed.source.policy_json = R"({"license":"MIT"})";
  changed.operations[0].tags = {"level-1", "blas"};
  changed.operations[0].aliases = {"Axpy-Two"};
  changed.implementations[0].slug = "renamed";
  EXPECT_TRUE(publish_ok(catalog, changed).changed);
  EXPECT_EQ(text(catalog, "SELECT name FROM source"), "A laboratory");
  EXPECT_EQ(text(catalog, "SELECT policy FROM source"), R"({"license":"MIT"})");
  EXPECT_EQ(text(catalog, "SELECT slug FROM implementation"), "a");
  EXPECT_EQ(text(catalog,
                 "SELECT group_concat(tag) FROM (SELECT tag FROM operation_tag"
                 " ORDER BY ordinal)"),
            "level-1,blas");
  EXPECT_EQ(text(catalog,
                 "SELECT group_concat(alias) FROM (SELECT alias FROM operation_alias"
                 " ORDER BY alias)"),
            "axpy-two,saxpy");
  EXPECT_EQ(text(catalog, "SELECT term FROM search_term WHERE term = 'level'"), "level");
  changed.operations[0].tags.clear();  // none brought: they stay
  EXPECT_FALSE(publish_ok(catalog, changed).changed);
}

TEST_F(Publish, RowsFromAnotherCatalogKeepTheirIdsAndTimes) {
  catalog::Catalog catalog = open();
  Bundle bundle = bundle_of({{"a"}});
  const std::string run_id = "01a00328-723d-752f-b21f-bccbae31e07b";
  const std::string event_id = "01a00328-723d-752f-b21f-bccbae31e07c";
  const std::string then = "2025-08-15T02:02:57.440Z";
  bundle.operations[0].preset = {.id = "01a00328-723d-752f-b21f-bccbae31e001", .created_at = then};
  bundle.runs[0].preset = {
      .row = {.id = run_id, .created_at = then},
      .published_at = "2025-08-16T00:00:00.000Z",
      .measurements = {{.metric = "latency", .statistic = "median", .id = "m-1"}}};
  bundle.record_events.push_back({.run_id = run_id,
                                  .cause = "new_run",
                                  .policy_version = "ranking-v1",
                                  .row = {.id = event_id, .created_at = then}});
  publish_ok(catalog, bundle);
  EXPECT_EQ(text(catalog, "SELECT created_at FROM operation"), then);
  EXPECT_EQ(text(catalog, "SELECT id || published_at FROM run"),
            run_id + "2025-08-16T00:00:00.000Z");
  EXPECT_EQ(text(catalog, "SELECT id FROM measurement"), "m-1");
  EXPECT_EQ(text(catalog, "SELECT id || policy_version || created_at FROM record_event"),
            event_id + "ranking-v1" + then);
  EXPECT_EQ(text(catalog, "SELECT indexed_at FROM holder"), "2025-08-16T00:00:00.000Z");
}

TEST_F(Publish, RefusesAnActorOrAFileNameThatIsNoText) {
  catalog::Catalog catalog = open();
  const std::string bytes = "caf\xE9";
  for (const std::string& actor : {bytes, std::string(), std::string(" "), std::string(201, 'a')}) {
    const auto refused = publish::publish(catalog, bundle_of({{"a"}}), clock_, {.actor = actor});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::invalid);
    EXPECT_EQ(refused.error().where, "actor");
  }
  Bundle bundle = bundle_of({{"a"}});
  bundle.snapshots.push_back({.locator = bytes, .content_digest = sha256("file")});
  EXPECT_EQ(publish::publish(catalog, bundle, clock_).error().code, Code::invalid);
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) FROM run"), "0");
}

TEST_F(Publish, AnUnpublishedRunIsKeptAndNotListed) {
  catalog::Catalog catalog = open();
  Bundle bundle = bundle_of({{"a"}});
  bundle.runs[0].preset = {.row = {.id = "01a00328-723d-752f-b21f-bccbae31e07b",
                                   .created_at = "2025-08-15T02:02:57.440Z"}};
  publish_ok(catalog, bundle);
  EXPECT_EQ(text(catalog, "SELECT published_at FROM run"), "null");
  EXPECT_EQ(text(catalog, "SELECT eligible_runs FROM cohort"), "0");
  EXPECT_EQ(events(catalog), "null");
}

}  // namespace
}  // namespace ki::test
