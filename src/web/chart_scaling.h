// How values grow along one axis of an operation, one line an implementation, everything else
// equal.
#pragma once

#include <string_view>
#include <vector>

#include "query/model_operation.h"
#include "web/html.h"
#include "web/svg_frame.h"

namespace ki::web::svg {

// Rates instead of values: the work of the sweep over time, and the most that the hardware can do.
struct Rates {
  std::string_view unit;  // "bytes_s" or "flops_s"
  double peak = 0;        // the roofline; 0 = not known
};

// The lines of a sweep. A line breaks where its implementation was not measured between two that
// were, and at cases that nobody measured; crossings stand between measured neighbours. At most
// kSeriesMax lines and kPointsMax points, a note says what is left out. Empty for fewer than two
// values of the axis.
Html scaling_chart(const query::Sweep& sweep, const ChartName& name);
// The same as rates, of the points whose work is known; the values must be times. Empty where none
// is.
Html rate_chart(const query::Sweep& sweep, const Rates& rates, const ChartName& name);

}  // namespace ki::web::svg
