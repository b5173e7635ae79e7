#include "query/shared.h"

#include <utility>

#include "query/rows.h"

namespace ki::query {

std::shared_ptr<Shared> make_shared_index(std::size_t bytes_max) {
  return std::make_shared<Shared>(bytes_max);
}

Shared::Index Shared::index(std::string_view version) const {
  const std::scoped_lock lock(mutex_);
  return index_ && version_ == version ? index_ : nullptr;
}

std::string Shared::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}

Shared::Index Shared::offer(const Offer& offer, Index index) {
  const std::scoped_lock lock(mutex_);
  if (index_ && version_ == offer.version) return index_;
  if (offer.continued.empty() || offer.continued != version_) {
    held_.clear();
    uses_.clear();
    bytes_ = 0;
  }
  version_ = offer.version;
  index_ = std::move(index);
  measured_.reset();
  ++state_;
  return index_;
}

std::shared_ptr<const Measured> Shared::measured(const Index& index) const {
  const std::scoped_lock lock(mutex_);
  return index == index_ ? measured_ : nullptr;
}

void Shared::keep(const Index& index, std::shared_ptr<const Measured> measured) {
  const std::scoped_lock lock(mutex_);
  if (index == index_) measured_ = std::move(measured);
}

Shared::Snapshot Shared::find(const Index& index, const std::string& operation_id) {
  const std::scoped_lock lock(mutex_);
  if (index != index_) return nullptr;
  const auto found = held_.find(operation_id);
  if (found == held_.end() || found->second.state != state_) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.snapshot;
}

Shared::Snapshot Shared::find_earlier(const Index& index, const std::string& operation_id) const {
  const std::scoped_lock lock(mutex_);
  if (index != index_) return nullptr;
  const auto found = held_.find(operation_id);
  return found == held_.end() ? nullptr : found->second.snapshot;
}

void Shared::keep(const Index& index, Snapshot snapshot) {
  const std::size_t bytes = snapshot->bytes + snapshot->held->bytes();
  const std::scoped_lock lock(mutex_);
  if (index != index_) return;
  const auto [at, added] = held_.try_emplace(snapshot->id);
  Held& held = at->second;
  if (added) {
    held.use = uses_.insert(uses_.begin(), snapshot->id);
  } else {
    const bool quicker =
        held.state == state_ && held.snapshot->has_origins >= snapshot->has_origins;
    if (quicker) return;  // another resolver was
    uses_.splice(uses_.begin(), uses_, held.use);
  }
  bytes_ += bytes - held.bytes;
  held.bytes = bytes;
  held.state = state_;
  held.snapshot = std::move(snapshot);
  settle();
}

void Shared::count(const Snapshot& snapshot) {
  const std::size_t bytes = snapshot->bytes + snapshot->held->bytes();
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(snapshot->id);
  if (found == held_.end() || found->second.snapshot != snapshot) return;
  bytes_ += bytes - found->second.bytes;
  found->second.bytes = bytes;
  settle();
}

void Shared::settle() {
  while (bytes_ > bytes_max_ && held_.size() > 1) {
    const auto oldest = held_.find(uses_.back());
    bytes_ -= oldest->second.bytes;
    held_.erase(oldest);
    uses_.pop_back();
  }
}

std::size_t Shared::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace ki::query
