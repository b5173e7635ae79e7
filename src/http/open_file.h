// A file as the body of an answer: open while it is sent, whatever happens to its name meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"

namespace ki::http {

class OpenFile {
 public:
  // Errors: Code::not_found when there is no such regular file, Code::unavailable when it cannot be
  // read.
  static Result<std::shared_ptr<const OpenFile>> open(const std::filesystem::path& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::int64_t bytes() const { return bytes_; }  // when it was opened
  // Fills `into` from `offset`; how much of it, which is less only where reading fails or the file
  // has become shorter.
  std::size_t read(std::int64_t offset, std::span<char> into) const;

 private:
  OpenFile(int fd, std::int64_t bytes) : fd_(fd), bytes_(bytes) {}
  int fd_;
  std::int64_t bytes_;
};

}  // namespace ki::http
