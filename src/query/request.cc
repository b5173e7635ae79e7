#include "query/request.h"

namespace ki::query {

bool Facets::binds_case() const {
  for (const AxisFacet& axis : axes) {
    if (!axis.soft) return true;
  }
  return shape.has_value();
}

bool Facets::has_hardware_or_dtype() const {
  return hardware || architecture || cuda || !dtypes.empty();
}

bool Facets::empty() const {
  return !has_hardware_or_dtype() && !device_count && !quantization && !layout && !framework &&
         !language && !shape && axes.empty() && !pass && !metric && cohort.empty() && !trust &&
         !license && !source && !installable;
}

}  // namespace ki::query
