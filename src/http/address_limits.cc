#include "http/address_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <arpa/inet.h>

#include "base/text.h"

namespace ki::http {
namespace {

// As inet_ntop() prints it; an IPv4 address that stands in an IPv6 one is that address.
std::optional<std::string> printed(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return ::inet_ntop(AF_INET, bytes.data(), out.data(), out.size());
  }
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  static constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  const bool is_v4 = std::ranges::equal(std::span(bytes).first(kMapped.size()), kMapped);
  return is_v4 ? ::inet_ntop(AF_INET, bytes.data() + kMapped.size(), out.data(), out.size())
               : ::inet_ntop(AF_INET6, bytes.data(), out.data(), out.size());
}

// The network for an IPv6 address, the address itself for others.
std::string client_of(const std::string& address) {
  constexpr std::size_t kNetworkBytes = 8;
  const std::string one = printed(address).value_or(address);
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET6, one.c_str(), bytes.data()) != 1) return one;
  return {bytes.data(), kNetworkBytes};
}

bool is_port(std::string_view text) {
  constexpr std::size_t kDigitsMax = 5;
  return !text.empty() && text.size() <= kDigitsMax &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Without brackets and port; what has neither stays as it is, for the parser to judge.
std::optional<std::string_view> without_port(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const auto end = bracketed ? text.find(']') : text.find(':');
  if (end == std::string_view::npos) return bracketed ? std::nullopt : std::optional(text);
  if (!bracketed && text.find(':', end + 1) != std::string_view::npos) return text;  // bare IPv6
  std::string_view port = text.substr(bracketed ? end + 1 : end);
  if (!port.empty() && (!port.starts_with(':') || !is_port(port.substr(1)))) return std::nullopt;
  return bracketed ? text.substr(1, end - 1) : text.substr(0, end);
}

}  // namespace

std::optional<std::string> client_address(std::string_view forwarded) {
  constexpr std::size_t kBytesMax = 100;  // the longest address with port, brackets and zone
  const auto alone = without_port(trim(forwarded));
  if (!alone || alone->size() > kBytesMax) return std::nullopt;
  return printed(std::string(alone->substr(0, std::min(alone->find('%'), alone->size()))));
}

double AddressLimits::tokens_at(const Bucket& bucket, Time now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(options_.burst, bucket.tokens + std::max(0.0, seconds) * options_.per_second);
}

void AddressLimits::make_room(Time now) {
  std::erase_if(buckets_,
                [&](const auto& entry) { return tokens_at(entry.second, now) >= options_.burst; });
  if (buckets_.size() >= kAddressesMax) buckets_.clear();
}

std::chrono::seconds AddressLimits::take(const std::string& address, Time now) {
  std::string client = client_of(address);
  const std::scoped_lock lock(mutex_);
  auto found = buckets_.find(client);
  if (found == buckets_.end()) {
    if (buckets_.size() >= kAddressesMax) make_room(now);
    found = buckets_.emplace(std::move(client), Bucket{options_.burst, now}).first;
  }
  Bucket& bucket = found->second;
  bucket = {.tokens = tokens_at(bucket, now), .at = now};
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return std::chrono::seconds(0);
  }
  const double wait = std::ceil((1 - bucket.tokens) / options_.per_second);
  return std::chrono::seconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(wait)));
}

std::size_t AddressLimits::addresses() const {
  const std::scoped_lock lock(mutex_);
  return buckets_.size();
}

}  // namespace ki::http
