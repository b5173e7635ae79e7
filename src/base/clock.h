// The world's clock behind a seam, instants as ISO 8601 text, and time-ordered identifiers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ki {

// Milliseconds since 1970-01-01T00:00:00Z.
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

class FixedClock final : public Clock {
 public:
  explicit FixedClock(Instant instant) : instant_(instant) {}
  Instant now() const override { return instant_; }
  void set(Instant instant) { instant_ = instant; }

 private:
  Instant instant_;
};

// "2026-01-02T03:04:05.678Z": fixed width, so the text sorts in time order.
std::string to_iso(Instant instant);

// Lenient reading for importers: 'T' or a blank between date and time, a bare date, missing
// seconds, up to nine fraction digits (truncated to milliseconds), 'Z', 'z', "+hh:mm", "-hh:mm" or
// no zone (read as UTC). Calendar-checked. nullopt when it is no instant.
std::optional<Instant> parse_instant(std::string_view text);

// A UUID of version 7 (RFC 9562): 48 bits of milliseconds, then a counter that keeps identifiers
// made by one process in one millisecond in order, then randomness. Thread-safe.
std::string uuid_v7(Instant now);

// Whether `text` is a UUID in the 8-4-4-4-12 form, either case.
bool is_uuid(std::string_view text);

}  // namespace ki
