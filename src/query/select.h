// Which workload and cohort answer a request best. Pure, but that runs of cohorts are counted where
// a request tells implementations or evidence apart.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/mismatch.h"
#include "query/request.h"
#include "query/rows.h"

namespace ki::query {

// The cohort whose key starts with `key` ("sha256:ab12..."); nullopt unless it is the only one.
std::optional<std::size_t> find_cohort(const OperationSnapshot& snapshot, std::string_view key);

struct Selection {
  std::optional<std::size_t> workload;
  std::optional<std::size_t> cohort;
  bool satisfied = false;            // the cohort holds a run without a mismatch
  std::vector<std::size_t> fitting;  // every cohort that does, ascending
  std::string because;               // one sentence
  std::string unknown_cohort{};      // a key that was asked for and is none of the operation's
};

// The workload and cohort to rank. A cohort with a run that satisfies every facet comes first:
// the least precedence, best evidence, then most such runs, then the better head. Without one it is
// a cohort of the case asked for, where that is measured; else of any case. Of those the one that
// misses fewest facets, of as many the nearest, where sizes count by their ratio; of those, and
// without facets, the least precedence and the largest of the workload with most runs. A run that
// fails a policy facet does not count.
struct SelectOptions {
  std::string cohort{};    // comparison key: decides when the operation has it
  std::string workload{};  // id: only its cohorts are looked at when the operation has it
};
Selection select(const Facets& facets, const RowSource& rows, const SelectOptions& options);

// The one of these cohorts that select() would choose if the operation had no others; nullopt when
// none of them holds a run without a mismatch.
std::optional<std::size_t> preferred(const Facets& facets, const RowSource& rows,
                                     std::span<const std::size_t> cohorts);

}  // namespace ki::query
