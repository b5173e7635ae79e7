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
  making_.clear();
  clear_locked();
}

void AnswerCache::clear_locked() {
  at_.clear();
  entries_.clear();
  bytes_ = 0;
}

AnswerCache::Held AnswerCache::find(std::string_view version, std::string_view request,
                                    Instant now) {
  const std::scoped_lock lock(mutex_);
  Held held = look_up_locked(version, request, now);
  (held ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return held;
}

AnswerCache::Held AnswerCache::look_up_locked(std::string_view version, std::string_view request,
                                              Instant now) {
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
  const std::scoped_lock lock(mutex_);
  keep_locked(version, std::move(request), std::move(answer), now);
}

void AnswerCache::keep_locked(std::string_view version, std::string request, Held answer,
                              Instant now) {
  if (answer->body.size() > kCachedBodyBytesMax) return;
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

class AnswerCache::Maker {
 public:
  Maker(AnswerCache& cache, const std::string& key, std::shared_ptr<Making> making)
      : cache_(cache), key_(key), making_(std::move(making)) {}
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;
  ~Maker() {
    {
      const std::scoped_lock lock(cache_.mutex_);
      end_locked();
    }
    cache_.made_.notify_all();
  }

  void share(std::string_view version, const std::string& request, Held answer, Instant now) {
    const std::scoped_lock lock(cache_.mutex_);
    making_->answer = answer;
    // Made before the cache was cleared, it may show what was so before.
    if (end_locked()) cache_.keep_locked(version, request, std::move(answer), now);
  }

 private:
  // Whether those who ask now would still wait for this one.
  bool end_locked() {
    making_->done = true;
    const auto found = cache_.making_.find(key_);
    if (found == cache_.making_.end() || found->second != making_) return false;
    cache_.making_.erase(found);
    return true;
  }

  AnswerCache& cache_;
  const std::string& key_;
  std::shared_ptr<Making> making_;
};

AnswerCache::Joined AnswerCache::join(std::string_view version, std::string_view request,
                                      const std::string& key, Instant now) {
  std::unique_lock lock(mutex_);
  Joined out;
  out.answer = look_up_locked(version, request, now);
  if (!out.answer) {
    auto& making = making_[key];
    if (!making) {
      making = std::make_shared<Making>();
      out.making = making;
    } else {
      const std::shared_ptr<const Making> other = making;
      made_.wait_for(lock, wait_max_, [&] { return other->done; });
      out.answer = other->answer;
    }
  }
  (out.answer ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return out;
}

http::Outcome AnswerCache::find_or_make(std::string_view version, const std::string& request,
                                        Instant now, const Make& make) {
  const std::string key = std::string(version) + '\n' + request;
  Joined joined = join(version, request, key, now);
  if (joined.answer) return *joined.answer;
  if (!joined.making) return make();
  Maker maker(*this, key, std::move(joined.making));
  http::Outcome outcome = make();
  if (outcome && outcome->status == 200 && outcome->cache != http::Cache::no_store) {
    maker.share(version, request, std::make_shared<const http::Response>(*outcome), now);
  }
  return outcome;
}

std::size_t AnswerCache::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace ki::api
