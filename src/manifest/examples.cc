#include "manifest/examples.h"

#include <algorithm>
#include <string>

#include "base/embedded.h"
#include "base/result.h"

namespace ki::embedded {
std::span<const File> manifest_examples();
}

namespace ki::manifest {
namespace {

// "BenchmarkRun" as the name of its file, "benchmark_run.yaml".
std::string file_name(Kind kind) {
  std::string out;
  for (const char c : name_of(kind)) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !out.empty()) out += '_';
    out += capital ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return out + ".yaml";
}

}  // namespace

std::string_view example_of(Kind kind) {
  const auto files = embedded::manifest_examples();
  const auto found = std::ranges::find(files, file_name(kind), &embedded::File::name);
  KI_CHECK(found != files.end());
  return found->bytes;
}

}  // namespace ki::manifest
