// One function a page: read model in, page out. Pure, so every page is a test without a server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/problem.h"
#include "query/resolver.h"
#include "web/layout.h"

namespace ki::web {

inline constexpr std::int64_t kRowsShown = 50;  // of one group on a search page
inline constexpr std::size_t kHomeRecords = 8;
inline constexpr std::int64_t kHomeRecordsRead = 100;  // to find those of different operations
inline constexpr std::size_t kOperationsShown = 50;
inline constexpr std::size_t kOperationRowsShown = 30;  // then a link into search
inline constexpr std::size_t kWorkloadsShown = 60;
inline constexpr std::size_t kFlipsShown = 40;
inline constexpr std::int64_t kRecordStepsShown = 12;  // of the history of each record
inline constexpr std::size_t kFeedShown = 100;         // of the entries of one answer
inline constexpr std::size_t kRecordChangesShown = 50;
inline constexpr std::size_t kProjectsShown = 100;
inline constexpr std::size_t kProductOperationsShown = 100;
inline constexpr std::int64_t kProductRecordsShown = 20;
inline constexpr std::size_t kAtomEntries = 50;
inline constexpr std::int64_t kServingGroupsShown = 10;
inline constexpr std::size_t kServingRowsShown = 20;  // of a group

Page home_page(const query::CatalogCounts& counts, const query::RecordsPage& records,
               const query::SourcesList& sources, const Context& context);

// The part of the answer that a search page shows.
struct SearchView {
  std::string group;        // exact, compatible, supported or reported; "" = the first with rows
  std::string cohort;       // as asked for, "" = chosen by the resolver
  std::int64_t offset = 0;  // of the first row shown, as given to the resolver
};
Page search_page(const query::Envelope& envelope, const SearchView& view, const Context& context);

// The part of the list that a page shows; the list holds what the words leave.
struct OperationsView {
  std::string words;
  std::int64_t offset = 0;  // of the first row shown, at least 0
};
Page operations_page(const query::OperationsList& list, const OperationsView& view,
                     const Context& context);
Page operation_page(const query::OperationDossier& dossier, const Context& context);
// Who leads an operation where, as asked for.
Page winners_page(const query::WinnerMap& map, const query::WinnersOptions& view,
                  const Context& context);
Page implementation_page(const query::ImplementationDossier& dossier, const Context& context);
// `samples`: where the dossier says that it has them.
Page run_page(const query::RunDossier& dossier, const std::optional<query::SamplesReport>& samples,
              const Context& context);
Page hardware_page(const query::HardwareList& list, const Context& context);
Page models_page(const query::ModelsList& list, const Context& context);
Page model_page(const query::ModelDossier& model, const Context& context);
Page project_page(const query::ProjectDossier& project, const Context& context);
// Which records: "" = the current ones, "broken" lately, "history". The latter two are what a feed
// says, and `since` and `cursor` are what it was asked with.
struct RecordsView {
  std::string view;
  std::string since;
  std::string cursor;
  std::int64_t offset = 0;  // of the first one shown of that answer
};
// The current ones, as `filter` asked for them; `products` are those that one can be chosen of.
Page records_page(const query::RecordsPage& records, const query::RecordsFilter& filter,
                  const query::HardwareList& products, const Context& context);
Page record_changes_page(const query::Feed& feed, const RecordsView& view, const Context& context);
Html record_tabs(std::string_view current);

struct ProjectsView {
  std::string sort;         // of query::kProjectOrders
  std::int64_t offset = 0;  // of the first project shown
};
Page projects_page(const query::ProjectsList& list, const ProjectsView& view,
                   const Context& context);
Page product_page(const query::HardwareDossier& dossier, const Context& context);

// `runs` as asked for. Fewer than two give the empty state, with a form and no comparison.
Page compare_page(const std::vector<std::string>& runs, const query::Comparison* comparison,
                  const Context& context);

// The part of a feed's answer that a page shows.
struct FeedView {
  std::string since;  // as asked for, an instant; "" = the last 30 days
  std::string cursor;
  std::int64_t offset = 0;  // of the first entry shown of that answer
};
Page feed_page(const query::Feed& feed, const FeedView& view, const Context& context);
// The same as an Atom document (RFC 4287): its newest kAtomEntries.
std::string atom_feed(const query::Feed& feed, const Context& context);

Page sources_page(const query::CoverageReport& report, const query::RunnersList& runners,
                  const Context& context);

// What the form of the page of serving was filled with; "" = open.
struct ServingView {
  std::string model;
  std::string workload;
  std::string hardware;
  std::string objective;
  std::string ttft_ms;
  std::string tpot_ms;
};
std::vector<http::Parameter> parameters_of(const ServingView& view);
// The overview where nothing is asked for, else the groups of `answer`.
Page serving_page(const query::ServingOverview& overview, const query::ServingAnswer& answer,
                  const ServingView& view, const Context& context);
Page serving_run_page(const query::ServingRunDossier& dossier, const Context& context);

// The list of documents; one of them, nullopt when none is called so; their names.
Page docs_page();
std::optional<Page> document_page(std::string_view name);
std::vector<std::string_view> document_names();
Page legal_page(const query::SourcesList& sources, const Context& context);

// The pages that search engines should know (sitemaps.org), and what robots may read.
struct SitemapParts {
  const std::vector<query::IndexEntry>& operations;
  const query::ModelsList& models;
  const query::HardwareList& hardware;
  const query::ProjectsList& projects;
};
std::string sitemap(const SitemapParts& parts, const Context& context);
std::string robots(const Context& context);

// Not found, not valid, at fault: what a person can do about it.
Page failure_page(const http::Problem& problem);

}  // namespace ki::web
