#include "cli/evidence_keys.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "cli/open.h"
#include "runner/evidence.h"

namespace ki::cli {

namespace fs = std::filesystem;

Result<std::string> runner_key_path(const std::string& given) {
  if (!given.empty()) return given;
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string named = variable("KI_RUNNER_KEY"); !named.empty()) return named;
  const fs::path config = variable("XDG_CONFIG_HOME");
  const fs::path home = variable("HOME");
  const fs::path folder = config.is_absolute() ? config : home / ".config";
  if (!folder.is_absolute()) {
    return fail(Code::invalid, "HOME names no folder, so name the file of the key", "--key");
  }
  return (folder / "kernelindex" / "runner.pem").string();
}

Result<signing::SigningKey> make_runner_key(const Context& context, const std::string& path) {
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) return fail(Code::unavailable, "no folder for a key: " + failed.message(), path);
  auto key = TRY(signing::SigningKey::generate());
  TRY(key.save(path));
  if (!context.quiet) {
    context.err << "made a key for this runner: " << path << " (" << to_string(key.id()) << ")\n";
  }
  return key;
}

Result<signing::SigningKey> runner_key(const Context& context, const std::string& given) {
  const std::string path = TRY(runner_key_path(given));
  if (is_absent(path)) return make_runner_key(context, path);
  return signing::SigningKey::load(path);
}

std::vector<fs::path> evidence_in(const std::string& folder, std::error_code& failed) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().string().ends_with(runner::kEvidenceSuffix)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Result<std::string> keep_evidence(const std::string& folder, std::string_view encoded) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return fail(Code::unavailable, failed.message(), folder);
  const fs::path path = fs::path(folder) / runner::file_name_of(encoded);
  TRY(write_file(path, encoded));
  return path.string();
}

}  // namespace ki::cli
