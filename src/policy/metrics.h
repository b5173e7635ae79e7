// What a metric means: its unit and which way is better. Only registered pairs of metric and unit
// are ranked; anything else is listed with the reason UNKNOWN_METRIC, because nobody can say which
// end of it is good.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ki::policy {

enum class Direction { lower, higher };  // which values are better

struct Metric {
  std::string_view name;
  std::string_view unit;
  Direction direction;
  std::string_view meaning;  // one phrase for people
};

// Every registered pair, in the order the documentation lists them.
std::span<const Metric> all_metrics();

// Exact match of both. The unit decides too: a score in seconds is better low, a score in points
// would be better high, and we do not guess.
std::optional<Metric> find_metric(std::string_view name, std::string_view unit);

// Whether `a` is strictly better than `b`.
bool better(Direction direction, double a, double b);

// How many `unit` (ns, us, ms, s) one nanosecond is; nullopt for a unit that is no time.
std::optional<double> per_nanosecond(std::string_view unit);

// The smallest difference between two readings of this timer that means anything, in `unit`; 0 when
// it is not known or the unit is no time. CUDA states for events a resolution of about half a
// microsecond.
double resolution_of(std::string_view timer, std::string_view unit);

}  // namespace ki::policy
