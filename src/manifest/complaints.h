// Collects what is wrong with a document and says it: one sentence that names the fault and what
// would be right. Internal to the module.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "json/value.h"
#include "manifest/schema.h"

namespace ki::manifest {

// At most this many issues of one text are kept; one more then says how many there were.
inline constexpr std::size_t kIssuesKeptMax = 1000;
// Letters of input quoted in one message.
inline constexpr std::size_t kQuoteMax = 80;

// Where a value stands: a chain on the stack that becomes text only when something is wrong.
struct Path {
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = kNoIndex;
};
std::string pointer_of(const Path& path);

// What the documents of one text share.
struct Tally {
  Lines lines;
  std::size_t found = 0;  // problems, listed or not
};

// Says how many problems were found beyond those that are kept, if any.
void add_unlisted(Issues& issues, const Tally& tally, std::string_view file);

class Complaints {
 public:
  // `text` is the source the values came from, "" when there is none. `base` is the pointer of the
  // document within it. `shared` belongs to the reader of a text of several documents, who says
  // what is not listed; nullptr when there is one.
  Complaints(std::string_view text, std::string_view file, std::string_view base, Tally* shared)
      : text_(text),
        file_(file),
        base_(base),
        own_{.lines = Lines(text)},
        tally_(shared != nullptr ? *shared : own_) {}
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  // The form of the value is not the type's.
  void wrong_form(const json::Value& value, const Type& type, const Path& path);
  // The value has the right form but no duration or dimension or kind is spelt like this.
  void no_alternative(const json::Value& value, const Type& type, const Path& path);
  void wrong_word(const json::Value& value, const Type& type, const Path& path);
  void wrong_pattern(const json::Value& value, const Type& type, const Path& path);
  void too_long(const json::Value& value, std::size_t length, const Type& type, const Path& path);
  void out_of_bounds(const json::Value& value, const Type& type, const Path& path);
  void wrong_size(const json::Value& value, const Type& type, const Path& path);
  void underflow(const json::Value& value, const Path& path);
  void ambiguous_duration(const json::Value& value, const Path& path);
  void missing(const json::Value& mapping, const Field& field, const Path& path);
  void unknown_members(std::span<const json::Member* const> members, const Mapping& mapping,
                       const Path& path);
  // Members that no kind has, in the spec of a document whose kind is unknown.
  void members_of_no_kind(std::span<const json::Member* const> members, const Path& path);
  void wrong_key(const json::Member& member, const Type& type, const Path& path);
  void broken_rule(std::string_view what, const json::Value& mapping, const Path& path);

  std::size_t count() const { return count_; }
  // How many of them say that the form itself is wrong, so that rules between members are moot.
  std::size_t structural() const { return structural_; }

  // What was found, with lines and columns, in order of discovery.
  Issues take();

 private:
  // Whether one more is kept; counts it either way.
  bool admit(bool structural);
  void add(std::string_view code, std::string message, const Path& path, std::uint32_t offset);
  std::string said(const json::Value& value) const;
  std::string as_written(const json::Value& value) const;
  std::string quoting_hint(const json::Value& value) const;

  std::string_view text_;
  std::string_view file_;
  std::string_view base_;
  Tally own_;
  Tally& tally_;
  std::size_t count_ = 0;
  std::size_t structural_ = 0;
  Issues issues_;
};

}  // namespace ki::manifest
