// What resolvers of one process share: the operation index of the newest catalog state they have
// seen, and the operations read under it. Thread-safe; nothing is read while the lock is held.
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

// Rows (runs, workloads, implementations) that are kept, about 2 KB each. The operation used
// longest ago goes first.
inline constexpr std::size_t kSharedRowsMax = 60'000;

class Shared {
 public:
  using Index = std::shared_ptr<const OperationIndex>;
  using Snapshot = std::shared_ptr<const OperationSnapshot>;

  // The index of this catalog state; nullptr when another state or none is held.
  Index index(std::string_view version) const;
  // Offers a freshly built index; returns the one to use, which is the first offered for a state.
  Index offer(const std::string& version, Index index);

  // What is measured under `index`; nullptr when it is not held or the index was replaced.
  std::shared_ptr<const Measured> measured(const Index& index) const;
  void keep(const Index& index, std::shared_ptr<const Measured> measured);

  // An operation read under `index`; nullptr when it is not held or the index was replaced.
  Snapshot find(const Index& index, const std::string& operation_id);
  void keep(const Index& index, Snapshot snapshot);

 private:
  struct Held {
    Snapshot snapshot;
    std::list<std::string>::iterator use;
  };
  void drop_oldest();

  mutable std::mutex mutex_;
  std::string version_;
  Index index_;
  std::shared_ptr<const Measured> measured_;
  std::unordered_map<std::string, Held> held_;
  std::list<std::string> uses_;  // ids, the latest use first
  std::size_t rows_ = 0;
};

}  // namespace ki::query
