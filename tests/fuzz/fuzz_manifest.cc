// The decoder over both readers: nothing crashes, and an accepted manifest, written out, is read
// back as the same manifest in normal form.
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "manifest/documents.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::manifest;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Documents documents = read_documents(text, "-");
  KI_CHECK(!documents.entries.empty() || !documents.issues.empty());
  for (const ki::Issue& issue : documents.issues) {
    KI_CHECK(!issue.code.empty() && !issue.message.empty() && issue.place.offset <= size);
  }
  for (const Entry& entry : documents.entries) {
    const auto again = decode_json(entry.manifest.to_json());
    KI_CHECK(again && again->digest() == entry.manifest.digest() && again->changes().empty());
    KI_CHECK(again->canonical_body() == entry.manifest.canonical_body());
  }
  return 0;
}
