// A snapshot file, mapped and checked once, then only looked up in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "embed/format.h"

namespace ki::embed {

struct AxisValue {
  std::string_view name;
  std::int64_t value = 0;
};

// Views over the bytes of a snapshot. Every offset, range and index in them was checked, so that
// whatever a file holds, no look-up leaves it.
class Reader {
 public:
  // Checks all of `bytes`, which must stay and be aligned to 8. Code::invalid says what is wrong.
  static Result<Reader> over(std::string_view bytes);

  // The case of these names and axes. No allocation.
  const Case* find(std::string_view operation, std::string_view dtype, std::string_view hardware,
                   std::string_view pass, std::span<const AxisValue> axes) const;

  const char* text(Text at) const { return texts_ + at; }
  std::string_view view(Text at) const { return text(at); }
  std::span<const Case> all_cases() const { return cases_; }
  std::span<const Axis> axes_of(const Case& one) const {
    return axes_.subspan(one.axes_begin, one.axes_count);
  }
  std::span<const Answer> all_answers() const { return answers_; }
  std::span<const Candidate> candidates_of(const Answer& answer) const {
    return candidates_.subspan(answer.candidates_begin, answer.candidates_count);
  }
  const Header& header() const { return *header_; }

 private:
  Status check_header(std::string_view bytes);
  Status check_names(std::span<const Name> names) const;
  Status check_contents() const;
  bool is_text(Text at) const { return at < texts_bytes_; }

  const Header* header_ = nullptr;
  const char* texts_ = nullptr;
  std::size_t texts_bytes_ = 0;
  std::span<const Name> operations_;
  std::span<const Name> dtypes_;
  std::span<const Name> hardware_;
  std::span<const Axis> axes_;
  std::span<const Case> cases_;
  std::span<const std::uint32_t> buckets_;
  std::span<const Answer> answers_;
  std::span<const Candidate> candidates_;
};

// A file in memory, read-only.
class Mapping {
 public:
  // Code::unavailable where the file cannot be opened or mapped, Code::invalid where it is empty.
  static Result<Mapping> open(const std::string& path);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();
  std::string_view bytes() const { return {data_, size_}; }

 private:
  Mapping(const char* data, std::size_t size) : data_(data), size_(size) {}
  const char* data_;
  std::size_t size_;
};

}  // namespace ki::embed
