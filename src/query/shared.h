// What resolvers of one process share: the operation index of the newest catalog state they have
// seen, and the operations that they read. An operation outlives publications that do not change
// it: its stamp says so. Thread-safe; nothing is read while the lock is held.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "query/measured.h"
#include "query/operation_index.h"
#include "query/resolver.h"
#include "query/snapshot.h"

namespace ki::query {

class Shared {
 public:
  explicit Shared(std::size_t bytes_max = kSharedBytesMax) : bytes_max_(bytes_max) {}

  using Index = std::shared_ptr<const OperationIndex>;
  using Snapshot = std::shared_ptr<const OperationSnapshot>;

  // The index of this catalog state; nullptr when another state or none is held.
  Index index(std::string_view version) const;
  // The state whose index is held; "" = none.
  std::string version() const;
  // Offers a freshly built index; returns the one to use, which is the first offered for a state.
  // Operations that are held stay as earlier ones only where the new state grew out of theirs.
  struct Offer {
    std::string version{};
    std::string continued{};  // an earlier state that it grew out of; "" = none is known
  };
  Index offer(const Offer& offer, Index index);

  // What is measured under `index`; nullptr when it is not held or the index was replaced.
  std::shared_ptr<const Measured> measured(const Index& index) const;
  void keep(const Index& index, std::shared_ptr<const Measured> measured);

  // An operation as it is under `index`; nullptr when it is not held or the index was replaced.
  Snapshot find(const Index& index, const std::string& operation_id);
  // The same as it was under an earlier one: still right when its stamp is.
  Snapshot find_earlier(const Index& index, const std::string& operation_id) const;
  void keep(const Index& index, Snapshot snapshot);
  // Counts the memory of an operation again: rows were added to it.
  void count(const Snapshot& snapshot);

  std::size_t bytes() const;

 private:
  struct Held {
    Snapshot snapshot;
    std::list<std::string>::iterator use;
    std::size_t bytes = 0;
    std::uint64_t state = 0;  // the last that it is right under
  };
  void settle();  // drops what was used longest ago until the rest fits

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::string version_;
  std::uint64_t state_ = 0;  // counts the indexes
  Index index_;
  std::shared_ptr<const Measured> measured_;
  std::unordered_map<std::string, Held> held_;
  std::list<std::string> uses_;  // ids, the latest use first
  std::size_t bytes_ = 0;
};

}  // namespace ki::query
