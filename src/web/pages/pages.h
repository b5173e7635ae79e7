// One function a page: read model in, page out. Pure, so every page is a test without a server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/problem.h"
#include "query/resolver.h"
#include "web/layout.h"

namespace ki::web {

inline constexpr std::int64_t kRowsShown = 50;  // of one group on a search page
inline constexpr std::size_t kHomeRecords = 8;
inline constexpr std::size_t kOperationsShown = 50;
inline constexpr std::size_t kOperationRowsShown = 60;  // then a link into search
inline constexpr std::size_t kWorkloadsShown = 60;
inline constexpr std::size_t kBestResultsShown = 60;

Page home_page(const query::CatalogCounts& counts, const query::RecordsPage& records,
               const Context& context);

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
Page implementation_page(const query::ImplementationDossier& dossier, const Context& context);
Page run_page(const query::RunDossier& dossier, const Context& context);
Page hardware_page(const query::HardwareList& list, const Context& context);
Page models_page(const query::ModelsList& list, const Context& context);
Page model_page(const query::ModelDossier& model, const Context& context);
Page project_page(const query::ProjectDossier& project, const Context& context);
Page records_page(const query::RecordsPage& records, const Context& context);

// `runs` as asked for. Fewer than two give the empty state, with a form and no comparison.
Page compare_page(const std::vector<std::string>& runs, const query::Comparison* comparison,
                  const Context& context);

// Not found, not valid, at fault: what a person can do about it.
Page failure_page(const http::Problem& problem);

}  // namespace ki::web
