#include "api/answer_cache.h"

namespace ki::api {

// Sizes keep a value with a line break apart from two parameters.
std::string key_of(const http::Request& request) {
  std::string key = request.path;
  for (const auto& [name, value] : request.parameters) {
    key += '\n' + std::to_string(name.size()) + ':' + std::to_string(value.size()) + ':' + name +
           '=' + value;
  }
  return key;
}

std::size_t AnswerCache::bytes_of(const Entry& entry) {
  constexpr std::size_t kOverhead = 256;  // list and map nodes, roughly
  std::size_t bytes = entry.request.size() + entry.answer->body.size() + kOverhead;
  for (const http::Header& header : entry.answer->headers) bytes += header.value.size();
  return bytes;
}

void AnswerCache::drop(Entries::iterator entry) {
  bytes_ -= bytes_of(*entry);
  at_.erase(entry->request);
  entries_.erase(entry);
}

void AnswerCache::clear() {
  const std::scoped_lock lock(mutex_);
  clear_locked();
}

void AnswerCache::clear_locked() {
  at_.clear();
  entries_.clear();
  bytes_ = 0;
}

AnswerCache::Held AnswerCache::find(std::string_view version, std::string_view request,
                                    Instant now) {
  Held held = look_up(version, request, now);
  (held ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return held;
}

AnswerCache::Held AnswerCache::look_up(std::string_view version, std::string_view request,
                                       Instant now) {
  const std::scoped_lock lock(mutex_);
  if (version != version_) return nullptr;
  const auto found = at_.find(request);
  if (found == at_.end()) return nullptr;
  const auto entry = found->second;
  if (now - entry->at > kCachedFor || now < entry->at) {
    drop(entry);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->answer;
}

void AnswerCache::keep(std::string_view version, std::string request, Held answer, Instant now) {
  if (answer->body.size() > kCachedBodyBytesMax) return;
  const std::scoped_lock lock(mutex_);
  if (version != version_) {
    version_ = version;
    clear_locked();
  }
  if (const auto found = at_.find(request); found != at_.end()) drop(found->second);
  entries_.push_front({.request = std::move(request), .answer = std::move(answer), .at = now});
  at_.emplace(entries_.front().request, entries_.begin());
  bytes_ += bytes_of(entries_.front());
  while (bytes_ > bytes_max_ && !entries_.empty()) drop(std::prev(entries_.end()));
}

std::size_t AnswerCache::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace ki::api
