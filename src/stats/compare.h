// Whether one candidate is faster than another, measured together in rounds. Pure; the rules are
// those of docs/method/statistics.md, version kCompareRules: another rule is another name.
//
// Everything is in natural logarithms of ratios of times, other over base: below 0 the other is
// faster. 0.01 is 1 % to three digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stats/bootstrap.h"

namespace ki::stats {

inline constexpr std::string_view kCompareRules = "paired-median/1";

// ln(other / base) of each round of each launch. Requires positive times, as many of the one as of
// the other in each launch.
std::vector<std::vector<double>> log_ratios(std::span<const std::vector<double>> base,
                                            std::span<const std::vector<double>> other);

// Holm's adjusted p-values (1979), in the order given, for a family of `family` hypotheses of which
// these are the ones looked at; the others count as no smaller.
std::vector<double> holm(std::span<const double> p_values, std::size_t family);

inline constexpr std::size_t kFloorSessionsMin = 20;

// How far two names of one binary come apart on this machine: the 95th percentile of |median of
// ln(A'/A)| of a launch, over the launches of the newest kFloorSessionsMin sessions or more. Each
// session gives the medians of its launches. nullopt, unknown, below kFloorSessionsMin sessions.
std::optional<double> noise_floor(std::span<const std::vector<double>> sessions);

struct CompareOptions {
  double effect_min = 0.01;      // of the protocol
  std::optional<double> floor;   // noise_floor() of this runner and protocol
  double tick_share = 0;         // one tick of the timer over the shorter median block
  double decided_within = 0.05;  // an interval that reaches further decides nothing
  std::size_t launches_min = 3;  // fewer decide nothing
  BootstrapOptions bootstrap{};  // 1 - confidence is the level of the claims
};

// What an effect has to exceed: the largest of minimum, floor and tick.
double threshold_of(const CompareOptions& options);

struct Effect {
  Estimate pooled;                 // over launches and rounds
  std::vector<Estimate> launches;  // of each alone
  bool same_side = false;          // every launch's interval lies on the same side of 0
};

// Seeds of the launches follow from the seed of the options.
Effect measure_effect(std::span<const std::vector<double>> log_ratios,
                      const BootstrapOptions& options);

enum class Outcome {
  faster,               // the other is faster than the base
  slower,               // the other is slower than the base
  tie,                  // no difference was shown, and none beyond decided_within is left open
  not_enough_evidence,  // the interval reaches beyond decided_within, or too few launches
};
std::string_view name_of(Outcome outcome);  // "faster", "not_enough_evidence", ...

// faster or slower needs all of: every launch on the same side, |pooled effect| above
// threshold_of(options), and `p_adjusted` (the pooled p-value, corrected for how many pairs it was
// picked from) at most the level.
Outcome decide(const Effect& effect, double p_adjusted, const CompareOptions& options);

// Whether base and other under two names of one binary come apart by the rule: a session where they
// do is void.
bool comes_apart(const Effect& effect, const CompareOptions& options);

struct Versus {
  std::size_t candidate = 0;
  Effect effect;  // this candidate over the leader
  double p_adjusted = 1;
  Outcome outcome = Outcome::tie;  // slower: the leader is faster than it
};

struct Leading {
  std::size_t leader = 0;      // lowest pooled median of ln(candidate / first candidate)
  std::vector<Versus> others;  // nearest first: the runner-up is the first
  // The leader is faster than its runner-up: claimed.
  bool claimed() const { return !others.empty() && others.front().outcome == Outcome::slower; }
};

// Who leads, and against whom that may be claimed. The pair is picked by looking at the data, so
// its p-values are corrected for all pairs that could have been picked. `times[c]` are the launches
// of candidate c. Requires at least one candidate, and log_ratios() of every two.
Leading find_leader(std::span<const std::vector<std::vector<double>>> times,
                    const CompareOptions& options);

// Fixed looks: after how many rounds a launch may be ended, and whether it is.
struct Looks {
  std::vector<std::size_t> rounds = {50, 100, 200, 400};  // ascending; the last is the cap
  double half_width = 0.005;                              // half of the minimum effect
};

enum class Look { go_on, enough, cap };

// Between two looks always go_on. At a look: enough when the interval of every pair (ln ratios of
// this launch) has at most that half-width, cap at the last.
Look look_at(std::span<const std::vector<double>> pairs, const Looks& looks, std::uint64_t seed);

}  // namespace ki::stats
