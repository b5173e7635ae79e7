// The YAML reader. Whatever is accepted has a canonical form that the JSON reader accepts and that
// is its own canonical form; whatever is refused is refused at a place in the text.
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "json/read.h"
#include "json/write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = parse_yaml(text);
  if (!documents) {
    KI_CHECK(!documents.error().empty());
    for (const ki::Issue& issue : documents.error()) {
      KI_CHECK(issue.place.offset <= size && issue.place.line >= 1 && issue.place.column >= 1);
      KI_CHECK(!issue.code.empty() && !issue.message.empty());
    }
    return 0;
  }
  KI_CHECK(!documents->empty());
  for (const Document& document : *documents) {
    KI_CHECK(document.root.offset() <= size);
    const std::string form = canonical(document.root);
    const auto again = parse(form, kBundleLimits);
    KI_CHECK(again && canonical(again->root) == form);
  }
  return 0;
}
