#include "manifest/examples.h"

#include <algorithm>
#include <string>

#include "base/embedded.h"
#include "base/result.h"
#include "manifest/documents.h"

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

std::string_view file_of(Kind kind) {
  const auto files = embedded::manifest_examples();
  const auto found = std::ranges::find(files, file_name(kind), &embedded::File::name);
  KI_CHECK(found != files.end());
  return found->bytes;
}

std::string digest_of_example(std::string_view kind_name) {
  const auto kind = parse_kind(kind_name);
  KI_CHECK(kind);
  const Documents documents = read_documents(example_of(*kind), "example");
  KI_CHECK(documents.issues.empty() && documents.entries.size() == 1);
  return to_string(documents.entries.front().manifest.digest());
}

}  // namespace

std::string example_of(Kind kind) {
  constexpr std::string_view kReference = "sha256:<";  // then a kind and '>'
  std::string text(file_of(kind));
  for (auto at = text.find(kReference); at != std::string::npos; at = text.find(kReference, at)) {
    const auto name_at = at + kReference.size();
    const auto end = text.find('>', name_at);
    KI_CHECK(end != std::string::npos);
    text.replace(at, end + 1 - at, digest_of_example(text.substr(name_at, end - name_at)));
  }
  return text;
}

}  // namespace ki::manifest
