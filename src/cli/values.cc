#include "cli/values.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace ki::cli {
namespace {

constexpr const char* kFileName = "the name of a file";

// The whole of `text` as a number. Of integers a leading zero is none: CLI11 reads those as octal.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (std::is_integral_v<Number> && text.size() > 1 && text.starts_with('0')) return std::nullopt;
  return value;
}

template <class Number, class IsGood>
CLI::Validator check(std::string takes, std::string shown, IsGood is_good) {
  return {[takes = std::move(takes), is_good](const std::string& text) -> std::string {
            const auto value = number<Number>(text);
            if (value && is_good(*value)) return "";
            return fmt::format("takes {}, not \"{}\"", takes, excerpt(text));
          },
          std::move(shown)};
}

}  // namespace

CLI::Validator whole_number(std::int64_t min, std::int64_t max) {
  const std::string range = fmt::format("{} to {}", min, max);
  return check<std::int64_t>("a whole number from " + range, range,
                             [=](std::int64_t value) { return value >= min && value <= max; });
}

CLI::Validator zero_or_number(double min, double max) {
  const std::string range = fmt::format("{} to {}", min, max);
  return check<double>("0 or a number from " + range, "0, " + range,
                       [=](double value) { return value == 0 || (value >= min && value <= max); });
}

CLI::Validator number_above_zero() {
  return check<double>("a number above 0", "above 0",
                       [](double value) { return std::isfinite(value) && value > 0; });
}

CLI::Validator not_empty(const std::string& what) {
  return {[what](const std::string& text) {
            return text.empty() ? "takes " + what + ", not an empty text" : std::string();
          },
          ""};
}

CLI::Validator file_or_stream() {
  return not_empty(std::string(kFileName) + ", or - for the standard stream");
}

CLI::Validator file_only() {
  return {[](const std::string& text) -> std::string {
            if (text.empty()) return fmt::format("takes {}, not an empty text", kFileName);
            if (text != "-") return "";
            return fmt::format("takes {}: it cannot go to standard output (./- is a file called -)",
                               kFileName);
          },
          ""};
}

std::int64_t seconds_of(const std::string& text) {
  constexpr std::int64_t kDay = 24 * 3600;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1 || value > kDay) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::int64_t seconds = 0;
  if (unit.empty() || unit == "s") seconds = value;
  if (unit == "m") seconds = value * 60;
  if (unit == "h") seconds = value * 3600;
  return seconds <= kDay ? seconds : 0;
}

CLI::Validator span_of_time() {
  return {[](const std::string& text) -> std::string {
            return seconds_of(text) > 0 ? "" : "a time is 20s, 5m or 1h, at most a day: " + text;
          },
          "TIME"};
}

}  // namespace ki::cli
