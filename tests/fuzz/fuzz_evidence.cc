// Evidence from strangers, before and after its compression is undone. Whatever the bytes, reading
// ends and says why it refuses; nothing is accepted that is not signed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <zstd.h>

#include "base/result.h"
#include "runner/evaluate.h"
#include "runner/evidence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::runner;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string packed(ZSTD_compressBound(size), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), data, size, 1));
  for (const std::string_view encoded : {bytes, std::string_view(packed)}) {
    const auto read = decode(encoded);
    if (!read) {
      KI_CHECK(!read.error().message.empty());
      continue;
    }
    KI_CHECK(!read->statement.predicate.runner.public_key.empty());
    const auto claims = check_claims(read->evidence);
    KI_CHECK(claims || !claims.error().message.empty());
  }
  return 0;
}
