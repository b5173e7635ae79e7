// What each page says of the model it is given.

#include "web/pages/pages.h"

#include <map>

#include <gtest/gtest.h>

#include "policy/assessment.h"
#include "web/assets.h"
#include "web/parts.h"
#include "web/testing.h"

namespace ki::web {
namespace {

query::RunDossier a_run() {
  query::RunDossier run;
  run.run = {.id = "01a0202b-0000-7000-8000-000000000001",
             .digest = "sha256:521a0b1ea67f4bccad75b0d0000000000000000000000000000000000000abcd",
             .status = "passed",
             .observed_at = "2025-05-27T15:10:05.000Z",
             .published_at = "2026-08-20T00:00:00.000Z"};
  run.evidence = "reported";
  run.primary = {.metric = "latency",
                 .unit = "ns",
                 .statistic = "median",
                 .value = 24104448,
                 .sample_count = {},
                 .uncertainty = {},
                 .spread = query::Interval{.low = 24077312, .high = 24161880}};
  run.has_primary = true;
  run.cohort.comparison_key = "sha256:26ef5727";
  run.cohort.profile = "source_native";
  run.cohort.rank = 2;
  run.cohort.size = 2;
  run.cohort.eligible = true;
  run.cohort.head_run_id = "leader";
  run.implementation = {.name = "PyTorch", .slug = "pytorch", .revision = {}};
  run.operation = {.name = "Fused neighborhood attention", .slug = "fna"};
  return run;
}

TEST(RunPage, StatesTheValueTheRankAndTheWayToTheLeader) {
  const std::string html = text_of(run_page(a_run(), {}, kContext));
  EXPECT_NE(html.find(">24.1 ms<"), std::string::npos);
  EXPECT_NE(html.find("24104448 ns"), std::string::npos);
  EXPECT_NE(html.find(">Rank 2 of 2</a> in its comparison group"), std::string::npos);
  EXPECT_NE(html.find("source-native comparison"), std::string::npos);
  EXPECT_NE(html.find("/compare?runs=leader%2C01a0202b"), std::string::npos);
  EXPECT_NE(html.find("Marked passed by the source"), std::string::npos);
  EXPECT_NE(html.find("No artifacts published"), std::string::npos);
  EXPECT_NE(html.find("No attestations yet."), std::string::npos);
  EXPECT_NE(html.find("ki attest "), std::string::npos) << "how to add one";
}

TEST(RunPage, ShowsTheSamplesThatTheCatalogHolds) {
  query::SamplesReport report;
  report.run_id = "01a0202b";
  report.samples.metric = "latency";
  report.samples.unit = "ns";
  report.samples.launches = {{.values = {2e6, 2.1e6}}, {.values = {2.2e6}}};
  report.count = 3;
  report.median = 2.1e6;
  report.samples.call_bytes = 4.2e6;
  report.bytes_per_s = 2e9;
  const std::string html = text_of(run_page(a_run(), report, kContext));
  EXPECT_NE(html.find("3 samples from 2.00 ms to 2.20 ms"), std::string::npos) << html;
  EXPECT_NE(html.find("2.00 GB/s"), std::string::npos);
  EXPECT_NE(html.find("/api/v1/runs/01a0202b/samples"), std::string::npos);
  EXPECT_EQ(text_of(run_page(a_run(), {}, kContext)).find("<h2>Samples"), std::string::npos);
}

TEST(RunPage, ARunWithoutAValueShowsNone) {
  query::RunDossier run = a_run();
  run.has_primary = false;
  run.primary.value = 0;
  run.run.status = "runtime_error";
  const std::string html = text_of(run_page(run, {}, kContext));
  EXPECT_NE(html.find("No value"), std::string::npos);
  EXPECT_EQ(html.find("0 ns"), std::string::npos);
}

TEST(RunPage, UnknownSpreadIsSaidNotDrawn) {
  query::RunDossier run = a_run();
  run.primary.spread.reset();
  EXPECT_NE(text_of(run_page(run, {}, kContext)).find("spread unknown"), std::string::npos);
}

TEST(RunPage, PendingEvidenceSaysWhatIsMissing) {
  query::RunDossier run = a_run();
  run.pending = true;
  run.pending_reasons = {{.code = "WORKLOAD_UNKNOWN", .text = "the workload is not published"}};
  const std::string html = text_of(run_page(run, {}, kContext));
  EXPECT_NE(html.find("Pending evidence"), std::string::npos);
  EXPECT_NE(html.find("the workload is not published"), std::string::npos);
}

TEST(SearchPage, PagesThroughAGroupAndKeepsTheQuery) {
  query::Envelope envelope{};
  envelope.mode = query::Mode::exact;
  envelope.query = "rmsnorm & co";
  envelope.groups.exact.resize(120);
  envelope.totals.exact = 170;
  const std::string first = text_of(search_page(envelope, {}, kContext));
  EXPECT_NE(first.find("1 to 50 of 170"), std::string::npos);
  EXPECT_NE(first.find("q=rmsnorm%20%26%20co&amp;group=exact&amp;offset=50"), std::string::npos);
  const std::string last =
      text_of(search_page(envelope, {.group = "exact", .cohort = "", .offset = 120}, kContext));
  EXPECT_NE(last.find("offset=70"), std::string::npos);
}

TEST(SearchPage, NamesTheFastestVerifiedAndThatOfEachLanguage) {
  query::Envelope envelope{};
  envelope.mode = query::Mode::exact;
  query::Row row;
  row.implementation = {.name = "Quick <b>", .slug = "quick"};
  row.language = "triton";
  envelope.fastest = envelope.best_verified = row;
  envelope.fastest_by_language = {row};
  EXPECT_EQ(text_of(search_page(envelope, {}, kContext)).find("Fastest by language"),
            std::string::npos);
  row.language = "cuda";
  envelope.fastest_by_language.push_back(row);
  const std::string html = text_of(search_page(envelope, {}, kContext));
  EXPECT_NE(html.find("Fastest verified"), std::string::npos);
  EXPECT_NE(html.find("Fastest by language: triton <a"), std::string::npos) << html;
  EXPECT_EQ(html.find("Quick <b>"), std::string::npos);
}

TEST(SearchPage, SaysWhenTheFastestIsNoWinner) {
  query::Envelope envelope{};
  envelope.mode = query::Mode::exact;
  envelope.fastest.emplace();
  for (const auto& [code, heading] : std::map<std::string, std::string_view>{
           {"winner", "<h3>Fastest known</h3>"},
           {"tie", "<h3>Fastest known (shared)</h3>"},
           {"not_enough_evidence", "<h3>Fastest known (not claimed)</h3>"}}) {
    envelope.verdict = {.code = code, .text = "", .run_ids = {}};
    EXPECT_NE(text_of(search_page(envelope, {}, kContext)).find(heading), std::string::npos)
        << code;
  }
}

TEST(SearchPage, SaysWhatIsLeftOutAndWhy) {
  query::Envelope envelope{};
  envelope.mode = query::Mode::exact;
  envelope.totals.unmet = 7;
  query::UnmetRow one;
  one.row.implementation = {.name = "Quick", .slug = "quick"};
  one.failed = {{.field = "license", .requested = "mit", .observed = "GPL-3.0-only"}};
  envelope.unmet.push_back(one);
  const std::string html = text_of(search_page(envelope, {}, kContext));
  EXPECT_NE(html.find("7 left out"), std::string::npos);
  EXPECT_NE(html.find("license mit is required, it has GPL-3.0-only"), std::string::npos);
}

TEST(ComparePage, RefusesAWinnerAcrossGroups) {
  query::Comparison comparison;
  comparison.runs.resize(2);
  comparison.comparable = false;
  comparison.explanation = "They differ.";
  comparison.first_material_mismatch = "environment";
  comparison.fields = {
      {.field = "operation", .material = true, .values = {"x", "x"}, .differs = false},
      {.field = "environment",
       .material = true,
       .values = {"NVIDIA A", "NVIDIA B"},
       .differs = true}};
  const std::string html = text_of(compare_page({"a", "b"}, &comparison, kContext));
  EXPECT_LT(html.find("Not comparable."), html.find("First material difference"));
  EXPECT_LT(html.find("First material difference"), html.find("<table"));
  EXPECT_NE(html.find("<strong>environment</strong>"), std::string::npos);
  EXPECT_EQ(html.find("times the first run"), std::string::npos);
}

TEST(ComparePage, SaysVerdictAndWorkloadOnce) {
  query::Comparison comparison;
  comparison.runs.resize(2);
  for (auto& run : comparison.runs) run.workload_label = "n = 64";
  comparison.comparable = true;
  comparison.explanation = "Liger leads";
  comparison.verdict = query::Verdict{.code = "winner", .text = "Liger leads", .run_ids = {}};
  comparison.fields = {
      {.field = "workload", .material = true, .values = {"n = 64", "n = 64"}, .differs = false}};
  std::string html = text_of(compare_page({"a", "b"}, &comparison, kContext));
  html.resize(html.find("<h2>Copy"));
  EXPECT_EQ(times(html, "Liger leads"), 1U) << html;
  EXPECT_EQ(times(html, "n = 64"), 1U) << html;
  EXPECT_EQ(times(html, "First material difference"), 0U);
}

query::RecordsPage a_record() {
  query::RecordsPage page;
  page.total = 1;
  query::Holder& holder = page.records.emplace_back();
  holder.operation = {.name = "RoPE", .slug = "rope"};
  holder.workload_summary = "n = 64";
  holder.hardware = "NVIDIA H100";
  holder.environment_summary = "CUDA 12.8";
  holder.current.primary.emplace();
  holder.current.primary->metric = "latency";
  holder.current.primary->statistic = "median";
  holder.current.pass = "backward";
  holder.verdict = {.code = "tie", .text = "2 runs share the first rank", .run_ids = {}};
  return page;
}

TEST(RecordsPage, ARowNamesProductPassMetricAndClaimAlsoAtHome) {
  const auto records = a_record();
  for (const std::string& html : {text_of(records_page(records, {}, {}, kContext)),
                                  text_of(home_page({}, records, {}, kContext))}) {
    for (const std::string_view part :
         {"NVIDIA H100", "median latency, backward", ">shared<", "Last published first"}) {
      EXPECT_NE(html.find(part), std::string::npos) << part;
    }
  }
}

TEST(Home, ShowsOneRecordOfEachOperation) {
  auto records = a_record();
  for (int i = 0; i < 30; ++i) records.records.push_back(records.records.front());
  records.records.push_back(records.records.front());
  records.records.back().operation = {.name = "Softmax", .slug = "softmax"};
  const std::string html = text_of(home_page({}, records, {}, kContext));
  const std::string_view link = "/operations/rope";
  const auto first = html.find(link);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(html.find(link, first + link.size()), std::string::npos);
  EXPECT_NE(html.find("/operations/softmax"), std::string::npos);
}

TEST(RecordsPage, FiltersAreAFormThatPagesKeep) {
  auto records = a_record();
  records.next_cursor = "next";
  records.not_applied = {{.parameter = "hardware", .value = "H9", .text = "near it: H100"}};
  query::HardwareList products;
  products.hardware.resize(2);
  products.hardware[0].model = "NVIDIA H100";
  products.hardware[0].kernel_runs = 1;
  products.hardware[1].model = "served only";
  const query::RecordsFilter filter{.words = "rope \"x\"",
                                    .hardware = "NVIDIA H100",
                                    .with_source = true,
                                    .trust = "verified",
                                    .without_baselines = true,
                                    .order = query::RecordOrder::gain};
  const Page page = records_page(records, filter, products, kContext);
  const std::string html = text_of(page);
  for (const std::string_view part :
       {R"(value="rope &quot;x&quot;")", R"(<option value="NVIDIA H100" selected>)",
        R"(<option value="gain" selected>)", R"(value="source" checked>)", "near it: H100",
        R"(value="verified" checked>)", R"(value="hide" checked>)",
        "with=source&amp;trust=verified&amp;baselines=hide&amp;sort=gain&amp;cursor=next"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  }
  EXPECT_EQ(html.find("served only"), std::string::npos);
  EXPECT_EQ(
      page.commands.back(),
      R"(ki records --words 'rope "x"' --hardware 'NVIDIA H100' --with-source --trust verified )"
      "--without-baselines --sort gain");
  const std::string none = text_of(records_page({}, filter, products, kContext));
  EXPECT_NE(none.find("No record fits."), std::string::npos);
}

TEST(HomePage, SaysWhatTheAnswersRestOn) {
  query::SourcesList sources;
  sources.sources.resize(2);
  sources.sources[0].name = "Bench <1>";
  sources.sources[0].runs = 30;
  sources.sources[0].last_fetched = "2025-01-02T00:00:00.000Z";
  sources.sources[0].stale = true;
  sources.sources[1].name = "without runs";
  query::CatalogCounts counts;
  counts.eligible_runs = 40;
  counts.reproducible_runs = 10;
  const std::string html = text_of(home_page(counts, {}, sources, kContext));
  for (const std::string_view part :
       {"Bench &lt;1&gt;", "out of date", "30 reported", "10 reproducible", R"(width="75.00%")",
        "No value was measured again here"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  }
  EXPECT_EQ(html.find("without runs"), std::string::npos);
  counts.verified_runs = 4;
  const std::string measured = text_of(home_page(counts, {}, sources, kContext));
  for (const std::string_view part : {"30 reported", "6 reproducible", "4 verified"}) {
    EXPECT_NE(measured.find(part), std::string::npos) << part << "\n" << measured;
  }
  EXPECT_EQ(measured.find("No value was measured again"), std::string::npos);
}

TEST(SourcesPage, SaysWhoseMeasurementsAreBelieved) {
  query::RunnersList runners;
  EXPECT_EQ(text_of(sources_page({}, runners, kContext)).find("Runners"), std::string::npos);
  runners.runners.resize(2);
  runners.runners[0] = {
      .key_id = "sha256:aa", .state = "approved", .machines = {}, .runs = 7, .decisions = {}};
  runners.runners[0].decisions.push_back({.id = "1",
                                          .action = "approve",
                                          .actor = "anna",
                                          .reason = "our <lab>",
                                          .at = "2026-01-02T00:00:00.000Z"});
  runners.runners[1] = {
      .key_id = "sha256:bb", .state = "unknown", .machines = {}, .runs = 1, .decisions = {}};
  const std::string html = text_of(sources_page({}, runners, kContext));
  for (const std::string_view part :
       {"approved", "our &lt;lab&gt;, by anna", "nobody decided about it"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  }
}

TEST(RowsTable, EachRowSaysWhyItIsRankedOrNot) {
  query::Row row;
  row.run_id = "r1";
  row.rank = 2;
  row.cohort_size = 5;
  row.rank_reasons = {{.code = "BEHIND", .text = "slower"}};
  row.differs = {{.field = "hardware", .requested = "a", .observed = "b"}};
  row.comparison_key = "sha256:k";
  const std::string ranked =
      text_of({.title = "", .body = rows_table({&row, 1}, {.caption = "c"})});
  EXPECT_NE(ranked.find("Why this rank"), std::string::npos) << ranked;
  EXPECT_NE(ranked.find("slower"), std::string::npos);
  const std::string not_ranked =
      text_of({.title = "", .body = rows_table({&row, 1}, {.caption = "c", .ranked = false})});
  for (const std::string_view part : {"Why not ranked here", "conditions that differ: hardware",
                                      "Rank 2 of 5 in its own group"}) {
    EXPECT_NE(not_ranked.find(part), std::string::npos) << part << "\n" << not_ranked;
  }
}

query::OperationsList operations_of(int count) {
  query::OperationsList list;
  for (int i = 0; i < count; ++i) {
    list.operations.emplace_back().slug = "op-" + std::to_string(i);
  }
  return list;
}

TEST(OperationsPage, PagesThroughTheListAndKeepsTheWords) {
  const auto list = operations_of(120);
  const std::string first = text_of(operations_page(list, {.words = "a b", .offset = 0}, kContext));
  EXPECT_NE(first.find("/operations/op-0\""), std::string::npos);
  EXPECT_EQ(first.find("/operations/op-50\""), std::string::npos);
  EXPECT_NE(first.find("1 to 50 of 120"), std::string::npos);
  EXPECT_NE(first.find("q=a%20b&amp;offset=50"), std::string::npos);
  const std::string last = text_of(operations_page(list, {.words = "", .offset = 100}, kContext));
  EXPECT_NE(last.find("/operations/op-119\""), std::string::npos);
  EXPECT_EQ(last.find("rel=\"next\""), std::string::npos);
  const std::string past = text_of(operations_page(list, {.words = "", .offset = 500}, kContext));
  EXPECT_NE(past.find("No operation here."), std::string::npos);
}

TEST(ImplementationPage, SaysInWordsWhatItsUseLacks) {
  query::ImplementationDossier dossier;
  dossier.source.available = true;
  dossier.deployability = {
      {.code = "NO_INSTALL_RECIPE", .text = policy::deployability_text("NO_INSTALL_RECIPE")}};
  const std::string html = text_of(implementation_page(dossier, kContext));
  EXPECT_NE(html.find(">no install recipe is stated<"), std::string::npos) << html;
  EXPECT_EQ(html.find("Install recipe"), std::string::npos) << html;
  dossier.deployability.clear();
  dossier.usage.recipe = query::InstallRecipe{
      .kind = "pip", .package = "a<b", .version = {}, .repository = {}, .commit = {}};
  const std::string usable = text_of(implementation_page(dossier, kContext));
  EXPECT_NE(usable.find("Install recipe: pip package a&lt;b. No command is stated."),
            std::string::npos)
      << usable;
  query::Row row;
  row.deployability_reasons = {"NO_INSTALL_RECIPE"};
  const std::string table(rows_table(std::span(&row, 1), {.caption = ""}).text());
  EXPECT_NE(table.find("no install recipe is stated"), std::string::npos) << table;
  EXPECT_EQ(table.find(">NO_INSTALL_RECIPE"), std::string::npos);
}

TEST(SearchPage, ListsOnlyProductsWithRunsAndCountsTheRest) {
  query::Envelope envelope{};
  envelope.mode = query::Mode::exact;
  envelope.variants.resize(3);
  envelope.variants[0].label = "Measured";
  envelope.variants[0].runs = 1;
  envelope.variants[1].label = envelope.variants[2].label = "Never";
  const std::string html = text_of(search_page(envelope, {}, kContext));
  EXPECT_NE(html.find(">Measured</a>"), std::string::npos);
  EXPECT_NE(html.find("1 run<"), std::string::npos);
  EXPECT_EQ(html.find("Never"), std::string::npos);
  EXPECT_NE(html.find("2 more products of this name have no run here"), std::string::npos);
}

TEST(Shortened, KeepsBothEndsOfADigest) {
  EXPECT_EQ(shortened("short"), "short");
  EXPECT_EQ(shortened("sha256:521a0b1ea67f4bccad75b0dabcdef"), "sha256:521a0b1e…abcdef");
  EXPECT_TRUE(is_utf8(shortened("ééééééééééééééééééééé")));
}

TEST(ShellQuoted, IsOneWord) {
  EXPECT_EQ(shell_quoted("rmsnorm"), "rmsnorm");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quoted("-x"), "'-x'");
  EXPECT_EQ(shell_quoted(""), "''");
}

http::Response asset(const Url& url) {
  http::Router router([](const http::Request&, const http::Problem& problem) {
    return http::problem_response(problem);
  });
  add_assets(router);
  http::Request request;
  request.segments = {"static", url.text().substr(std::string("/static/").size())};
  return router.dispatch(request);
}

TEST(Assets, AreSmallAndTheirAddressesNameTheirContent) {
  const auto check = [](const Url& url, std::string_view type, std::size_t bytes_max) {
    const http::Response response = asset(url);
    EXPECT_EQ(response.status, 200) << url.text();
    EXPECT_EQ(response.cache, http::Cache::immutable) << url.text();
    EXPECT_TRUE(response.content_type.starts_with(type)) << response.content_type;
    EXPECT_GT(response.body.size(), 200U) << url.text();
    EXPECT_LT(response.body.size(), bytes_max) << url.text();
  };
  check(style_sheet_url(), "text/css", kStyleBytesMax);
  check(script_url(), "text/javascript", kScriptBytesMax);
  check(icon_url(), "image/svg+xml", 2048);
}

TEST(Assets, NameNoOtherSiteAndMakeNoMarkupFromText) {
  for (const Url& url : {style_sheet_url(), script_url()}) {
    const std::string body = asset(url).body;
    for (const std::string_view part : {"http://", "https://", "@import", "innerHTML",
                                        "insertAdjacentHTML", "document.write", "eval("}) {
      EXPECT_EQ(body.find(part), std::string::npos) << part << " in " << url.text();
    }
  }
}

}  // namespace
}  // namespace ki::web
