// Rows of runs: made when they are shown, of what a snapshot holds and of one indexed read. Those
// shown of late are kept beside their snapshot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/clock.h"
#include "query/model_row.h"
#include "query/snapshot.h"

namespace ki::query {

// Of one operation, in bytes. Beyond it all are dropped: who pages through everything asks for each
// row once.
inline constexpr std::size_t kRowsBytesMax = std::size_t{16} << 20;

// Rows by position in OperationSnapshot::runs. Thread-safe.
class RowCache {
 public:
  using Held = std::shared_ptr<const Row>;
  Held find(std::size_t run) const;
  // Returns the one to use: the first kept for a run.
  Held keep(std::size_t run, Row row);
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::size_t, Held> rows_;
  std::atomic<std::size_t> bytes_ = 0;
};

// The finished row of a run, but for staleness and mismatches; never nullptr.
using RowOf = std::function<std::shared_ptr<const Row>(std::size_t run)>;

// How rows of one operation are had while it is answered about.
struct RowSource {
  const OperationSnapshot& snapshot;
  RowOf of;
  Instant now;

  // With what depends on the time of asking.
  Row finished(std::size_t run) const;
  // nullopt for a cohort without one.
  std::optional<Head> head(const CohortInfo& cohort) const;
};
Head head_of(const Row& row);

// A row of an implementation, without a run.
Row row_of(const OperationSnapshot& snapshot, const ImplementationInfo& implementation);

// The row of a run of which `line` was read.
Row row_of(const OperationSnapshot& snapshot, std::size_t run, const catalog::ShownLine& line);

std::size_t bytes_of(const Row& row);

}  // namespace ki::query
