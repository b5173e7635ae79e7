#include "query/text_pool.h"

#include <algorithm>
#include <cstring>

namespace ki::query {
namespace {

constexpr std::size_t kBlockBytesMax = std::size_t{64} << 10;
// Of an entry of the set: the view, its hash, the link and the bucket.
constexpr std::size_t kEntryBytes = sizeof(std::string_view) + 4 * sizeof(void*);

}  // namespace

std::string_view TextPool::share(std::string_view text) {
  if (text.empty()) return {};
  if (const auto known = shared_.find(text); known != shared_.end()) return *known;
  bytes_ += kEntryBytes;
  return *shared_.insert(add(text)).first;
}

std::string_view TextPool::add(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > left_) {
    left_ = std::max(next_bytes_, text.size());
    next_bytes_ = std::min(2 * next_bytes_, kBlockBytesMax);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    at_ = blocks_.back().get();
    bytes_ += left_;
  }
  std::memcpy(at_, text.data(), text.size());
  const std::string_view kept(at_, text.size());
  at_ += text.size();
  left_ -= text.size();
  return kept;
}

}  // namespace ki::query
