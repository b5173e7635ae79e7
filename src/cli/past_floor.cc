#include "cli/past_floor.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "cli/evidence_keys.h"

namespace ki::cli {

namespace fs = std::filesystem;

std::optional<double> past_floor(const std::string& folder, const runner::NoiseOf& whose) {
  std::error_code none;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::path& file : evidence_in(folder, none)) {
    files.emplace_back(fs::last_write_time(file, none), file);
  }
  std::ranges::sort(files, std::ranges::greater());
  if (files.size() > kPastFilesMax) files.resize(kPastFilesMax);
  std::vector<runner::PastSession> past;
  for (const auto& [written, file] : files) {
    if (past.size() == runner::kFloorSessionsMax) break;
    const auto bytes = read_file(file, runner::kEvidenceFileBytesMax);
    const auto read = bytes ? runner::decode(*bytes) : std::unexpected(bytes.error());
    if (!read) continue;
    auto one = runner::past_session(*read, whose);
    if (one) past.push_back(std::move(*one));
  }
  return runner::floor_of_past(std::move(past));
}

}  // namespace ki::cli
