// The JSON data model that both readers (JSON, YAML) produce: immutable nodes in an arena, each
// knowing where in the source text it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki::json {

enum class Type : std::uint8_t { null, boolean, number, string, array, object };

struct Member;

inline constexpr std::uint32_t kNoOffset = 0xFFFFFFFF;

// One node: a small view that borrows from its Document. Copy it freely while the Document lives.
class Value {
 public:
  constexpr Value() : number_(0) {}

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::null; }
  bool is_boolean() const { return type_ == Type::boolean; }
  bool is_number() const { return type_ == Type::number; }
  bool is_string() const { return type_ == Type::string; }
  bool is_array() const { return type_ == Type::array; }
  bool is_object() const { return type_ == Type::object; }

  // Each accessor requires its type.
  bool boolean() const { return boolean_; }
  double number() const { return number_; }
  std::string_view string() const { return {text_, size_}; }
  std::span<const Value> items() const { return {items_, size_}; }
  std::span<const Member> members() const;

  // The member's value, or nullptr; also nullptr when this is no object. Linear: objects are small.
  const Value* find(std::string_view key) const;

  // Byte offset of the first byte of this value in the source text, kNoOffset for built nodes.
  std::uint32_t offset() const { return offset_; }

  // A number whose literal is not zero but which no double but zero is near (1e-400).
  bool underflowed() const { return underflowed_; }

 private:
  friend class Arena;
  union {
    bool boolean_;
    double number_;
    const char* text_;
    const Value* items_;
    const Member* members_;
  };
  std::uint32_t size_ = 0;
  std::uint32_t offset_ = kNoOffset;
  Type type_ = Type::null;
  bool underflowed_ = false;
};

struct Member {
  std::string_view key;  // decoded
  Value value;
  std::uint32_t key_offset = kNoOffset;
};

inline std::span<const Member> Value::members() const { return {members_, size_}; }

// Owns nodes and their text. Nodes made by it live as long as it does; it may move, they stay.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // Makes room for `bytes` in one piece, for a caller who can tell beforehand.
  void reserve(std::size_t bytes);
  // The copy is followed by a NUL byte, which is not part of it.
  std::string_view copy(std::string_view text);

  // These are inline so that a reader builds each value where it will stand.
  static Value null(std::uint32_t offset = kNoOffset) {
    Value value;
    value.offset_ = offset;
    return value;
  }
  static Value boolean(bool boolean, std::uint32_t offset = kNoOffset) {
    Value value = null(offset);
    value.type_ = Type::boolean;
    value.boolean_ = boolean;
    return value;
  }
  static Value number(double number, std::uint32_t offset = kNoOffset, bool underflowed = false) {
    Value value = null(offset);
    value.type_ = Type::number;
    value.number_ = number;
    value.underflowed_ = underflowed;
    return value;
  }
  // `text` is borrowed: pass what this arena (or the Document's text) owns, or copy() it first.
  static Value string(std::string_view text, std::uint32_t offset = kNoOffset) {
    Value value = null(offset);
    value.type_ = Type::string;
    value.text_ = text.data();
    value.size_ = static_cast<std::uint32_t>(text.size());
    return value;
  }
  // Elements are copied into the arena.
  Value array(std::span<const Value> items, std::uint32_t offset = kNoOffset);
  Value object(std::span<const Member> members, std::uint32_t offset = kNoOffset);
  // The value with all it holds, text included.
  Value copy(const Value& value);

  std::size_t bytes() const { return bytes_; }  // allocated so far

 private:
  void* allocate(std::size_t bytes, std::size_t alignment);
  void add_block(std::size_t size);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

// A tree and what it borrows from. Moving it keeps every Value of it valid.
struct Document {
  Arena arena;
  Value root;
};

// A document of a part of another, which borrows nothing from that.
Document copy_of(const Value& value);

// "/" + escaped key (RFC 6901: "~" becomes "~0", "/" becomes "~1"), or "/" + index.
void append_pointer(std::string& pointer, std::string_view key);
void append_pointer(std::string& pointer, std::size_t index);

}  // namespace ki::json
