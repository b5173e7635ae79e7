// Runs side by side: how their values lie, and how many times the first each is.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "query/model_compare.h"
#include "web/html.h"
#include "web/svg_frame.h"

namespace ki::web::svg {

// Raw samples of the runs compared, where records hold them: one a run, in their order; empty where
// there are none.
using CompareSamples = std::vector<std::span<const double>>;

// Overlaid distributions on one axis: a histogram's outline where there are samples, else value and
// interval; runs in another unit than the first are left out. Empty when no run has a value.
Html distributions_chart(const query::Comparison& comparison, const CompareSamples& samples,
                         const ChartName& name);

// Value over the first run's value, with the widest ratio that both intervals allow; only where the
// runs may be compared, else empty.
Html ratio_chart(const query::Comparison& comparison, const ChartName& name);

}  // namespace ki::web::svg
