#include "cli/revision_build.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/table.h"

namespace ki::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogBytesMax = std::size_t{64} << 20;
constexpr std::size_t kTailBytes = 2000;

// Runs a program to its end with its output in `log`; false when it fails or there is none.
bool run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The end of a log, for an error.
std::string tail_of(const fs::path& log) {
  const auto text = read_file(log, kLogBytesMax);
  if (!text) return "there is no such program";
  const std::size_t from = text->size() > kTailBytes ? text->size() - kTailBytes : 0;
  return std::string(trim(std::string_view(*text).substr(from)));
}

}  // namespace

std::optional<std::string> commit_of(const std::string& revision) {
  if (revision.empty() || revision.starts_with('-')) return std::nullopt;
  const fs::path log = fs::temp_directory_path() / ("ki-commit-" + std::to_string(getpid()));
  const bool known = run({"git", "rev-parse", "--verify", "--quiet", revision + "^{commit}"}, log);
  const auto text = read_file(log, kLogBytesMax);
  std::error_code ignored;
  fs::remove(log, ignored);
  if (!known || !text) return std::nullopt;
  const std::string commit(trim(*text));
  constexpr std::size_t kHashDigits = 40;
  if (commit.size() < kHashDigits) return std::nullopt;
  return commit;
}

Result<std::string> build_revision(const Context& context, const std::string& commit,
                                   const std::string& folder) {
  const fs::path root = fs::absolute(fs::path(folder) / "revisions");
  const fs::path finished = root / (commit + ".so");
  if (fs::exists(finished)) return finished.string();
  const fs::path source = root / commit;
  const fs::path archive = root / (commit + ".tar");
  const fs::path log = root / (commit + ".log");
  std::error_code failed;
  fs::create_directories(source, failed);
  if (failed) return fail(Code::unavailable, failed.message(), root.string());
  if (!context.quiet) {
    context.err << "building the kernels of " << commit.substr(0, 12) << " (minutes) ...\n";
  }
  const std::string build = (source / "build").string();
  const std::vector<std::vector<std::string>> steps = {
      {"git", "archive", "-o", archive.string(), commit},
      {"tar", "-xf", archive.string(), "-C", source.string()},
      {"cmake", "-S", source.string(), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
       "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG"},
      {"cmake", "--build", build, "--target", "ki_kernels_shared"}};
  for (const auto& step : steps) {
    if (run(step, log)) continue;
    return fail(Code::unavailable,
                "the kernels of this revision cannot be built (" + step[0] + "): " + tail_of(log),
                commit);
  }
  fs::rename(fs::path(build) / "libki_kernels_shared.so", finished, failed);
  if (failed) return fail(Code::unavailable, failed.message(), finished.string());
  fs::remove_all(source, failed);
  fs::remove(archive, failed);
  fs::remove(log, failed);
  return finished.string();
}

}  // namespace ki::cli
