// Raw samples as evidence keeps them, in columns, and what one candidate's look like. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "runner/protocol.h"
#include "stats/bootstrap.h"
#include "stats/describe.h"

namespace ki::runner {

// The raw samples of a launch, flat: round, position, place in the lineup, calls, nanoseconds,
// disturbed (0 or 1) of each.
struct Launch {
  std::int64_t launch = 0;
  std::vector<std::int64_t> samples;
  template <class V>
  static void describe(V& v) {
    v.field("launch", &Launch::launch, "");
    v.field("samples", &Launch::samples, "");
  }
};
inline constexpr std::size_t kRawFields = 6;

// Whether these are samples of so many places: Code::invalid where they are not.
Status check_samples(const Launch& launch, std::size_t places);

// One launch in columns: nanoseconds of a call and of the block, by place and valid round. Rounds
// that are not whole are left out; so are disturbed ones unless the protocol keeps them.
struct Columns {
  std::vector<std::vector<double>> call_ns;
  std::vector<std::vector<double>> block_ns;
  std::size_t rounds = 0;
  std::size_t void_rounds = 0;
  std::size_t disturbed = 0;
};
Columns columns_of(const Launch& launch, std::size_t places, const Protocol& protocol);

// Not too many rounds void, and enough left.
bool is_good(const Columns& columns, const Protocol& protocol);

using Series = std::vector<std::vector<double>>;  // of a place: launch, round

// One place of the lineup, in nanoseconds of one call.
struct Timing {
  std::size_t candidate = 0;  // index into Session::candidates
  stats::Summary summary;
  stats::Estimate median;  // with its interval
  std::optional<stats::Modes> modes;
  double drift = 0;  // the largest of a launch, by size
};

// Requires samples. `tick` is that of the timer; the seed of its bootstrap follows from `seed` and
// `candidate`.
Timing timing_of(std::size_t candidate, const Series& call_ns, double tick, std::uint64_t seed);

}  // namespace ki::runner
