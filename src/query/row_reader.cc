// What is read of an operation while it is answered about.
#include <algorithm>

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

std::shared_ptr<const Achievements> RowReader::achievements() {
  if (auto held = snapshot_->held->achieved.find(0)) return held;
  struct Best {
    RunInfo run;
    catalog::RunLine line;
  };
  const std::size_t count = snapshot_->implementations.size();
  Achievements out(count);
  std::vector<std::optional<Best>> best(count);
  for (std::size_t cohort = 0; cohort < snapshot_->cohorts.size(); ++cohort) {
    auto lines =
        taken(catalog::read_cohort_runs(connection_, snapshot_->cohorts[cohort].comparison_key));
    if (!lines) break;
    for (catalog::RunLine& line : *lines) {
      const auto at = snapshot_->implementation_at(line.implementation_id);
      if (!at) continue;
      const auto level = level_of(line);
      out[*at].level = std::max(out[*at].level.value_or(level), level);
      if (!line.value) continue;
      RunInfo run{
          .id = line.id, .value = *line.value, .cohort = static_cast<std::uint32_t>(cohort)};
      run.has_value = true;
      if (best[*at] && !before(*snapshot_, run, best[*at]->run)) continue;
      best[*at] = Best{.run = run, .line = std::move(line)};
      best[*at]->run.id = best[*at]->line.id;
    }
  }
  std::size_t bytes = sizeof(Achievements) + count * sizeof(Achieved);
  for (std::size_t i = 0; i < count; ++i) {
    if (best[i]) out[i].best = figure_of(best[i]->line);
    bytes += heap_bytes(out[i].best);
  }
  if (!status_) return std::make_shared<const Achievements>(std::move(out));
  return snapshot_->held->achieved.keep(0, std::move(out), bytes);
}

}  // namespace ki::query
