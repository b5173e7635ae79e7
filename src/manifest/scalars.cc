#include "manifest/scalars.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "manifest/schema.h"

namespace ki::manifest {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes the digits `text` starts with and returns how many there were.
std::size_t skip_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

bool skip(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// Removes `width` digits and gives their value.
std::optional<int> number_of_width(std::string_view& text, std::size_t width) {
  if (text.size() < width || !std::ranges::all_of(text.substr(0, width), is_digit)) return {};
  int value = 0;
  for (const char c : text.substr(0, width)) value = value * 10 + (c - '0');
  text.remove_prefix(width);
  return value;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array<Unit, 5> kUnits = {
    {{"ns", 1}, {"us", 1e3}, {"\xC2\xB5s", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

}  // namespace

std::size_t white_space_at_start(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  if (text.starts_with("\xC2\xA0")) return 2;
  constexpr std::array<std::string_view, 6> kOthers = {"\xE1\x9A\x80", "\xE2\x80\xA8",
                                                       "\xE2\x80\xA9", "\xE2\x80\xAF",
                                                       "\xE2\x81\x9F", "\xE3\x80\x80"};
  for (const auto other : kOthers) {
    if (text.starts_with(other)) return 3;
  }
  if (text.starts_with("\xEF\xBB\xBF")) return 3;
  // U+2000 to U+200A
  if (text.size() >= 3 && text.starts_with("\xE2\x80") &&
      static_cast<unsigned char>(text[2]) <= 0x8A) {
    return 3;
  }
  return 0;
}

std::variant<double, DurationProblem> parse_duration(std::string_view text) {
  std::string_view rest = text;
  if (skip_digits(rest) == 0) return DurationProblem::form;
  if (skip(rest, '.') && skip_digits(rest) == 0) return DurationProblem::form;
  const std::string_view number = text.substr(0, text.size() - rest.size());
  rest.remove_prefix(white_space_at_start(rest));
  const auto* const unit = std::ranges::find(kUnits, rest, &Unit::name);
  if (unit == kUnits.end()) return DurationProblem::form;
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  // Out of range either way: too large, or not zero and yet rounded to it.
  if (read.ec != std::errc{}) return DurationProblem::ambiguous;
  const double product = value * unit->nanoseconds;
  if (product != std::floor(product) || product > kIntegerMax) return DurationProblem::ambiguous;
  return product;
}

bool is_instant(std::string_view text) {
  const auto year = number_of_width(text, 4);
  if (!year || !skip(text, '-')) return false;
  const auto month = number_of_width(text, 2);
  if (!month || *month < 1 || *month > 12 || !skip(text, '-')) return false;
  const auto day = number_of_width(text, 2);
  if (!day || *day < 1 || *day > days_in_month(*year, *month) || !skip(text, 'T')) return false;
  const auto hour = number_of_width(text, 2);
  if (!hour || *hour > 23 || !skip(text, ':')) return false;
  const auto minute = number_of_width(text, 2);
  if (!minute || *minute > 59) return false;
  if (skip(text, ':')) {
    const auto second = number_of_width(text, 2);
    if (!second || *second > 59) return false;
    if (skip(text, '.') && skip_digits(text) == 0) return false;
  }
  return text == "Z";
}

}  // namespace ki::manifest
