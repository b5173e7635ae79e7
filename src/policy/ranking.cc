#include "policy/ranking.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "policy/names.h"

namespace ki::policy {
namespace {

using Order = std::vector<std::size_t>;  // indices into the runs given

// Evidence first, then newest, then id: total, because ids are unique.
bool shown_before(const RankedRun& a, const RankedRun& b) {
  if (a.evidence != b.evidence) return a.evidence > b.evidence;
  if (a.observed_at != b.observed_at) return a.observed_at > b.observed_at;
  return a.id < b.id;
}

// A run with values turned so that lower is better, whatever the metric says.
struct Turned {
  std::size_t run = 0;
  double value = 0;
  std::optional<Interval> interval;
};

Turned turn(std::span<const RankedRun> runs, std::size_t run, Direction direction) {
  const auto interval = usable_interval(runs[run]);
  if (direction == Direction::lower) return {run, *runs[run].value, interval};
  Turned out{run, -*runs[run].value, std::nullopt};
  if (interval) out.interval = Interval{.low = -interval->high, .high = -interval->low};
  return out;
}

bool below_resolution(double a, double b, const RankingOptions& options) {
  return std::abs(a - b) < options.resolution;
}

bool below_effect(double a, double b, const RankingOptions& options) {
  return std::abs(a - b) < options.effect_min * std::min(std::abs(a), std::abs(b));
}

// The runs of one rank, best first, with what decides whether a worse run joins them.
class Chain {
 public:
  explicit Chain(const RankingOptions& options) : options_(options) {}

  // Whether `run`, no better than any member, ties with every one of them. Members too close to be
  // told apart tie by that alone; all others, a prefix because members are sorted, must overlap.
  // An interval contains its value, so `run` overlaps a better run when it begins at or before the
  // other's end.
  bool accepts(const Turned& run) const {
    if (members_.empty() || members_.front().value == run.value) return true;
    const auto near = std::ranges::partition_point(members_, [&](const Turned& member) {
      return member.value != run.value && !below_resolution(run.value, member.value, options_) &&
             !below_effect(run.value, member.value, options_);
    });
    if (near == members_.begin()) return true;
    const auto last = static_cast<std::size_t>(near - members_.begin()) - 1;
    return run.interval && ends_[last] && run.interval->low <= *ends_[last];
  }

  void add(const Turned& run) {
    std::optional<double> end;
    if (run.interval) end = run.interval->high;
    if (!ends_.empty())
      end = end && ends_.back() ? std::optional(std::min(*end, *ends_.back())) : std::nullopt;
    members_.push_back(run);
    ends_.push_back(end);
  }

  const std::vector<Turned>& members() const { return members_; }

 private:
  const RankingOptions& options_;
  std::vector<Turned> members_;
  // The earliest end of the first i + 1 intervals; nullopt once one is unknown.
  std::vector<std::optional<double>> ends_;
};

// Equal values never part: they join a chain together or open one together.
std::vector<Chain> chains_of(const std::vector<Turned>& sorted, const RankingOptions& options) {
  std::vector<Chain> chains;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(begin, sorted.end(),
                                  [&](const Turned& run) { return run.value != begin->value; });
    const bool joins = !chains.empty() && std::all_of(begin, end, [&](const Turned& run) {
      return chains.back().accepts(run);
    });
    if (!joins) chains.emplace_back(options);
    for (auto at = begin; at != end; ++at) chains.back().add(*at);
    begin = end;
  }
  return chains;
}

bool overlap(const Interval& a, const Interval& b) { return a.low <= b.high && b.low <= a.high; }

// Why `run` shares a rank with `other`.
ReasonCode tie_reason(const Turned& run, const Turned& other, const RankingOptions& options) {
  if (run.value == other.value) return ReasonCode::equal_value;
  if (run.interval && other.interval && overlap(*run.interval, *other.interval)) {
    return ReasonCode::overlaps_with;
  }
  return below_resolution(run.value, other.value, options) ? ReasonCode::below_resolution
                                                           : ReasonCode::below_effect;
}

Place place_of(const Turned& run, std::span<const RankedRun> runs, std::int64_t rank) {
  return {.run = run.run,
          .rank = rank,
          .tied_with_previous = false,
          .shares_rank = false,
          .interval = usable_interval(runs[run.run]),
          .reasons = {}};
}

// The places of one chain, the best value first. `before` is the best run of the rank before, if
// any.
void append_chain(std::vector<Place>& places, const Chain& chain, std::int64_t rank,
                  std::span<const RankedRun> runs, const Turned* before,
                  const RankingOptions& options) {
  const std::vector<Turned>& shown = chain.members();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Place place = place_of(shown[i], runs, rank);
    place.tied_with_previous = i > 0;
    place.shares_rank = shown.size() > 1;
    if (rank == 1) place.reasons.push_back({.code = ReasonCode::leads, .other = {}});
    if (before != nullptr) {
      place.reasons.push_back({.code = ReasonCode::behind, .other = before->run});
    }
    if (shown.size() > 1) {
      const Turned& other = shown[i == 0 ? 1 : i - 1];
      place.reasons.push_back({.code = tie_reason(shown[i], other, options), .other = other.run});
    }
    if (!place.interval) {
      place.reasons.push_back({.code = ReasonCode::insufficient_samples, .other = {}});
    }
    places.push_back(std::move(place));
  }
}

// The runs of the best rank that holds a run of somebody else than who leads.
std::vector<Turned> rivals_of(const std::vector<Chain>& chains, std::span<const RankedRun> runs) {
  const Turned& leader = chains[0].members().front();
  const std::string_view provider = runs[leader.run].provider;
  const auto is_rival = [&](const Turned& run) {
    return provider.empty() ? run.run != leader.run : runs[run.run].provider != provider;
  };
  std::vector<Turned> out;
  for (const Chain& chain : chains) {
    std::ranges::copy_if(chain.members(), std::back_inserter(out), is_rival);
    if (!out.empty()) break;
  }
  return out;
}

Verdict verdict_of(const std::vector<Chain>& chains, std::span<const RankedRun> runs) {
  Verdict out;
  if (chains.empty()) return out;
  const std::vector<Turned>& first = chains[0].members();
  for (const Turned& leader : first) out.leaders.push_back(leader.run);
  const std::vector<Turned> rivals = rivals_of(chains, runs);
  out.kind = VerdictKind::only_run;
  if (rivals.empty()) return out;
  const auto shares = [&](const Turned& rival) {
    return std::ranges::find(out.leaders, rival.run) != out.leaders.end();
  };
  out.kind = VerdictKind::tie;
  if (shares(rivals.front())) return out;

  for (const Turned& leader : first) {
    if (!leader.interval) out.unclear.push_back({ReasonCode::insufficient_samples, leader.run});
  }
  for (const Turned& rival : rivals) {
    const auto reaches = [&](const Turned& leader) {
      return leader.interval && overlap(*leader.interval, *rival.interval);
    };
    if (!rival.interval) {
      out.unclear.push_back({ReasonCode::insufficient_samples, rival.run});
    } else if (std::ranges::any_of(first, reaches)) {
      out.unclear.push_back({ReasonCode::overlaps_with, rival.run});
    }
  }
  out.kind = out.unclear.empty() ? VerdictKind::winner : VerdictKind::not_enough_evidence;
  return out;
}

// Splits the runs given into those to rank, those to list and those to leave out.
struct Split {
  std::vector<Turned> ranked;  // best first; equal values in display order
  Order listed;                // newest first
};

Split split_runs(std::span<const RankedRun> runs, std::optional<Metric> metric, Ranking& out) {
  Order order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](std::size_t a, std::size_t b) { return shown_before(runs[a], runs[b]); });
  Split split;
  for (const std::size_t i : order) {
    const bool eligible = std::ranges::all_of(runs[i].ineligible, [](const std::string& code) {
      return code == "MISSING_PRIMARY_METRIC";  // Listed: it passed, it only cannot be placed.
    });
    if (!eligible) {
      out.excluded.push_back({.run = i, .codes = runs[i].ineligible});
    } else if (metric && runs[i].value) {
      split.ranked.push_back(turn(runs, i, metric->direction));
    } else {
      split.listed.push_back(i);
    }
  }
  std::ranges::sort(split.ranked, [&](const Turned& a, const Turned& b) {
    return a.value != b.value ? a.value < b.value : shown_before(runs[a.run], runs[b.run]);
  });
  return split;
}

std::string value_text(const RankedRun& run, const RankingOptions& options) {
  return run.value ? measured_text(*run.value, options.unit) : "no value";
}

std::string insufficient_text(const RankedRun& run) {
  if (run.sample_count == 1) return "one sample: its spread is unknown";
  const auto& stated = run.confidence ? run.confidence : run.spread;
  if (!stated) return "its source states no spread";
  return stated->low == stated->high
             ? "its quantiles are all the same, as with one timed call: its spread is unknown"
             : "the interval stated does not surround the value: its spread is unknown";
}

bool is_tie(const PlaceReason& reason) {
  return reason.code == ReasonCode::equal_value || reason.code == ReasonCode::overlaps_with ||
         reason.code == ReasonCode::below_resolution || reason.code == ReasonCode::below_effect;
}

std::string leads_text(const Place& place, const RankedRun& run, const RankingOptions& options) {
  if (std::ranges::any_of(place.reasons, is_tie)) {
    return fmt::format("shares the first rank: {}", value_text(run, options));
  }
  const auto metric = find_metric(options.metric, options.unit);
  const bool lower = !metric || metric->direction == Direction::lower;
  return fmt::format("{} {} of its cohort: {}", lower ? "lowest" : "highest", options.metric,
                     value_text(run, options));
}

std::string reason_text(const PlaceReason& reason, const Place& place,
                        std::span<const RankedRun> runs, const RankingOptions& options) {
  const RankedRun& run = runs[place.run];
  const std::string theirs = reason.other ? value_text(runs[*reason.other], options) : "";
  switch (reason.code) {
    case ReasonCode::leads:
      return leads_text(place, run, options);
    case ReasonCode::behind:
      return fmt::format("{} against {} of the rank before", value_text(run, options), theirs);
    case ReasonCode::equal_value:
      return fmt::format("same value as its neighbour, {}", theirs);
    case ReasonCode::overlaps_with:
      return fmt::format("its interval overlaps that of its neighbour at {}", theirs);
    case ReasonCode::below_resolution:
      return fmt::format("closer to its neighbour at {} than the timer can tell apart, {}", theirs,
                         measured_text(options.resolution, options.unit));
    case ReasonCode::below_effect:
      return fmt::format("closer to its neighbour at {} than the {:g} % that its protocol claims",
                         theirs, options.effect_min * 100);
    case ReasonCode::insufficient_samples:
      return insufficient_text(run);
    case ReasonCode::missing_primary_metric:
      return "it states no value to rank by";
    case ReasonCode::unknown_metric:
      return fmt::format("nobody has registered which values of {} in {} are better",
                         options.metric, options.unit);
  }
  KI_UNREACHABLE();
}

}  // namespace

std::string_view name_of(ReasonCode code) {
  switch (code) {
    case ReasonCode::leads:
      return "LEADS";
    case ReasonCode::behind:
      return "BEHIND";
    case ReasonCode::equal_value:
      return "EQUAL_VALUE";
    case ReasonCode::overlaps_with:
      return "OVERLAPS_WITH";
    case ReasonCode::below_resolution:
      return "BELOW_RESOLUTION";
    case ReasonCode::below_effect:
      return "BELOW_EFFECT";
    case ReasonCode::insufficient_samples:
      return "INSUFFICIENT_SAMPLES";
    case ReasonCode::missing_primary_metric:
      return "MISSING_PRIMARY_METRIC";
    case ReasonCode::unknown_metric:
      return "UNKNOWN_METRIC";
  }
  KI_UNREACHABLE();
}

std::string_view name_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::winner:
      return "winner";
    case VerdictKind::tie:
      return "tie";
    case VerdictKind::not_enough_evidence:
      return "not_enough_evidence";
    case VerdictKind::only_run:
      return "only_run";
    case VerdictKind::none:
      return "none";
  }
  KI_UNREACHABLE();
}

std::optional<Interval> stated_interval(const std::optional<double>& low,
                                        const std::optional<double>& high) {
  if (!low || !high) return std::nullopt;
  return Interval{.low = *low, .high = *high};
}

std::optional<Interval> usable_interval(const RankedRun& run) {
  if (!run.value || run.sample_count == 1) return std::nullopt;
  for (const auto& stated : {run.confidence, run.spread}) {
    if (stated && stated->low < stated->high && stated->low <= *run.value &&
        *run.value <= stated->high) {
      return stated;
    }
  }
  return std::nullopt;
}

Ranking rank(std::span<const RankedRun> runs, const RankingOptions& options) {
  Ranking out;
  const auto metric = find_metric(options.metric, options.unit);
  const Split split = split_runs(runs, metric, out);
  const std::vector<Chain> chains = chains_of(split.ranked, options);
  const Turned* before = nullptr;
  std::int64_t rank = 0;
  for (const Chain& chain : chains) {
    append_chain(out.places, chain, ++rank, runs, before, options);
    before = &chain.members().front();
  }
  out.ranked = std::ssize(split.ranked);
  out.verdict = verdict_of(chains, runs);
  for (const std::size_t run : split.listed) {
    const bool has_value = runs[run].value.has_value();
    out.places.push_back(
        {.run = run,
         .rank = std::nullopt,
         .tied_with_previous = false,
         .shares_rank = false,
         .interval = usable_interval(runs[run]),
         .reasons = {{has_value ? ReasonCode::unknown_metric : ReasonCode::missing_primary_metric,
                      std::nullopt}}});
  }
  return out;
}

std::vector<Reason> explain(const Place& place, std::span<const RankedRun> runs,
                            const RankingOptions& options) {
  std::vector<Reason> out;
  for (const PlaceReason& reason : place.reasons) {
    out.push_back({.code = std::string(name_of(reason.code)),
                   .text = reason_text(reason, place, runs, options)});
  }
  return out;
}

namespace {

std::string leaders_text(const Verdict& verdict, std::span<const std::string> names) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> distinct;
  for (const std::size_t run : verdict.leaders) {
    if (std::ranges::find(distinct, names[run]) == distinct.end()) distinct.push_back(names[run]);
  }
  if (distinct.size() == 1) return "all of " + distinct[0];
  const std::size_t more = distinct.size() > kNamed ? distinct.size() - kNamed : 0;
  distinct.resize(distinct.size() - more);
  return join(distinct, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::string explain(const Verdict& verdict, std::span<const std::string> names) {
  const auto name = [&](std::size_t run) { return names[run]; };
  switch (verdict.kind) {
    case VerdictKind::none:
      return "no run is ranked";
    case VerdictKind::only_run:
      return name(verdict.leaders[0]) + " is all that is ranked: there is nothing to compare with";
    case VerdictKind::winner:
      return name(verdict.leaders[0]) + " leads, clear of the next rank's interval";
    case VerdictKind::tie:
      return fmt::format("{} runs share the first rank: {}", verdict.leaders.size(),
                         leaders_text(verdict, names));
    case VerdictKind::not_enough_evidence:
      break;
  }
  std::string out = name(verdict.leaders[0]) + " has the best value, but no winner is claimed";
  const PlaceReason& first = verdict.unclear.front();
  const bool unknown = first.code == ReasonCode::insufficient_samples;
  out += (unknown ? ": the spread of " : ": its interval overlaps that of ") + name(*first.other);
  if (unknown) out += " is unknown";
  if (verdict.unclear.size() > 1) out += fmt::format(" (and {} more)", verdict.unclear.size() - 1);
  return out;
}

}  // namespace ki::policy
