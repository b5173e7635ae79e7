#include "cli/machine.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "kernels/provider.h"

namespace ki::cli {

namespace fs = std::filesystem;

std::vector<std::string> companion_files(const std::vector<std::string>& providers) {
  std::vector<std::string> found;
  std::error_code unknown;
  const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const auto& companion : kernels::companions()) {
    const fs::path file = beside / companion.file;
    const bool asked =
        providers.empty() || std::ranges::find(providers, companion.provider) != providers.end();
    if (asked && fs::exists(file, unknown)) found.push_back(file.string());
  }
  return found;
}

std::string busy_now(const runner::Facts& facts) {
  const auto before = runner::read_cpu_times();
  const double load = runner::read_load();
  std::string reason = runner::busy_reason(facts, before, before, load);
  if (!reason.empty()) return reason;
  constexpr timespec kWatched{.tv_sec = 0, .tv_nsec = 500'000'000};
  nanosleep(&kWatched, nullptr);
  return runner::busy_reason(facts, before, runner::read_cpu_times(), load);
}

}  // namespace ki::cli
