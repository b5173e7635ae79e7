// The axis of a chart: which values it shows, where they stand on it and how its ticks read. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::web::svg {

inline constexpr double kLogSpan = 20;  // largest over smallest, above which an axis is logarithmic
inline constexpr std::size_t kTicksMax = 9;

// The smallest of 1, 2 and 5 times a power of ten that is not below `value`, which is above 0.
double round_up(double value);

struct AxisOptions {
  std::string_view unit{};  // of the values, as in the API ("ns"); "" = plain numbers
  bool from_zero = true;    // a linear axis of values >= 0 starts at zero
  bool logarithmic = true;  // may be, where the values ask for it
  std::size_t ticks = 5;    // about as many steps between ticks on a linear axis
};

// An axis that holds every finite value it was made of; others have no place. It ends at its first
// and last tick. Defined for any input: no value, one, equal ones, any magnitude.
class Axis {
 public:
  static Axis of(std::span<const double> values, const AxisOptions& options);

  // 0 to 1, and clamped to that; 0 for a value that is not finite.
  double share(double value) const;
  // Rising, in the unit of the values, 2 to kTicksMax.
  const std::vector<double>& ticks() const { return ticks_; }
  bool logarithmic() const { return logarithmic_; }

  // "2.5" and "2.5 ms": a tick without and with its unit. On a logarithmic axis each has a unit of
  // its own, so both are "2.5 ms" there.
  std::string number(double tick) const;
  std::string text(double tick) const;
  // "ms", of number(); "" for plain numbers, and where number() says it.
  const std::string& unit() const { return unit_; }

 private:
  std::vector<double> ticks_;
  bool logarithmic_ = false;
  double factor_ = 1;  // how many of the values' unit one of the shown unit is
  int decimals_ = 0;
  std::string unit_;
  std::string given_unit_;
};

}  // namespace ki::web::svg
