// What an OperationSnapshot keeps of each run: what places it, and no text but its id.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>

#include "base/clock.h"
#include "policy/assessment.h"

namespace ki::query {

// Metric, statistic and unit of values.
struct Measure {
  std::string_view metric;  // "" = no value
  std::string_view statistic;
  std::string_view unit;
  bool higher = false;  // is better
  bool operator==(const Measure&) const = default;
};

inline constexpr std::size_t kMeasuresMax = 65'536;  // of one operation

inline constexpr std::uint32_t kNoRun = 0xffff'ffff;

// Why a run has its rank, or none, as far as words can be made of it later.
struct Why {
  std::array<std::uint8_t, 3> codes{};    // of policy::ReasonCode
  std::array<std::uint32_t, 3> others{};  // the run that the code is about; kNoRun
  std::uint8_t count = 0;
};

struct RunInfo {
  std::string_view id;
  double value = 0;  // where it has one
  Instant observed;
  std::uint32_t workload = 0;
  std::uint32_t implementation = 0;
  std::uint32_t cohort = 0;
  std::uint32_t rank = 0;  // 0: none
  std::uint16_t measure = 0;
  bool has_value = false;
  bool tied_with_previous = false;
  bool shares_rank = false;
  policy::EvidenceLevel level : 8 = policy::EvidenceLevel::reported;
  Why why;
};

// Positions in OperationSnapshot::runs that follow each other.
using RunRange = std::ranges::iota_view<std::uint32_t, std::uint32_t>;

}  // namespace ki::query
