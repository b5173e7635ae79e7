// Who leads a cohort, by how sure a margin, and why. Pure: the same runs give the same ranking in
// whatever order they come. docs/method/ranking.md explains the rules and their reasons.
//
// ranking-v2 is the default. ranking-v1 is the rule set of the catalogs we are compatible with and
// stays as a named policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/assessment.h"
#include "policy/facts.h"
#include "policy/metrics.h"

namespace ki::policy {

inline constexpr std::string_view kRankingV1 = "ranking-v1";
inline constexpr std::string_view kRankingV2 = "ranking-v2";

// One run as a ranking sees it. Borrows its texts for the call only.
struct RankedRun {
  std::string_view id;                 // unique among the runs given
  std::optional<double> value;         // finite, of the cohort's primary metric
  std::optional<Interval> confidence;  // declared 95 % interval
  std::optional<Interval> spread;      // p20 to p80 as stated
  std::optional<std::int64_t> sample_count;
  EvidenceLevel evidence = EvidenceLevel::reported;
  std::string_view observed_at;         // ISO 8601 UTC with milliseconds
  std::vector<std::string> ineligible;  // eligibility(); empty: eligible
  // Whose it is: runs of one provider are no rivals. "" = its own.
  std::string_view provider = {};
};

// ---- ranking-v1

enum class Profile { source_native, strict_exact };
std::string_view name_of(Profile profile);

// source_native as soon as one run considered has a block of its source's own.
Profile profile_of(bool any_source_native);

struct PlaceV1 {
  std::size_t run = 0;  // index into the runs given
  std::int64_t rank = 0;
  bool tied_with_previous = false;
};

// Ranks the runs that have a value, lowest first. Equal values share a rank, and under strict_exact
// so do runs whose declared intervals overlap or touch; a run joins a rank only if it ties with
// every member of it. Ranks are dense. Inside a rank: evidence descending, newest first, then id.
// Runs without a value have no place. The order given matters only between equal values under
// strict_exact, as that policy states.
std::vector<PlaceV1> rank_v1(std::span<const RankedRun> runs, Profile profile);

// ---- ranking-v2

enum class ReasonCode {
  leads,                   // rank 1, claimed or not (see the verdict)
  behind,                  // separated from the rank before it
  equal_value,             // shares its rank: same value as the run before it
  overlaps_with,           // shares its rank: intervals overlap
  below_resolution,        // shares its rank: closer than the source can tell apart
  below_effect,            // shares its rank: closer than its protocol lets anybody claim
  insufficient_samples,    // its spread is unknown, so nothing is claimed for or against it
  missing_primary_metric,  // listed, not ranked
  unknown_metric,          // listed, not ranked
};
std::string_view name_of(ReasonCode code);  // "LEADS", "INSUFFICIENT_SAMPLES", ...

struct PlaceReason {
  ReasonCode code{};
  std::optional<std::size_t> other;  // the run it is about: index into the runs given
  bool operator==(const PlaceReason&) const = default;
};

struct Place {
  std::size_t run = 0;               // index into the runs given
  std::optional<std::int64_t> rank;  // dense, from 1; nullopt: listed without a rank
  bool tied_with_previous = false;
  bool shares_rank = false;
  std::optional<Interval> interval;  // the one the ranking used; nullopt: spread unknown
  std::vector<PlaceReason> reasons;
  bool operator==(const Place&) const = default;
};

struct Excluded {
  std::size_t run = 0;
  std::vector<std::string> codes;  // eligibility codes, never empty
  bool operator==(const Excluded&) const = default;
};

enum class VerdictKind {
  winner,               // one provider leads, clear of the intervals of the first rank of rivals
  tie,                  // runs of several providers share rank 1
  not_enough_evidence,  // one has the best value, but `unclear` keeps it from being claimed
  only_run,             // one provider is ranked: nothing to compare it with
  none,                 // no run is ranked
};
std::string_view name_of(VerdictKind kind);  // "winner", "not_enough_evidence", ...

struct Verdict {
  VerdictKind kind = VerdictKind::none;
  std::vector<std::size_t> leaders;  // the runs at rank 1
  // not_enough_evidence: whose spread is unknown or overlaps the leader's; leader first.
  std::vector<PlaceReason> unclear;
  bool operator==(const Verdict&) const = default;
};

struct Ranking {
  std::vector<Place> places;       // display order: ranked, then listed without a rank
  std::vector<Excluded> excluded;  // newest first
  std::int64_t ranked = 0;         // how many places have a rank: the cohort size to show
  Verdict verdict;
  bool operator==(const Ranking&) const = default;
};

struct RankingOptions {
  std::string_view metric;  // of the cohort: "latency"
  std::string_view unit;    // "ns"
  double resolution = 0;    // resolution_of(timer, unit); 0: unknown
  double effect_min = 0;    // effect_min_of(protocol); 0: none
};

// Of two ends as stated, also without width; nullopt, unknown, when one of them is not stated.
std::optional<Interval> stated_interval(const std::optional<double>& low,
                                        const std::optional<double>& high);

// The interval a run's value is known to, in the metric's unit: the declared 95 % interval, else
// p20 to p80. nullopt, unknown, when neither is stated, when it has no width (one sample, or equal
// quantiles), when only one sample was taken, or when it does not contain the value it should
// surround.
std::optional<Interval> usable_interval(const RankedRun& run);

Ranking rank(std::span<const RankedRun> runs, const RankingOptions& options);

// ---- words

struct Reason {
  std::string code;  // stable, upper case
  std::string text;  // one sentence, without a full stop
};

// The reasons of one place in words. `runs` and `options` are those the ranking was made of.
std::vector<Reason> explain(const Place& place, std::span<const RankedRun> runs,
                            const RankingOptions& options);

// The verdict in one sentence; `names[i]` is what run i is called there.
std::string explain(const Verdict& verdict, std::span<const std::string> names);

}  // namespace ki::policy
