#include "query/ratio.h"

#include <cmath>

#include "query/describe.h"

namespace ki::query {

std::optional<Interval> ratio_interval(const Primary& value, const Primary& base) {
  if (value.unit != base.unit) return std::nullopt;
  const auto of = known_interval(value);
  const auto to = known_interval(base);
  if (!of || !to || of->interval.low < 0 || to->interval.low <= 0) return std::nullopt;
  const Interval out{.low = of->interval.low / to->interval.high,
                     .high = of->interval.high / to->interval.low};
  if (!std::isfinite(out.low) || !std::isfinite(out.high)) return std::nullopt;
  return out;
}

}  // namespace ki::query
