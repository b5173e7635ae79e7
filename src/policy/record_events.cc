#include "policy/record_events.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/result.h"

namespace ki::policy {
namespace {

RecordCause cause_of(CorrectionKind kind) {
  switch (kind) {
    case CorrectionKind::retract:
      return RecordCause::retraction;
    case CorrectionKind::restore:
      return RecordCause::restore;
    case CorrectionKind::supersede:
      return RecordCause::supersession;
  }
  KI_UNREACHABLE();
}

// Whether a run counts. A supersession is final, a retraction can be lifted.
struct Force {
  bool retracted = false;
  bool superseded = false;
  bool in_force() const { return !retracted && !superseded; }
  void apply(CorrectionKind kind) {
    if (kind == CorrectionKind::supersede) superseded = true;
    if (kind != CorrectionKind::supersede) retracted = kind == CorrectionKind::retract;
  }
};

class Replay {
 public:
  Replay(std::span<const RecordRun> runs, std::span<const RecordCorrection> corrections,
         Direction direction)
      : runs_(runs),
        corrections_(corrections),
        direction_(direction),
        now_(runs.size()),
        end_(runs.size()),
        position_(runs.size()),
        leaders_(Better{this}) {
    for (std::size_t i = 0; i < runs.size(); ++i) by_id_.emplace(runs[i].id, i);
    order_.resize(runs.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
      if (runs_[a].observed_at != runs_[b].observed_at) {
        return runs_[a].observed_at < runs_[b].observed_at;
      }
      if (runs_[a].value != runs_[b].value)
        return better(direction, runs_[a].value, runs_[b].value);
      return runs_[a].id < runs_[b].id;
    });
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    for (std::size_t i = 0; i < corrections.size(); ++i) {
      if (by_id_.contains(corrections[i].run_id)) steps_.push_back(i);
    }
    std::ranges::sort(steps_, {}, [&](std::size_t i) { return std::pair(corrections_[i].at, i); });
    for (const std::size_t i : steps_) {
      const std::size_t run = by_id_.at(corrections_[i].run_id);
      const bool before = end_[run].in_force();
      end_[run].apply(corrections_[i].kind);
      if (end_[run].in_force() != before) turned_[run] = i;
    }
  }

  std::vector<RecordEvent> events() {
    auto step = steps_.begin();
    for (const std::size_t run : order_) {
      for (; step != steps_.end() && corrections_[*step].at < runs_[run].observed_at; ++step) {
        correct(*step);
      }
      observe(run);
    }
    for (; step != steps_.end(); ++step) correct(*step);
    keep_newest_of_each_cause();
    return std::move(events_);
  }

 private:
  // Best first; of equals the one observed first.
  struct Better {
    const Replay* replay;
    bool operator()(std::size_t a, std::size_t b) const {
      const double x = replay->runs_[a].value;
      const double y = replay->runs_[b].value;
      return x != y ? better(replay->direction_, x, y)
                    : replay->position_[a] < replay->position_[b];
    }
  };

  void observe(std::size_t run) {
    seen_.insert(run);
    if (now_[run].in_force()) leaders_.insert(run);
    if (!end_[run].in_force()) return;
    if (shown_ && !better(direction_, runs_[run].value, runs_[*shown_].value)) return;
    events_.push_back({.run = run,
                       .previous = shown_,
                       .cause = RecordCause::new_run,
                       .at = runs_[run].observed_at});
    shown_ = run;
  }

  void correct(std::size_t step) {
    const RecordCorrection& correction = corrections_[step];
    const std::size_t run = by_id_.at(correction.run_id);
    const std::optional<std::size_t> before = leader();
    now_[run].apply(correction.kind);
    if (!seen_.contains(run)) return;  // Corrected before it was observed: it never led.
    if (now_[run].in_force()) {
      leaders_.insert(run);
    } else {
      leaders_.erase(run);
    }
    const std::optional<std::size_t> after = leader();
    // History is what still holds: the correction that last took a run in or out, and a successor
    // that counts today. Everything else was undone, or is told by the correction that undid it.
    if (!after || before == after || turned_.at(run) != step || !end_[*after].in_force()) return;
    events_.push_back({.run = *after,
                       .previous = before,
                       .cause = cause_of(correction.kind),
                       .at = correction.at});
  }

  std::optional<std::size_t> leader() const {
    return leaders_.empty() ? std::nullopt : std::optional(*leaders_.begin());
  }

  void keep_newest_of_each_cause() {
    std::set<std::pair<std::size_t, RecordCause>> kept;
    std::vector<RecordEvent> newest;
    for (auto at = events_.rbegin(); at != events_.rend(); ++at) {
      if (kept.emplace(at->run, at->cause).second) newest.push_back(*at);
    }
    std::ranges::reverse(newest);
    events_ = std::move(newest);
  }

  std::span<const RecordRun> runs_;
  std::span<const RecordCorrection> corrections_;
  Direction direction_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
  std::vector<Force> now_;                     // as of the moment replayed
  std::vector<Force> end_;                     // as of today
  std::vector<std::size_t> position_;          // of a run in order_
  std::vector<std::size_t> order_;             // runs by observation
  std::vector<std::size_t> steps_;             // corrections by time
  std::map<std::size_t, std::size_t> turned_;  // run -> the last correction that took it in or out
  std::set<std::size_t> seen_;
  std::set<std::size_t, Better> leaders_;  // runs in force at the moment replayed
  std::optional<std::size_t> shown_;       // the best observed run that is in force today
  std::vector<RecordEvent> events_;
};

}  // namespace

std::string_view name_of(RecordCause cause) {
  switch (cause) {
    case RecordCause::new_run:
      return "new_run";
    case RecordCause::retraction:
      return "retraction";
    case RecordCause::supersession:
      return "supersession";
    case RecordCause::restore:
      return "restore";
  }
  KI_UNREACHABLE();
}

std::vector<RecordEvent> derive_record_events(std::span<const RecordRun> runs,
                                              std::span<const RecordCorrection> corrections,
                                              Direction direction) {
  return Replay(runs, corrections, direction).events();
}

std::optional<double> improvement_percent(double previous, double current, Direction direction) {
  if (previous == 0) return std::nullopt;
  const double gain = direction == Direction::lower ? previous - current : current - previous;
  return gain / previous * 100;
}

}  // namespace ki::policy
