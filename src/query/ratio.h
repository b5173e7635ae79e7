// How far a ratio of two measured values is known. Pure.
#pragma once

#include <optional>

#include "query/model_common.h"

namespace ki::query {

// `value` over `base`, at its least and its most: the low end of one interval over the high end of
// the other, and the reverse. It assumes nothing about how the two depend on each other, so it is
// wider than an interval of paired samples would be. nullopt where either spread is unknown, the
// units differ, or an interval of `base` reaches zero.
std::optional<Interval> ratio_interval(const Primary& value, const Primary& base);

}  // namespace ki::query
