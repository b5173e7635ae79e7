#include "json/value.h"

#include <algorithm>
#include <cstring>

namespace ki::json {

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t kBlockMin = std::size_t{1} << 10;
  void* place = next_;
  if (next_ == nullptr || std::align(alignment, bytes, place, left_) == nullptr) {
    // Blocks grow with the document: a large one costs few allocations, a stream of tiny ones
    // little memory.
    add_block(std::max({bytes + alignment, kBlockMin, bytes_}));
    place = next_;
    std::align(alignment, bytes, place, left_);
  }
  next_ = static_cast<std::byte*>(place) + bytes;
  left_ -= bytes;
  return place;
}

void Arena::add_block(std::size_t size) {
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  bytes_ += size;
  next_ = blocks_.back().get();
  left_ = size;
}

void Arena::reserve(std::size_t bytes) {
  if (left_ < bytes) add_block(bytes);
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  auto* place = static_cast<char*>(allocate(text.size() + 1, 1));
  std::memcpy(place, text.data(), text.size());
  place[text.size()] = '\0';
  return {place, text.size()};
}

Value Arena::array(std::span<const Value> items, std::uint32_t offset) {
  Value value = null(offset);
  value.type_ = Type::array;
  auto* place = static_cast<Value*>(allocate(items.size_bytes(), alignof(Value)));
  std::ranges::copy(items, place);
  value.items_ = place;
  value.size_ = static_cast<std::uint32_t>(items.size());
  return value;
}

Value Arena::object(std::span<const Member> members, std::uint32_t offset) {
  Value value = null(offset);
  value.type_ = Type::object;
  auto* place = static_cast<Member*>(allocate(members.size_bytes(), alignof(Member)));
  std::ranges::copy(members, place);
  value.members_ = place;
  value.size_ = static_cast<std::uint32_t>(members.size());
  return value;
}

void append_pointer(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

void append_pointer(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

}  // namespace ki::json
