// The reader of snapshot files. The checksum is made right, or nothing would get past it.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/digest.h"
#include "embed/reader.h"

using namespace ki::embed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words((size + 7) / 8);  // aligned, as a mapped file is
  char* const bytes = reinterpret_cast<char*>(words.data());
  if (size > 0) std::memcpy(bytes, data, size);
  if (size >= sizeof(Header)) {
    std::memcpy(bytes, kMagic.data(), kMagic.size());
    const std::uint64_t file_bytes = size;
    std::memcpy(bytes + offsetof(Header, file_bytes), &file_bytes, sizeof file_bytes);
    const auto digest = ki::sha256({bytes + kDigestedFrom, size - kDigestedFrom});
    std::memcpy(bytes + offsetof(Header, digest), digest.bytes.data(), digest.bytes.size());
  }
  const auto reader = Reader::over({bytes, size});
  if (!reader) return 0;
  for (const Case& one : reader->all_cases()) {
    std::vector<AxisValue> axes;
    for (const Axis& axis : reader->axes_of(one)) {
      axes.push_back({reader->view(axis.name), axis.value});
    }
    const Case* const found =
        reader->find(reader->view(one.operation), reader->view(one.dtype),
                     reader->view(one.hardware), reader->view(one.pass), axes);
    const Case& shown = found == nullptr ? one : *found;
    for (const Candidate& each : reader->candidates_of(reader->all_answers()[shown.answer])) {
      if (reader->view(each.run).size() > size) __builtin_trap();
    }
  }
  return 0;
}
