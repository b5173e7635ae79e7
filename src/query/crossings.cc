#include "query/crossings.h"

#include <algorithm>
#include <optional>

namespace ki::query {
namespace {

std::int64_t between(std::span<const double> cases, double from, double to) {
  return std::ranges::count_if(cases, [&](double x) { return x > from && x < to; });
}

void add_crossings(std::vector<SweepCrossing>& out, const SweepSeries& a, const SweepSeries& b,
                   std::span<const double> cases) {
  std::optional<double> last_x;  // where one of the two was the lower
  bool a_was_lower = false;
  std::int64_t equal_since = 0;
  auto at_b = b.points.begin();
  for (const SweepPoint& point : a.points) {
    while (at_b != b.points.end() && at_b->x < point.x) ++at_b;
    if (at_b == b.points.end()) return;
    if (at_b->x != point.x) continue;
    if (point.value == at_b->value) {
      ++equal_since;
      continue;
    }
    const bool a_is_lower = point.value < at_b->value;
    if (last_x && a_is_lower != a_was_lower) {
      out.push_back({.from = *last_x,
                     .to = point.x,
                     .lower_before = a_was_lower ? a.implementation : b.implementation,
                     .lower_after = a_is_lower ? a.implementation : b.implementation,
                     .unmeasured_between = between(cases, *last_x, point.x) - equal_since});
    }
    last_x = point.x;
    a_was_lower = a_is_lower;
    equal_since = 0;
  }
}

}  // namespace

std::vector<SweepCrossing> crossings_of(std::span<const SweepSeries> lines,
                                        std::span<const double> cases) {
  std::vector<SweepCrossing> out;
  for (std::size_t a = 0; a < lines.size(); ++a) {
    for (std::size_t b = a + 1; b < lines.size(); ++b)
      add_crossings(out, lines[a], lines[b], cases);
  }
  std::ranges::stable_sort(out, {}, &SweepCrossing::from);
  if (out.size() > kCrossingsMax) out.resize(kCrossingsMax);
  return out;
}

}  // namespace ki::query
