// Every page, with every field of its read model full of text that wants to be markup.

#include <gtest/gtest.h>

#include "web/pages/pages.h"
#include "web/testing.h"

namespace ki::web {
namespace {

struct Named {
  std::string_view name;
  Page page;
};

std::vector<Named> every_page(std::string_view text) {
  std::vector<Named> pages;
  const auto records = full<query::RecordsPage>(text);
  pages.push_back({"home", home_page(full<query::CatalogCounts>(text), records,
                                     full<query::SourcesList>(text), kContext)});
  for (const auto mode :
       {query::Mode::exact, query::Mode::chooser, query::Mode::browse, query::Mode::none}) {
    auto envelope = full<query::Envelope>(text);
    envelope.mode = mode;
    for (const std::string group : {"", "exact", "compatible", "supported", "reported"}) {
      pages.push_back(
          {"search",
           search_page(envelope, {.group = group, .cohort = std::string(text)}, kContext)});
    }
  }
  const auto operations = full<query::OperationsList>(text);
  pages.push_back(
      {"operations",
       operations_page(operations, {.words = std::string(text), .offset = 0}, kContext)});
  pages.push_back({"operation", operation_page(full<query::OperationDossier>(text), kContext)});
  pages.push_back(
      {"implementation", implementation_page(full<query::ImplementationDossier>(text), kContext)});
  pages.push_back(
      {"run", run_page(full<query::RunDossier>(text), full<query::SamplesReport>(text), kContext)});
  const query::WinnersOptions map{.x = std::string(text),
                                  .y = std::string(text),
                                  .axes = std::string(text),
                                  .hardware = std::string(text),
                                  .dtype = std::string(text),
                                  .pass = std::string(text),
                                  .metric = std::string(text)};
  pages.push_back({"winners", winners_page(full<query::WinnerMap>(text), map, kContext)});
  const auto products = full<query::HardwareList>(text);
  const query::RecordsFilter filter{
      .words = std::string(text), .hardware = std::string(text), .cursor = std::string(text)};
  pages.push_back({"records", records_page(records, filter, products, kContext)});
  pages.push_back({"hardware", hardware_page(products, kContext)});
  pages.push_back({"models", models_page(full<query::ModelsList>(text), kContext)});
  pages.push_back({"model", model_page(full<query::ModelDossier>(text), kContext)});
  pages.push_back({"project", project_page(full<query::ProjectDossier>(text), kContext)});
  pages.push_back({"product", product_page(full<query::HardwareDossier>(text), kContext)});
  pages.push_back({"projects", projects_page(full<query::ProjectsList>(text), {}, kContext)});
  for (const char* view : {"broken", "history"}) {
    pages.push_back(
        {"record changes",
         record_changes_page(full<query::Feed>(text),
                             {.view = view, .since = std::string(text), .cursor = {}}, kContext)});
  }
  pages.push_back({"sources", sources_page(full<query::CoverageReport>(text),
                                           full<query::RunnersList>(text), kContext)});
  pages.push_back({"legal", legal_page(full<query::SourcesList>(text), kContext)});
  const std::string words(text);
  pages.push_back({"feed", feed_page(full<query::Feed>(text),
                                     {.since = words, .cursor = words, .offset = 0}, kContext)});
  const ServingView asked{.model = words,
                          .workload = words,
                          .hardware = words,
                          .objective = words,
                          .ttft_ms = words,
                          .tpot_ms = words};
  for (const ServingView& view : {ServingView{}, asked}) {
    pages.push_back({"serving", serving_page(full<query::ServingOverview>(text),
                                             full<query::ServingAnswer>(text), view, kContext)});
  }
  pages.push_back(
      {"serving run", serving_run_page(full<query::ServingRunDossier>(text), kContext)});
  pages.push_back({"docs", docs_page()});
  for (const std::string_view name : document_names()) {
    pages.push_back({"document", document_page(name).value()});
  }
  const std::vector<std::string> runs = {std::string(text), "b"};
  const auto comparison = full<query::Comparison>(text);
  pages.push_back({"compare", compare_page(runs, &comparison, kContext)});
  pages.push_back({"compare, empty", compare_page({}, nullptr, kContext)});
  http::Problem problem = full<http::Problem>(text);
  for (const int status : {400, 404, 500}) {
    problem.status = status;
    pages.push_back({"failure", failure_page(problem)});
  }
  return pages;
}

TEST(Pages, AreWellFormedWhateverTheTextHolds) {
  for (const std::string& text :
       {std::string("<script>alert(1)</script>"), std::string("\"><img src=x onerror=alert(1)>"),
        std::string("'\"&<>`{}"),
        std::string("a\xE2\x80\xAE"
                    "b\xE2\x80\x8B"
                    "c"),
        std::string("\xff\xfe\0\x1b[31m", 8), std::string("</title></main></table>"),
        std::string("javascript:alert(1)"), std::string()}) {
    for (const auto& [name, page] : every_page(text)) {
      const std::string html = render(page, kContext);
      EXPECT_EQ(fault_of(html), "") << name << " with " << text;
      EXPECT_EQ(html.find("<script"), html.find("<script src=\"/static/ki.")) << name;
      EXPECT_EQ(html.find("<script"), html.rfind("<script")) << name;
      EXPECT_EQ(times(html, "<img"), times(html, "<img src=\"/badges/")) << name;
      EXPECT_EQ(html.find("href=\"javascript:"), std::string::npos) << name;
      EXPECT_EQ(html.find("style=\""), std::string::npos) << name;
      EXPECT_EQ(html.find("\xE2\x80\xAE"), std::string::npos) << name;
      EXPECT_TRUE(is_utf8(html)) << name;
    }
  }
}

TEST(Pages, SurviveTitlesOfTenThousandCharacters) {
  for (const auto& [name, page] : every_page(std::string(10'000, 'w'))) {
    EXPECT_EQ(fault_of(render(page, kContext)), "") << name;
  }
}

TEST(Pages, SurviveEmptyModels) {
  EXPECT_EQ(fault_of(render(home_page({}, {}, {}, kContext), kContext)), "");
  query::Envelope envelope{};
  envelope.mode = query::Mode::exact;
  EXPECT_EQ(fault_of(render(search_page(envelope, {}, kContext), kContext)), "");
  EXPECT_EQ(fault_of(render(operation_page({}, kContext), kContext)), "");
  EXPECT_EQ(fault_of(render(implementation_page({}, kContext), kContext)), "");
  EXPECT_EQ(fault_of(render(run_page({}, {}, kContext), kContext)), "");
  const query::Comparison nothing;
  EXPECT_EQ(fault_of(render(compare_page({"a", "b"}, &nothing, kContext), kContext)), "");
}

TEST(Pages, TheCheckerFindsFaults) {
  EXPECT_NE(fault_of("<p><b></p>"), "");
  EXPECT_NE(fault_of("<p"), "");
  EXPECT_NE(fault_of("<p></p></p>"), "");
  EXPECT_NE(fault_of("<p>"), "");
  EXPECT_NE(fault_of(R"(<p id="a"></p><p id="a"></p>)"), "");
  EXPECT_NE(fault_of(R"(<p title="<b>"></p>)"), "");
  EXPECT_EQ(fault_of(R"(<p title="a > b"><input name="x"></p>)"), "");
}

TEST(Pages, HaveOneHeadingATitleAndTheSearch) {
  for (const auto& [name, page] : every_page("text")) {
    const std::string html = render(page, kContext);
    if (name == "search" && page.title == "text") continue;  // the heading is the outcome's
    EXPECT_EQ(times(html, "<h1"), 1U) << name << " " << page.title;
    EXPECT_NE(html.find(" · KernelIndex</title>"), std::string::npos) << name;
    EXPECT_NE(html.find("href=\"#content\""), std::string::npos) << name;
  }
}

TEST(Feeds, StayWellFormedWhateverTheTextHolds) {
  for (const std::string text : {"<b>\"'&", "\x1b[31m\xff", "]]>", "-->", "&amp;"}) {
    const std::string atom = atom_feed(full<query::Feed>(text), kContext);
    const std::string map = sitemap({.operations = {full<query::IndexEntry>(text)},
                                     .models = full<query::ModelsList>(text),
                                     .hardware = full<query::HardwareList>(text),
                                     .projects = full<query::ProjectsList>(text)},
                                    kContext);
    for (const std::string& xml : {atom, map}) {
      const std::string_view body = std::string_view(xml).substr(xml.find("?>") + 2);
      EXPECT_EQ(fault_of(body), "") << body;
      EXPECT_TRUE(is_utf8(xml));
      EXPECT_EQ(xml.find('\x1b'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ki::web
