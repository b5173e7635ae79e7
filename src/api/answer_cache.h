// Answers and pages as they were made, kept for those who ask the same again before the catalog
// changes. What many ask for at once is made once: the others wait for it. Shared by all threads;
// nothing is made while the lock is held.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "http/message.h"
#include "http/router.h"

namespace ki::api {

// Keys and bodies together. The answer used longest ago goes first.
inline constexpr std::size_t kCacheBytesMax = std::size_t{32} << 20;
// One answer larger than this is not kept: it would push out many small ones.
inline constexpr std::size_t kCachedBodyBytesMax = std::size_t{1} << 20;
// What depends on the time of asking (generatedAt, staleness) is at most this old.
inline constexpr std::chrono::seconds kCachedFor{60};
// So long a request waits for another that makes the same answer; then it makes its own.
inline constexpr std::chrono::milliseconds kMadeWaitMax{10'000};

// The request as its answer depends on it: path and parameters, as decoded.
std::string key_of(const http::Request& request);

class AnswerCache {
 public:
  using Held = std::shared_ptr<const http::Response>;
  using Make = std::function<http::Outcome()>;
  explicit AnswerCache(std::size_t bytes_max = kCacheBytesMax,
                       std::chrono::milliseconds wait_max = kMadeWaitMax)
      : bytes_max_(bytes_max), wait_max_(wait_max) {}

  // What is held, what another thread is making, or else what `make` gives. A success that may be
  // cached is kept and given to all who wait for it; after anything else each of them makes its
  // own, so that nobody gets the failure of another's request.
  http::Outcome find_or_make(std::string_view version, const std::string& request, Instant now,
                             const Make& make);

  // nullptr when it is not held, is too old, or was made under another version.
  Held find(std::string_view version, std::string_view request, Instant now);
  // Keeps an answer and drops those of every other version.
  void keep(std::string_view version, std::string request, Held answer, Instant now);

  // What is being made is not kept then, nor waited for by those who ask later.
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

  // An answer that a thread is making.
  struct Making {
    bool done = false;
    Held answer;  // nullptr: there is none to share
  };
  // Ends it, however its maker leaves.
  class Maker;
  // Somebody else's answer or the right to make it: exactly one of the two, or neither where the
  // wait was in vain.
  struct Joined {
    Held answer;
    std::shared_ptr<Making> making;
  };
  Joined join(std::string_view version, std::string_view request, const std::string& key,
              Instant now);

  Held look_up_locked(std::string_view version, std::string_view request, Instant now);
  void keep_locked(std::string_view version, std::string request, Held answer, Instant now);

  std::atomic<std::int64_t> hits_ = 0;
  std::atomic<std::int64_t> misses_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  std::unordered_map<std::string, std::shared_ptr<Making>> making_;  // by version and request
  std::size_t bytes_max_;
  std::chrono::milliseconds wait_max_;
  std::size_t bytes_ = 0;
  std::string version_;
  Entries entries_;                                             // the latest use first
  std::unordered_map<std::string_view, Entries::iterator> at_;  // by Entry::request
};

}  // namespace ki::api
