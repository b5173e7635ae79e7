// From a resolved operation to the answer: groups, rows, verdict, fastest and fastest deployable.
// Pure but for the
// rows it shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "query/model_envelope.h"
#include "query/request.h"
#include "query/rows.h"
#include "query/select.h"
#include "query/snapshot.h"

namespace ki::query {

struct AnswerOptions {
  std::int64_t offset = 0;  // rows of each group to skip
  std::int64_t limit = 0;   // rows of each group to give
  SelectOptions select{};   // a cohort or workload named beside the query
};

// Fills everything of an exact answer that depends on the operation: cohort, options, groups,
// overflow, verdict, best rows, facets, variants, nearest, sources.
void answer(Envelope& into, const Request& request, const RowSource& rows,
            const AnswerOptions& options);

// One entry a cohort of the workload, largest first. `fitting` are the cohorts that satisfy the
// request (Selection::fitting).
std::vector<CohortOption> cohort_options(const Request& request, const RowSource& rows,
                                         std::size_t workload,
                                         const std::vector<std::size_t>& fitting);

}  // namespace ki::query
