#include "embed/reader.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

namespace ki::embed {
namespace {

std::unexpected<Error> damaged(std::string what) {
  return fail(Code::invalid,
              "no usable snapshot: " + std::move(what) + "; write it anew with `ki snapshot FILE`");
}

template <class T>
std::span<const T> section_at(std::string_view bytes, const Extent& extent) {
  return {reinterpret_cast<const T*>(bytes.data() + extent.offset),
          static_cast<std::size_t>(extent.count)};
}

bool lies_within(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
  return begin <= size && count <= size - begin;
}

std::uint32_t id_of(std::span<const Name> names, const char* texts, std::string_view wanted) {
  const auto at = std::ranges::lower_bound(
      names, wanted, {}, [&](const Name& name) { return std::string_view(texts + name.text); });
  return at != names.end() && texts + at->text == wanted ? at->id : 0;
}

}  // namespace

Result<Reader> Reader::over(std::string_view bytes) {
  Reader reader;
  TRY(reader.check_header(bytes));
  const auto& sections = reader.header_->sections;
  reader.texts_ = bytes.data() + sections[texts].offset;
  reader.texts_bytes_ = static_cast<std::size_t>(sections[texts].count);
  reader.operations_ = section_at<Name>(bytes, sections[operations]);
  reader.dtypes_ = section_at<Name>(bytes, sections[dtypes]);
  reader.hardware_ = section_at<Name>(bytes, sections[hardware]);
  reader.axes_ = section_at<Axis>(bytes, sections[axes]);
  reader.cases_ = section_at<Case>(bytes, sections[cases]);
  reader.buckets_ = section_at<std::uint32_t>(bytes, sections[buckets]);
  reader.answers_ = section_at<Answer>(bytes, sections[answers]);
  reader.candidates_ = section_at<Candidate>(bytes, sections[candidates]);
  TRY(reader.check_contents());
  return reader;
}

Status Reader::check_header(std::string_view bytes) {
  if (bytes.size() < sizeof(Header)) return damaged("it is shorter than a header");
  header_ = reinterpret_cast<const Header*>(bytes.data());
  if (header_->magic != kMagic) return damaged("it does not begin as one");
  if (header_->version != kFormatVersion) {
    return damaged("it has format version " + std::to_string(header_->version) +
                   ", this library reads " + std::to_string(kFormatVersion));
  }
  if (header_->header_bytes != sizeof(Header)) return damaged("its header has another size");
  if (header_->file_bytes != bytes.size()) {
    return damaged("it should have " + std::to_string(header_->file_bytes) + " bytes and has " +
                   std::to_string(bytes.size()));
  }
  if (sha256(bytes.substr(kDigestedFrom)).bytes != header_->digest) {
    return damaged("its contents do not match its checksum");
  }
  for (std::size_t i = 0; i < kSections; ++i) {
    const Extent& extent = header_->sections[i];
    const bool fits = extent.offset >= sizeof(Header) && extent.offset % kAlignment == 0 &&
                      extent.offset <= bytes.size() &&
                      extent.count <= (bytes.size() - extent.offset) / kStride[i];
    if (!fits) return damaged("its section " + std::to_string(i) + " does not lie in it");
  }
  return {};
}

Status Reader::check_names(std::span<const Name> names) const {
  const bool in_place = std::ranges::all_of(
      names, [&](const Name& name) { return is_text(name.text) && name.id != 0; });
  if (!in_place) return damaged("a name leads out of it");
  const auto not_before = [&](const Name& a, const Name& b) {
    return view(a.text) >= view(b.text);
  };
  if (std::ranges::adjacent_find(names, not_before) != names.end()) {
    return damaged("its names are out of order");
  }
  return {};
}

Status Reader::check_contents() const {
  if (texts_bytes_ == 0 || texts_[0] != '\0' || texts_[texts_bytes_ - 1] != '\0') {
    return damaged("its texts do not end");
  }
  TRY(check_names(operations_));
  TRY(check_names(dtypes_));
  TRY(check_names(hardware_));
  const auto are_texts = [&](std::initializer_list<Text> all) {
    return std::ranges::all_of(all, [&](Text at) { return is_text(at); });
  };
  const bool whole =
      are_texts({header_->catalog, header_->policy}) &&
      std::ranges::all_of(axes_, [&](const Axis& axis) { return is_text(axis.name); }) &&
      std::ranges::all_of(cases_,
                          [&](const Case& one) {
                            return are_texts({one.operation, one.dtype, one.hardware, one.pass}) &&
                                   lies_within(one.axes_begin, one.axes_count, axes_.size()) &&
                                   one.answer < answers_.size();
                          }) &&
      std::ranges::all_of(answers_,
                          [&](const Answer& one) {
                            return are_texts({one.comparison_key, one.hardware, one.metric,
                                              one.unit, one.statistic, one.verdict}) &&
                                   lies_within(one.candidates_begin, one.candidates_count,
                                               candidates_.size());
                          }) &&
      std::ranges::all_of(candidates_, [&](const Candidate& one) {
        return are_texts({one.implementation, one.name, one.project, one.run, one.language,
                          one.framework, one.install, one.license});
      });
  if (!whole) return damaged("a part of it leads out of it");
  const bool buckets_fit =
      std::has_single_bit(buckets_.size()) &&
      std::ranges::all_of(buckets_, [&](std::uint32_t entry) { return entry <= cases_.size(); });
  if (!buckets_fit) return damaged("its table of cases is not one");
  return {};
}

const Case* Reader::find(std::string_view operation, std::string_view dtype,
                         std::string_view hardware_name, std::string_view pass,
                         std::span<const AxisValue> wanted) const {
  const std::uint32_t operation_id = id_of(operations_, texts_, operation);
  const std::uint32_t dtype_id = dtype.empty() ? 0 : id_of(dtypes_, texts_, dtype);
  const std::uint32_t hardware_id =
      hardware_name.empty() ? 0 : id_of(hardware_, texts_, hardware_name);
  if (operation_id == 0 || (dtype_id == 0 && !dtype.empty()) ||
      (hardware_id == 0 && !hardware_name.empty())) {
    return nullptr;
  }
  std::uint64_t sum = 0;
  for (const AxisValue& axis : wanted) sum += hash_of_axis(axis.name, axis.value);
  const std::uint64_t hash = hash_of_case(operation_id, dtype_id, hardware_id, pass, sum);
  const auto is_it = [&](const Case& one) {
    if (one.hash != hash || one.operation_id != operation_id || one.dtype_id != dtype_id ||
        one.hardware_id != hardware_id || view(one.pass) != pass ||
        one.axes_count != wanted.size()) {
      return false;
    }
    return std::ranges::all_of(axes_of(one), [&](const Axis& axis) {
      return std::ranges::any_of(wanted, [&](const AxisValue& given) {
        return given.value == axis.value && given.name == view(axis.name);
      });
    });
  };
  const std::size_t mask = buckets_.size() - 1;
  for (std::size_t step = 0; step < buckets_.size(); ++step) {
    const std::uint32_t entry = buckets_[(hash + step) & mask];
    if (entry == 0) return nullptr;
    if (is_it(cases_[entry - 1])) return &cases_[entry - 1];
  }
  return nullptr;
}

Result<Mapping> Mapping::open(const std::string& path) {
  const auto failed = [&](const char* what) {
    return fail(Code::unavailable, std::string("cannot ") + what + ": " + std::strerror(errno),
                path);
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed("open");
  struct stat facts{};
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) {
    ::close(file);
    return damaged("it is no file, or an empty one");
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  errno = error;
  if (data == MAP_FAILED) return failed("map");
  return Mapping(static_cast<const char*>(data), size);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace ki::embed
