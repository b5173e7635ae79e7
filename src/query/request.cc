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

void replace_reading(Request& request, std::size_t earlier, std::size_t later) {
  Reading& before = request.readings[earlier];
  const Reading& now = request.readings[later];
  const std::string text = "replaced by " + now.token;
  if (before.meaning != now.meaning || before.alternatives != now.alternatives) {
    request.notes.push_back(before.token + " is " + text);
  }
  before.kind = "replaced";
  before.meaning = text;
  before.alternatives.clear();
  before.display.clear();
}

}  // namespace ki::query
