#include "import/looks_like.h"

#include <algorithm>
#include <array>

#include "base/result.h"
#include "base/text.h"
#include "import/export/lines.h"

namespace ki::importer {
namespace {

constexpr std::size_t kLookedAt = std::size_t{16} << 10;  // bytes
constexpr std::string_view kZstd = "\x28\xB5\x2F\xFD";

// The first lines of a text that may be compressed.
std::string start_of(std::string_view bytes) {
  std::string out;
  if (!bytes.starts_with(kZstd)) return std::string(bytes.substr(0, kLookedAt));
  constexpr std::size_t kRead = std::size_t{4} << 20;
  const LineLimits limits{.line_bytes_max = kRead, .text_bytes_max = kRead};
  // Past a limit it ends, and what came before is enough.
  static_cast<void>(for_each_line(
      bytes,
      [&](std::string_view line, std::int64_t, std::uint64_t) {
        if (out.size() < kLookedAt) out.append(line.substr(0, kLookedAt)).push_back('\n');
      },
      limits));
  return out;
}

bool is_export_line(std::string_view line) {
  constexpr std::size_t kBeforeRow = 256;
  return trim(line).starts_with('{') && line.substr(0, kBeforeRow).contains("\"table\"") &&
         line.substr(0, kBeforeRow).contains("\"row\"");
}

// Whether a line begins with a member that only manifests and documents of them have at their top.
bool opens_manifest(std::string_view line) {
  constexpr std::array<std::string_view, 3> kMembers = {"apiVersion:", "\"apiVersion\":", "kind:"};
  const std::string_view text = trim(line);
  return std::ranges::any_of(kMembers, [&](auto member) { return text.starts_with(member); }) ||
         text.contains("\"apiVersion\":");
}

}  // namespace

Content content_of(std::string_view bytes) {
  const std::string start = start_of(bytes);
  if (trim(start).empty()) return Content::unknown;
  const auto lines = split(start, '\n');
  if (std::ranges::any_of(lines, is_export_line)) return Content::catalog_export;
  const bool is_compressed = bytes.starts_with(kZstd);
  if (is_compressed) {
    return start.starts_with("{\"session\":") ? Content::evidence : Content::compressed;
  }
  const std::string_view header = lines.front();
  if (header.contains("kernel_name") && header.contains("kernel_provider")) {
    return Content::liger_table;
  }
  return std::ranges::any_of(lines, opens_manifest) ? Content::manifests : Content::other;
}

std::string_view looks_like(Content content) {
  switch (content) {
    case Content::unknown:
    case Content::other:
      return "";
    case Content::catalog_export:
      return "looks like a catalog export, which ki import export reads";
    case Content::liger_table:
      return "looks like the Liger-Kernel benchmark table, which ki import liger reads";
    case Content::manifests:
      return "looks like manifests, which ki import manifests reads";
    case Content::evidence:
      return "looks like evidence of ki bench, which ki publish reads";
    case Content::compressed:
      return "is compressed with zstd and no catalog export; decompress it first";
  }
  KI_UNREACHABLE();
}

}  // namespace ki::importer
