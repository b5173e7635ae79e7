// What is read of an operation besides its outline: the runs of a cohort once it is ranked or
// shown, what is counted of them, and the rows of those that are shown. Kept beside the snapshot as
// long as there is room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "query/kept.h"
#include "query/model_row.h"
#include "query/snapshot.h"

namespace ki::query {

// The best of what an implementation achieved on an operation.
struct Achieved {
  std::optional<policy::EvidenceLevel>
      level;                    // the best of its eligible runs; nullopt: it has none
  std::optional<Primary> best;  // of its first run with a value (before())
};
using Achievements = std::vector<Achieved>;  // by position of the implementation

// The finished row of a run, but for staleness and mismatches.
struct ShownRow {
  Row row;
  Instant observed;
};

// What was read of one operation of late, and is still right.
struct Held {
  Kept<ShownRow> rows;    // by position of the run
  Kept<RankedRuns> runs;  // by position of the cohort, as the two below
  Kept<Tallies> tallies;
  Kept<Head> heads;
  Kept<Achievements> achieved;  // at 0

  std::size_t bytes() const {
    return rows.bytes() + runs.bytes() + tallies.bytes() + heads.bytes() + achieved.bytes();
  }
};

// How an operation is read while it is answered about.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // Never nullptr.
  virtual std::shared_ptr<const ShownRow> row(std::size_t run) = 0;
  // Of a cohort. Stays as it is as long as the source does.
  virtual const RankedRuns& runs(std::size_t cohort) = 0;
  virtual std::shared_ptr<const Tallies> tallies(std::size_t cohort) = 0;
  // Of the first run of a cohort that is_ranked().
  virtual std::shared_ptr<const Head> head(std::size_t cohort) = 0;
};

struct RowSource {
  const OperationSnapshot& snapshot;
  RunSource& read;
  Instant now;

  std::shared_ptr<const Row> of(std::size_t run) const {
    auto shown = read.row(run);
    const Row* row = &shown->row;
    return {std::move(shown), row};
  }
  // With what depends on the time of asking.
  Row finished(std::size_t run) const;
  const RankedRuns& runs(const CohortInfo& cohort) const {
    return read.runs(snapshot.position_of(cohort));
  }
  const RunInfo& run(std::size_t at) const;
  // A run of that comparison group by its id.
  std::optional<std::size_t> run_at(std::string_view comparison_key, std::string_view run_id) const;
  // nullopt for a cohort without one.
  std::optional<Head> head(const CohortInfo& cohort) const;
  Verdict verdict(const CohortInfo& cohort) const { return verdict_of(snapshot, runs(cohort)); }
};
Head head_of(const Row& row);

inline constexpr std::size_t kExcludedListed = 20;

// The runs that corrections keep out of a cohort, "" = of the operation.
Excluded excluded_of(const OperationSnapshot& snapshot, std::string_view comparison_key);

// A row of an implementation, without a run.
Row row_of(const OperationSnapshot& snapshot, const ImplementationInfo& implementation);

// The row of the run at a place of its cohort, of which `line` was read.
Row row_of(const OperationSnapshot& snapshot, const RankedRuns& ranked, std::size_t place,
           const catalog::ShownLine& line);

std::size_t bytes_of(const Row& row);
std::size_t bytes_of(const RankedRuns& runs);

}  // namespace ki::query
