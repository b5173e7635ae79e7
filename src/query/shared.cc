#include "query/shared.h"

#include <utility>

namespace ki::query {
namespace {

std::size_t rows_of(const OperationSnapshot& snapshot) {
  return 1 + snapshot.runs.size() + snapshot.workloads.size() + snapshot.implementations.size();
}

}  // namespace

std::shared_ptr<Shared> make_shared_index() { return std::make_shared<Shared>(); }

Shared::Index Shared::index(std::string_view version) const {
  const std::scoped_lock lock(mutex_);
  return index_ && version_ == version ? index_ : nullptr;
}

Shared::Index Shared::offer(const std::string& version, Index index) {
  const std::scoped_lock lock(mutex_);
  if (index_ && version_ == version) return index_;
  version_ = version;
  index_ = std::move(index);
  measured_.reset();
  held_.clear();
  uses_.clear();
  rows_ = 0;
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
  if (found == held_.end()) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.snapshot;
}

void Shared::keep(const Index& index, Snapshot snapshot) {
  const std::scoped_lock lock(mutex_);
  if (index != index_ || held_.contains(snapshot->id)) return;
  rows_ += rows_of(*snapshot);
  uses_.push_front(snapshot->id);
  std::string id = snapshot->id;
  held_.emplace(std::move(id), Held{.snapshot = std::move(snapshot), .use = uses_.begin()});
  while (rows_ > kSharedRowsMax && held_.size() > 1) drop_oldest();
}

void Shared::drop_oldest() {
  const auto oldest = held_.find(uses_.back());
  rows_ -= rows_of(*oldest->second.snapshot);
  held_.erase(oldest);
  uses_.pop_back();
}

}  // namespace ki::query
