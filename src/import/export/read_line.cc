#include "import/export/read_line.h"

#include <utility>

namespace ki::importer {
namespace {

// A copy, which is a third of the row: a whole catalog of them is kept until it is published.
std::expected<manifest::Manifest, Issues> decode_copy(const json::Value& body,
                                                      std::string_view line) {
  return manifest::decode(json::copy_of(body), {.text = line});
}

}  // namespace

ReadLine read_line(std::string_view line) {
  ReadLine read{.document = json::parse(line, kLineLimits)};
  const json::Value* const row = read.document ? read.document->root.find("row") : nullptr;
  const json::Value* const manifest = row != nullptr ? row->find("manifest") : nullptr;
  const json::Value* const run = manifest != nullptr ? manifest->find("run") : nullptr;
  read.of = run != nullptr ? run : manifest;
  if (read.of != nullptr) read.manifest = decode_copy(*read.of, line);
  return read;
}

std::expected<manifest::Manifest, Issues> take_decoded(ReadLine& read, std::string_view line,
                                                       const json::Value& body) {
  if (std::exchange(read.of, nullptr) == &body) return *std::move(read.manifest);
  return decode_copy(body, line);
}

}  // namespace ki::importer
