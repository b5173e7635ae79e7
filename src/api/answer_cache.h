// Answers and pages as they were made, kept for those who ask the same again before the catalog
// changes. Shared by all threads; nothing is made while the lock is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "http/message.h"

namespace ki::api {

// Keys and bodies together. The answer used longest ago goes first.
inline constexpr std::size_t kCacheBytesMax = std::size_t{32} << 20;
// One answer larger than this is not kept: it would push out many small ones.
inline constexpr std::size_t kCachedBodyBytesMax = std::size_t{1} << 20;
// What depends on the time of asking (generatedAt, staleness) is at most this old.
inline constexpr std::chrono::seconds kCachedFor{60};

// The request as its answer depends on it: path and parameters, as decoded.
std::string key_of(const http::Request& request);

class AnswerCache {
 public:
  using Held = std::shared_ptr<const http::Response>;
  explicit AnswerCache(std::size_t bytes_max = kCacheBytesMax) : bytes_max_(bytes_max) {}

  // nullptr when it is not held, is too old, or was made under another version.
  Held find(std::string_view version, std::string_view request, Instant now);
  // Keeps an answer and drops those of every other version.
  void keep(std::string_view version, std::string request, Held answer, Instant now);

  void clear();

  std::size_t bytes() const;
  std::int64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  std::int64_t misses() const { return misses_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::string request;
    Held answer;
    Instant at;
  };
  using Entries = std::list<Entry>;
  static std::size_t bytes_of(const Entry& entry);
  void drop(Entries::iterator entry);
  void clear_locked();

  Held look_up(std::string_view version, std::string_view request, Instant now);

  std::atomic<std::int64_t> hits_ = 0;
  std::atomic<std::int64_t> misses_ = 0;
  mutable std::mutex mutex_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::string version_;
  Entries entries_;                                             // the latest use first
  std::unordered_map<std::string_view, Entries::iterator> at_;  // by Entry::request
};

}  // namespace ki::api
