// The JSON reader and the canonical form. Whatever is accepted has a canonical form that parses to
// itself; whatever is refused is refused at a place in the text.
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "json/read.h"
#include "json/write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = parse(text);
  if (!document) {
    KI_CHECK(!document.error().empty());
    for (const ki::Issue& issue : document.error()) {
      KI_CHECK(issue.place.offset <= size && issue.place.line >= 1 && issue.place.column >= 1);
      KI_CHECK(!issue.code.empty() && !issue.message.empty());
    }
    return 0;
  }
  const std::string form = canonical(document->root);
  // The form can be longer than the text, 1e20 for one.
  const auto again = parse(form, kBundleLimits);
  KI_CHECK(again && canonical(again->root) == form);
  std::string compact;
  append_compact(compact, document->root);
  const auto compacted = parse(compact, kBundleLimits);
  KI_CHECK(compacted && canonical(compacted->root) == form);
  const auto prettied = parse(pretty(document->root), kBundleLimits);
  KI_CHECK(prettied && canonical(prettied->root) == form);
  return 0;
}
