// The list of operations offered when a query names no single one.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "query/find_operation.h"
#include "query/measured.h"
#include "query/model_cohort.h"

namespace ki::query {

// The entry of an operation and those equivalent to it: the runs of all, and what the others are
// called among the aliases.
IndexEntry entry_of(const OperationIndex& index, std::size_t operation);

// The hits in the order in which they are offered: as they are, or, with what is measured under the
// hardware, CUDA and dtype facets, of those that are named alike the ones with such runs first,
// then by score, family and name in natural order.
std::vector<Hit> in_order(std::vector<Hit> hits, const OperationIndex& index,
                          const MeasuredOperations* with_runs);

// One entry a hit, in their order. With a hardware, architecture, CUDA or dtype facet each says how
// many of its runs satisfy those.
Result<std::vector<IndexEntry>> chooser(db::Connection& connection, const OperationIndex& index,
                                        const Request& request, std::span<const Hit> hits);

// The facets that annotate an entry, for people: "H100 · bf16".
std::string facet_label(const Facets& facets);

// The dtypes that stand in for those of a suite: its operation's own.
Result<std::vector<std::string>> operation_dtypes(db::Connection& connection,
                                                  const std::string& operation_id);

// How many runs of an operation, and of those equivalent to it, satisfy those facets, and the best
// of them.
Result<EntryMatch> match_of(db::Connection& connection, const OperationIndex& index,
                            const Request& request, std::size_t operation);

// Letters ignoring case, runs of digits by their number: "h2" before "h10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace ki::query
