#include "import/importer.h"

#include <filesystem>

#include "base/files.h"

namespace ki::importer {

Result<InputFile> read_input(const std::string& path) {
  auto bytes = TRY(read_file(path, kInputBytesMax));
  return InputFile{path, std::move(bytes)};
}

void add_input(Prepared& prepared, const InputFile& file, const ParserFacts& facts) {
  const Digest digest = sha256(file.bytes);
  const std::string locator = std::filesystem::path(file.name).filename();
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  prepared.bundle.snapshots.push_back({.locator = locator,
                                       .content_digest = digest,
                                       .media_type = facts.media_type,
                                       .size_bytes = size,
                                       .parser_name = facts.parser_name,
                                       .parser_version = facts.parser_version});
  prepared.report.inputs.push_back({locator, to_string(digest), size});
}

}  // namespace ki::importer
