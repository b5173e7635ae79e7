// The file system behind a seam small enough to script in tests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki {

// The whole of a regular file, or of standard input for "-". A file larger than `bytes_max` is an
// error of code too_large and is not read further.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max);

// While it lives, these files are removed when SIGINT, SIGTERM or SIGHUP ends the program: what is
// unfinished must not stay behind. A signal that the program ignores or handles itself is left so.
class Unfinished {
 public:
  explicit Unfinished(std::vector<std::string> paths);
  Unfinished(Unfinished&& other) noexcept;
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();

 private:
  std::vector<std::string> paths_;
};

// Gives the finished file `temporary` the name `path` in the same folder, durably, unless the name
// is taken (Code::conflict). `temporary` is gone when it succeeds.
Status give_name(const std::filesystem::path& temporary, const std::filesystem::path& path);

// Writes beside `path`, syncs, then renames over it: readers see the old file or the new one, and
// nothing half-written is left behind when it fails.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// A file that must not exist yet, written without a name. It takes its name in finish() only when
// it is whole and nobody else has taken the name meanwhile; until then, and whenever anything fails
// or the program ends, however it ends, there is no such file and none beside it. On a file system
// without nameless files (O_TMPFILE) it has a temporary name, which only SIGKILL leaves behind.
class NewFile {
 public:
  // Errors: Code::conflict when `path` exists, whatever it is; Code::denied, Code::not_found and
  // Code::unavailable when no file can be made there.
  static Result<NewFile> create(const std::filesystem::path& path);
  NewFile(NewFile&& other) noexcept;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  Status write(std::string_view bytes);
  Status finish();
  // Under another name in the same folder, for names that say what is in the file.
  Status finish_as(const std::filesystem::path& path);

 private:
  NewFile(std::filesystem::path path, std::string temporary, int fd)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        unfinished_(temporary_.empty() ? std::vector<std::string>() : std::vector{temporary_}),
        fd_(fd) {}
  std::filesystem::path path_;
  std::string temporary_;  // "" = it has no name yet
  Unfinished unfinished_;
  int fd_;
};

}  // namespace ki
