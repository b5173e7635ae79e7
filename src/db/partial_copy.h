// A copy of a database that is not finished yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace ki::db {

// The file "NAME.PID.partial" beside the one that it shall become, with what SQLite puts beside it:
// removed when it goes, or when a signal ends the program. What SIGKILL leaves of others is removed
// when the next one is made in that folder: each holds a lock on its file for as long as it is
// worked on.
class PartialCopy {
 public:
  // Errors: Code::denied, Code::not_found and Code::unavailable when no file can be made there.
  static Result<PartialCopy> create(const std::filesystem::path& path);
  PartialCopy(PartialCopy&& other) noexcept;
  PartialCopy(const PartialCopy&) = delete;
  PartialCopy& operator=(const PartialCopy&) = delete;
  ~PartialCopy();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit PartialCopy(std::filesystem::path path);
  std::filesystem::path path_;
  Unfinished unfinished_;
  int fd_ = -1;
};

}  // namespace ki::db
