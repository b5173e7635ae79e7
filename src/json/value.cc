#include "json/value.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace ki::json {

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : members()) {
    if (same_bytes(member.key, key)) return &member.value;
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

Value Arena::copy(const Value& value) {
  Value out = value;
  if (value.is_string()) {
    out.text_ = copy(value.string()).data();
  } else if (value.is_array()) {
    auto* place = static_cast<Value*>(allocate(value.items().size_bytes(), alignof(Value)));
    out.items_ = place;
    for (const Value& item : value.items()) *place++ = copy(item);
  } else if (value.is_object()) {
    auto* place = static_cast<Member*>(allocate(value.members().size_bytes(), alignof(Member)));
    out.members_ = place;
    for (const Member& member : value.members()) {
      *place++ = {copy(member.key), copy(member.value), member.key_offset};
    }
  }
  return out;
}

namespace {

// What a copy takes at most.
std::size_t bytes_of(const Value& value) {
  std::size_t bytes = 0;
  if (value.is_string()) {
    bytes = value.string().size() + 1;
  } else if (value.is_array()) {
    bytes = value.items().size_bytes() + alignof(Value);
    for (const Value& item : value.items()) bytes += bytes_of(item);
  } else if (value.is_object()) {
    bytes = value.members().size_bytes() + alignof(Member);
    for (const Member& member : value.members()) {
      bytes += member.key.size() + 1 + bytes_of(member.value);
    }
  }
  return bytes;
}

}  // namespace

Document copy_of(const Value& value) {
  Document document;
  document.arena.reserve(bytes_of(value));
  document.root = document.arena.copy(value);
  return document;
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
