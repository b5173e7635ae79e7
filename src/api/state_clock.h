// The clock that answers are built by: equal states of the catalog give equal bytes, so that a
// strong ETag outlives the cache, the worker and the process that made it.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace ki::api {

// The instant of a state of the catalog, as asked for at `now`: the later of its last change, which
// its version (a UUID of version 7) tells, and the start of the UTC day, since an answer says what
// has become stale. Not after `now`.
Instant state_instant(std::string_view version, Instant now);

// Runs with the clock it is given, except while it is held at a state. For one thread.
class StateClock final : public Clock {
 public:
  explicit StateClock(const Clock& clock) : clock_(clock) {}
  Instant now() const override { return held_ ? *held_ : clock_.now(); }
  void hold(std::string_view version, Instant now) { held_ = state_instant(version, now); }
  void release() { held_.reset(); }

 private:
  const Clock& clock_;
  std::optional<Instant> held_;
};

}  // namespace ki::api
