#include "base/clock.h"

#include <array>
#include <cstdint>
#include <mutex>

#include <fmt/format.h>
#include <openssl/rand.h>

#include "base/digest.h"

namespace ki {
namespace {

using std::chrono::milliseconds;

// Reads exactly `count` digits at the front of `text` and removes them.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Fraction digits to milliseconds; false when there are none or more than nine.
bool take_fraction(std::string_view& text, int& millis) {
  std::size_t digits = 0;
  int scale = 100;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    millis += scale * (text[digits] - '0');
    scale /= 10;
    ++digits;
  }
  text.remove_prefix(digits);
  return digits >= 1 && digits <= 9;
}

// Minutes east of UTC, 0 when `text` is empty or "Z".
std::optional<int> take_zone(std::string_view& text) {
  if (text.empty() || take_char(text, 'Z') || take_char(text, 'z')) return 0;
  const bool east = text.starts_with('+');
  if (!east && !text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  if (!hours || !take_char(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (east ? 1 : -1) * (*hours * 60 + *minutes);
}

}  // namespace

Instant SystemClock::now() const {
  return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
}

std::string to_iso(Instant instant) {
  const auto days = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date{days};
  const std::chrono::hh_mm_ss time{instant - days};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

std::optional<Instant> parse_instant(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_char(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millis = 0;
  if (take_char(text, 'T') || take_char(text, ' ')) {
    const auto h = take_digits(text, 2);
    if (!h || !take_char(text, ':')) return std::nullopt;
    const auto m = take_digits(text, 2);
    if (!m) return std::nullopt;
    hour = *h;
    minute = *m;
    if (take_char(text, ':')) {
      const auto s = take_digits(text, 2);
      if (!s) return std::nullopt;
      second = *s;
      if (take_char(text, '.') && !take_fraction(text, millis)) return std::nullopt;
    }
  }
  const auto zone = take_zone(text);
  if (!zone || !text.empty() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{hour} +
         std::chrono::minutes{minute - *zone} + std::chrono::seconds{second} + milliseconds{millis};
}

std::string uuid_v7(Instant now) {
  static std::mutex mutex;
  static std::int64_t last_ms = 0;
  static std::uint32_t counter = 0;
  std::array<std::uint8_t, 16> b{};
  RAND_bytes(b.data(), static_cast<int>(b.size()));
  std::int64_t ms = now.time_since_epoch().count();
  std::uint32_t sequence = 0;
  {
    const std::scoped_lock lock(mutex);
    if (ms > last_ms) {
      last_ms = ms;
      counter = 0;
    } else if (++counter == (1U << 20)) {  // 12 + 8 bits below
      ++last_ms;
      counter = 0;
    }
    ms = last_ms;
    sequence = counter;
  }
  for (int i = 0; i < 6; ++i) {
    b[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
  }
  b[6] = static_cast<std::uint8_t>(0x70 | (sequence >> 16 & 0x0F));
  b[7] = static_cast<std::uint8_t>(sequence >> 8);
  b[8] = static_cast<std::uint8_t>(0x80 | (sequence >> 2 & 0x3F));
  b[9] = static_cast<std::uint8_t>((sequence << 6 & 0xC0) | (b[9] & 0x3F));
  std::string text = to_hex({reinterpret_cast<const char*>(b.data()), b.size()});
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) text.insert(dash, 1, '-');
  return text;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace ki
