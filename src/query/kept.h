// Things of one operation that are read when they are asked for, and then kept beside its outline:
// by position, up to so many bytes. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace ki::query {

// Of one kind and operation, in bytes. Beyond it all are dropped: who goes through everything asks
// for each once. Whoever uses one holds it.
inline constexpr std::size_t kKeptBytesMax = std::size_t{16} << 20;

template <class T>
class Kept {
 public:
  using Held = std::shared_ptr<const T>;

  explicit Kept(std::size_t bytes_max = kKeptBytesMax) : bytes_max_(bytes_max) {}

  // nullptr when it is not kept.
  Held find(std::size_t at) const {
    const std::scoped_lock lock(mutex_);
    const auto found = held_.find(at);
    return found == held_.end() ? nullptr : found->second;
  }

  // Returns the one to use: the first kept at a position. `bytes`: what it takes, with its own
  // size.
  Held keep(std::size_t at, T one, std::size_t bytes) {
    constexpr std::size_t kEntryBytes = 8 * sizeof(void*);  // of the table and of the sharing
    auto kept = std::make_shared<const T>(std::move(one));
    const std::scoped_lock lock(mutex_);
    if (const auto known = held_.find(at); known != held_.end()) return known->second;
    if (bytes_ + bytes + kEntryBytes > bytes_max_) {
      held_.clear();
      bytes_ = 0;
    }
    bytes_ += bytes + kEntryBytes;
    held_.emplace(at, kept);
    return kept;
  }

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::unordered_map<std::size_t, Held> held_;
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace ki::query
