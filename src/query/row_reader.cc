// What is read of an operation while it is answered about.
#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "policy/metrics.h"
#include "query/describe.h"
#include "query/heap_bytes.h"
#include "query/resolver_impl.h"

namespace ki::query {

RowReader::~RowReader() {
  if (has_read_) shared_.count(snapshot_);
}

template <class T>
std::optional<T> RowReader::taken(Result<T> read) {
  has_read_ = true;
  if (read) return std::move(*read);
  if (status_) status_ = std::unexpected(std::move(read).error());
  return std::nullopt;
}

std::shared_ptr<const ShownRow> RowReader::row(std::size_t run) {
  if (auto held = snapshot_->held->rows.find(run)) return held;
  const CohortInfo& cohort = snapshot_->cohort_of_run(run);
  const RankedRuns& ranked = runs(snapshot_->position_of(cohort));
  const std::size_t place = run - cohort.runs.front();
  if (const auto line = shown(ranked.runs[place].id)) {
    ShownRow made{.row = row_of(*snapshot_, ranked, place, *line),
                  .observed = ranked.runs[place].observed};
    const std::size_t bytes = bytes_of(made.row) + sizeof(Instant);
    return snapshot_->held->rows.keep(run, std::move(made), bytes);
  }
  static const auto kNone = std::make_shared<const ShownRow>();
  return kNone;
}

std::optional<catalog::ShownLine> RowReader::shown(std::string_view run_id) {
  auto line = taken(catalog::read_shown_run(connection_, run_id));
  if (line && *line) return std::move(*line);
  if (status_) status_ = fail(Code::unavailable, "the catalog is being changed; try again");
  return std::nullopt;
}

const RankedRuns& RowReader::runs(std::size_t cohort) {
  if (last_ != nullptr && last_cohort_ == cohort) return *last_;
  last_cohort_ = cohort;
  last_ = &used(cohort);
  return *last_;
}

const RankedRuns& RowReader::used(std::size_t cohort) {
  const auto [used, is_new] = used_.try_emplace(cohort);
  if (!is_new) return *used->second;
  used->second = snapshot_->held->runs.find(cohort);
  if (used->second) return *used->second;
  if (auto loaded = taken(load_runs(connection_, *snapshot_, cohort))) {
    const std::size_t bytes = bytes_of(*loaded);
    used->second = snapshot_->held->runs.keep(cohort, std::move(*loaded), bytes);
    return *used->second;
  }
  RankedRuns none;  // as many as are looked for; the answer is not given
  const RunInfo blank{.workload = snapshot_->cohorts[cohort].workload,
                      .cohort = static_cast<std::uint32_t>(cohort)};
  none.runs.resize(snapshot_->cohorts[cohort].runs.size(), blank);
  used->second = std::make_shared<const RankedRuns>(std::move(none));
  return *used->second;
}

std::shared_ptr<const Tallies> RowReader::tallies(std::size_t cohort) {
  if (auto held = snapshot_->held->tallies.find(cohort)) return held;
  if (auto loaded = taken(load_tallies(connection_, *snapshot_, cohort))) {
    loaded->shrink_to_fit();
    const std::size_t bytes = sizeof(Tallies) + loaded->capacity() * sizeof(Tally);
    return snapshot_->held->tallies.keep(cohort, std::move(*loaded), bytes);
  }
  static const auto kNone = std::make_shared<const Tallies>();
  return kNone;
}

std::shared_ptr<const Head> RowReader::head(std::size_t cohort) {
  if (auto held = snapshot_->held->heads.find(cohort)) return held;
  const CohortInfo& info = snapshot_->cohorts[cohort];
  const auto best =
      taken(catalog::read_best_runs(connection_, info.comparison_key, *info.best_value));
  if (best && best->empty() && status_) {
    status_ = fail(Code::internal, "a cohort has no run of its best value; `ki verify` says more",
                   std::string(info.comparison_key));
  }
  Head head;
  if (best && !best->empty()) {
    const catalog::BestLine& first = (*best)[first_of(info, *best)];
    const auto line = shown(first.id);
    const auto used = snapshot_->implementation_at(first.implementation_id);
    head.run_id = first.id;
    if (used) head.implementation = snapshot_->implementations[*used].ref;
    if (line) head.primary = figure_of(*line).value_or(Primary{});
  }
  if (!status_) return std::make_shared<const Head>(std::move(head));
  const std::size_t bytes = sizeof(Head) + heap_bytes(head);
  return snapshot_->held->heads.keep(cohort, std::move(head), bytes);
}

// Runs of one value share their rank: the ranking says in which order they are shown.
std::size_t RowReader::first_of(const CohortInfo& cohort,
                                const std::vector<catalog::BestLine>& best) {
  if (best.size() == 1) return 0;
  std::vector<policy::RankedRun> runs;
  for (const catalog::BestLine& line : best) {
    runs.push_back({.id = line.id,
                    .value = cohort.best_value,
                    .confidence = std::nullopt,
                    .spread = std::nullopt,
                    .sample_count = std::nullopt,
                    .evidence = level_of(line),
                    .observed_at = line.observed_at,
                    .ineligible = {}});
  }
  return policy::rank(runs, {.metric = cohort.metric, .unit = cohort.unit}).places.front().run;
}

namespace {

// The best runs of each implementation of an operation, from one pass over its runs.
class Best {
 public:
  explicit Best(const OperationSnapshot& snapshot)
      : snapshot_(snapshot), first_(snapshot.implementations.size()), out_(first_.size()) {}

  Status add(db::Connection& connection) {
    std::int64_t standing = 0;
    for (const CohortInfo& cohort : snapshot_.cohorts) standing += std::ssize(cohort.runs);
    std::int64_t runs = 0;
    for (const MemberOperation& operation : snapshot_.operations) {
      runs += TRY(catalog::count_runs_of(connection, operation.ref.slug));
    }
    for (const MemberOperation& operation : snapshot_.operations) {
      std::unordered_set<std::string> those;  // that stand; mostly all do
      if (runs != standing) {
        those = TRY(catalog::read_standing_of(connection, operation.ref.slug));
      }
      TRY(catalog::each_run_of(connection, operation.ref.slug, [&](const catalog::RunLine& line) {
        if (runs == standing || those.contains(line.id)) add(line);
      }));
    }
    return {};
  }

  Achievements achievements() && {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (first_[i]) out_[i].best = figure_of(*first_[i]);
    }
    return std::move(out_);
  }

 private:
  void add(const catalog::RunLine& line) {
    const auto at = implementation_of(line);
    if (!at) return;
    const auto level = level_of(line);
    out_[*at].level = std::max(out_[*at].level.value_or(level), level);
    if (!line.value) return;
    auto& first = first_[*at];
    if (!first || is_before(line, *first)) first = line;
  }

  // They come by implementation.
  std::optional<std::size_t> implementation_of(const catalog::RunLine& line) {
    if (line.implementation_id != implementation_id_) {
      implementation_id_ = line.implementation_id;
      implementation_ = snapshot_.implementation_at(implementation_id_);
    }
    return implementation_;
  }

  // As before() has it, of runs with values.
  bool is_before(const catalog::RunLine& line, const catalog::RunLine& other) {
    if (line.metric != metric_ || line.unit != unit_) {
      metric_ = line.metric;
      unit_ = line.unit;
      const auto metric = policy::find_metric(metric_, unit_);
      is_higher_better_ = metric && metric->direction == policy::Direction::higher;
    }
    const auto key = [&](const catalog::RunLine& one) {
      return std::tuple(std::string_view(one.metric), std::string_view(one.unit),
                        is_higher_better_ ? -*one.value : *one.value, std::string_view(one.id));
    };
    return key(line) < key(other);
  }

  const OperationSnapshot& snapshot_;
  std::vector<std::optional<catalog::RunLine>> first_;  // by position of the implementation
  Achievements out_;
  std::string implementation_id_;
  std::optional<std::size_t> implementation_;
  std::string metric_;
  std::string unit_;
  bool is_higher_better_ = false;
};

}  // namespace

std::shared_ptr<const Achievements> RowReader::achievements() {
  if (auto held = snapshot_->held->achieved.find(0)) return held;
  Best best(*snapshot_);
  has_read_ = true;
  if (Status read = best.add(connection_); !read && status_) status_ = std::move(read);
  Achievements out = std::move(best).achievements();
  std::size_t bytes = sizeof(Achievements) + out.size() * sizeof(Achieved);
  for (const Achieved& one : out) bytes += heap_bytes(one.best);
  if (!status_) return std::make_shared<const Achievements>(std::move(out));
  return snapshot_->held->achieved.keep(0, std::move(out), bytes);
}

}  // namespace ki::query
