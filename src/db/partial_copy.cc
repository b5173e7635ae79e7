#include "db/partial_copy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace ki::db {
namespace {

constexpr std::string_view kEnding = ".partial";

std::vector<std::string> files_of(const std::filesystem::path& path) {
  std::vector<std::string> out;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) out.push_back(path.string() + suffix);
  return out;
}

void remove_files(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const std::string& name : files_of(path)) std::filesystem::remove(name, ignored);
}

// Whether a file is called as a partial copy: "ki.db.4711.partial".
bool is_partial(std::string_view name) {
  if (!name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  const auto dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
         std::ranges::all_of(name.substr(dot + 1), [](char c) { return c >= '0' && c <= '9'; });
}

// Removes what nobody works on any more.
void remove_abandoned(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!is_partial(at->path().filename().string())) continue;
    const int fd = ::open(at->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) remove_files(at->path());
    ::close(fd);
  }
}

Code code_of(int error) {
  if (error == EACCES || error == EPERM || error == EROFS) return Code::denied;
  return error == ENOENT || error == ENOTDIR ? Code::not_found : Code::unavailable;
}

}  // namespace

PartialCopy::PartialCopy(std::filesystem::path path)
    : path_(std::move(path)), unfinished_(files_of(path_)) {}

PartialCopy::PartialCopy(PartialCopy&& other) noexcept
    : path_(std::move(other.path_)),
      unfinished_(std::move(other.unfinished_)),
      fd_(std::exchange(other.fd_, -1)) {}

PartialCopy::~PartialCopy() {
  if (fd_ < 0) return;
  remove_files(path_);
  ::close(fd_);
}

Result<PartialCopy> PartialCopy::create(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  remove_abandoned(folder);
  const std::filesystem::path name = path.string() + fmt::format(".{}{}", ::getpid(), kEnding);
  PartialCopy copy(name);  // listed before it is made, so that a signal between leaves nothing
  copy.fd_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (copy.fd_ < 0) {
    const int error = errno;
    return fail(code_of(error), fmt::format("cannot make a file: {}", std::strerror(error)),
                path.string());
  }
  if (::flock(copy.fd_, LOCK_EX | LOCK_NB) != 0) {
    return fail(Code::conflict, "another program took the unfinished copy for an abandoned one",
                path.string());
  }
  return copy;
}

}  // namespace ki::db
