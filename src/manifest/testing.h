// What the tests of this module share.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "json/write.h"
#include "manifest/manifest.h"

namespace ki::manifest::testing {

// A document of this kind around a spec in JSON.
inline std::string document(std::string_view kind, std::string_view spec) {
  return fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"sample"}},"spec":{}}})", kApiVersion,
      kind, spec);
}

inline std::string document(std::string_view kind, const json::Value& spec) {
  std::string text;
  json::append_compact(text, spec);
  return document(kind, text);
}

// "code pointer" of each issue, in order, one a line; "accepted" without any.
inline std::string verdict(std::string_view text) {
  const auto manifest = decode_json(text);
  if (manifest) return "accepted";
  std::string out;
  for (const Issue& issue : manifest.error()) out += issue.code + " " + issue.pointer + "\n";
  return out;
}

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ki::manifest::testing
