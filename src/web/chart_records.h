// The record of one comparison group over time.
#pragma once

#include "query/model_lists.h"
#include "web/html.h"
#include "web/svg_frame.h"

namespace ki::web::svg {

// A staircase: each step a new holder, with what caused it. Above kStepsMax steps the oldest are
// left out, and a note says so. Empty without history.
inline constexpr std::size_t kStepsMax = 60;
Html record_staircase(const query::Holder& holder, const ChartName& name);

// Its small form for a row: only the line. Decoration, hidden from screen readers; empty for fewer
// than two steps.
Html record_steps(const query::Holder& holder);

}  // namespace ki::web::svg
