// How often one address may ask: a bucket of tokens for each, refilled at a steady rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ki::http {

// The address alone of what a proxy wrote for one client in X-Forwarded-For, in its usual form:
// some add a port (192.0.2.1:4711), brackets ([2001:db8::1], with or without a port) or a zone.
// nullopt: it is none.
std::optional<std::string> client_address(std::string_view forwarded);

inline constexpr double kPerSecondMin =
    0.001;  // so that nobody is told to wait for longer than 1000 s

struct AddressLimitOptions {
  double per_second = 10;  // requests an address may make for ever, at least kPerSecondMin
  double burst = 20;       // and at once after a pause, at least 1
};

// Buckets kept. When so many addresses ask at once, those that have been quiet are forgotten, and
// if there are none all are: memory is bounded, and strangers gain at most a full bucket.
inline constexpr std::size_t kAddressesMax = 65'536;

// Thread-safe.
class AddressLimits {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit AddressLimits(const AddressLimitOptions& options) : options_(options) {}

  // Takes a token. 0: there was one; else in how many seconds (at least 1) there will be.
  // Addresses of one IPv6 network of 64 bits, which one client has whole, count as one.
  std::chrono::seconds take(const std::string& address, Time now);

  std::size_t addresses() const;

 private:
  struct Bucket {
    double tokens;
    Time at;
  };
  double tokens_at(const Bucket& bucket, Time now) const;
  void make_room(Time now);

  AddressLimitOptions options_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace ki::http
