// The shapes of a trace held against one operation, each answered as a search answers it, and the
// totals that follow where all of them can be compared. Pure.
#pragma once

#include "query/model_trace.h"
#include "query/rows.h"

namespace ki::query {

// Fills everything but the time. Requires a request within its limits (faults_of).
TraceAnswer trace_of(const RowSource& rows, const TraceRequest& request,
                     const TraceOptions& options);

}  // namespace ki::query
