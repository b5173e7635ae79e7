// The history of a cohort's record, derived from the evidence: replaying the same runs and
// corrections always gives the same events, so nothing has to be appended, and nothing can drift.
//
// What a replay means:
//  * Runs enter in the order they were observed, not published; of runs observed at one instant the
//    best enters first. A run that arrives late takes its place in the past and the events after it
//    follow from it.
//  * A run makes an event when it is strictly better than every run before it. Equal values do not.
//  * A run that is out of force now (retracted or superseded) makes no event: the history is that
//    of the other runs. If it led the cohort at the moment it went, one more event says who took
//    over then. Taking out a run that did not lead changes nothing.
//  * A restored run is back in the history, and if it leads again from that moment an event says
//  so.
//
// The last event always names the holder: the best run in force, the earlier observed of equals.
// Pure; identifiers and storage are the catalog's business.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "policy/metrics.h"

namespace ki::policy {

// A run that passed, is published and has a primary value, whether in force or not.
struct RecordRun {
  std::string_view id;           // unique; the run's digest, so that no catalog differs in ties
  double value = 0;              // finite
  std::string_view observed_at;  // ISO 8601 UTC with milliseconds, so that text order is time order
};

enum class CorrectionKind {
  retract,
  restore,    // lifts a retraction, never a supersession
  supersede,  // a newer run of the same observation replaces this one
};

struct RecordCorrection {
  std::string_view run_id;  // the run that goes or comes back; ids not among the runs are ignored
  CorrectionKind kind{};
  std::string_view at;  // ISO 8601 UTC with milliseconds; equal times apply in the order given
};

enum class RecordCause { new_run, retraction, supersession, restore };
std::string_view name_of(RecordCause cause);  // "new_run"

struct RecordEvent {
  std::size_t run = 0;                  // index into the runs given: who holds the record from here
  std::optional<std::size_t> previous;  // who held it before; nullopt for the first
  RecordCause cause{};
  std::string_view at;  // borrowed from the run's or the correction's text
  bool operator==(const RecordEvent&) const = default;
};

// The events of one cohort in time order; a run has at most one event of each cause (of several
// hand-overs by one cause to one run, the newest). O(n log n) in runs and corrections. Neither the
// order of the runs nor, between different times, that of the corrections matters.
std::vector<RecordEvent> derive_record_events(std::span<const RecordRun> runs,
                                              std::span<const RecordCorrection> corrections,
                                              Direction direction);

// By how many percent `current` improves on `previous` in the metric's direction (10 -> 9 is 10 for
// lower-is-better); nullopt when previous is 0.
std::optional<double> improvement_percent(double previous, double current, Direction direction);

}  // namespace ki::policy
