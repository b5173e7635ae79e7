#include <algorithm>
#include <numeric>
#include <utility>

#include "base/result.h"
#include "policy/ranking.h"

namespace ki::policy {
namespace {

bool ties(const RankedRun& a, const RankedRun& b, Profile profile) {
  if (*a.value == *b.value) return true;
  if (profile == Profile::source_native || !a.confidence || !b.confidence) return false;
  return a.confidence->low <= b.confidence->high && b.confidence->low <= a.confidence->high;
}

}  // namespace

std::string_view name_of(Profile profile) {
  switch (profile) {
    case Profile::source_native:
      return "source_native";
    case Profile::strict_exact:
      return "strict_exact";
  }
  KI_UNREACHABLE();
}

Profile profile_of(bool any_source_native) {
  return any_source_native ? Profile::source_native : Profile::strict_exact;
}

std::vector<PlaceV1> rank_v1(std::span<const RankedRun> runs, Profile profile) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !runs[i].value; });
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(*runs[i].value, i); });

  const auto shown_before = [&](std::size_t a, std::size_t b) {
    if (runs[a].evidence != runs[b].evidence) return runs[a].evidence > runs[b].evidence;
    if (runs[a].observed_at != runs[b].observed_at) {
      return runs[a].observed_at > runs[b].observed_at;
    }
    return runs[a].id < runs[b].id;
  };
  std::vector<PlaceV1> places;
  std::int64_t rank = 0;
  for (auto begin = order.begin(); begin != order.end();) {
    auto end = begin + 1;
    const auto joins = [&](std::size_t next) {
      return std::all_of(
          begin, end, [&](std::size_t member) { return ties(runs[member], runs[next], profile); });
    };
    while (end != order.end() && joins(*end)) ++end;
    std::sort(begin, end, shown_before);
    ++rank;
    for (auto at = begin; at != end; ++at) {
      places.push_back({.run = *at, .rank = rank, .tied_with_previous = at != begin});
    }
    begin = end;
  }
  return places;
}

}  // namespace ki::policy
