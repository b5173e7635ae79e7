// What is kept of the runs of a cohort once it is ranked or shown: what places each, and no text
// but its id. And what is kept of those that are only counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "policy/assessment.h"
#include "policy/ranking.h"

namespace ki::query {

inline constexpr std::uint32_t kNoRun = 0xffff'ffff;

// Why a run has its rank, or none, as far as words can be made of it later.
struct Why {
  std::array<std::uint8_t, 3> codes{};    // of policy::ReasonCode
  std::array<std::uint32_t, 3> others{};  // place of the run that the code is about; kNoRun
  std::uint8_t count = 0;
};

struct RunInfo {
  std::string_view id{};
  double value = 0;  // where it has one
  Instant observed{};
  std::uint32_t workload = 0;
  std::uint32_t implementation = 0;
  std::uint32_t cohort = 0;
  std::uint32_t rank = 0;  // 0: none
  bool has_value = false;
  bool tied_with_previous = false;
  bool shares_rank = false;
  policy::EvidenceLevel level : 8 = policy::EvidenceLevel::reported;
  Why why{};
};

// The runs of one cohort by their places: in the order they are shown.
struct RankedRuns {
  std::vector<RunInfo> runs;  // ranked, then those without a rank
  policy::VerdictKind verdict = policy::VerdictKind::none;
  std::vector<policy::PlaceReason> unclear;  // of the verdict, about places
  std::unique_ptr<char[]> ids;               // that the runs point into
  std::size_t ids_bytes = 0;
};

// How many runs of a cohort are of one implementation and one level of evidence.
struct Tally {
  std::uint32_t implementation = 0;
  std::uint32_t runs = 0;
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;
};
using Tallies = std::vector<Tally>;

// Positions of the runs of an operation that follow each other: those of its first cohort by their
// places, then those of its second, and so on.
using RunRange = std::ranges::iota_view<std::uint32_t, std::uint32_t>;

}  // namespace ki::query
