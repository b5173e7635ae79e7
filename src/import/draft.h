// Building a manifest: the envelope and metadata are written here, the caller writes the spec.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/write.h"
#include "manifest/manifest.h"

namespace ki::importer {

struct Metadata {
  std::string name;  // becomes kebab case
  std::string title = {};
  std::string description = {};
  std::map<std::string, std::string> labels = {};
  std::string source_url = {};
};

class Draft {
 public:
  Draft(manifest::Kind kind, const Metadata& metadata);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // Inside the object "spec": write members, leave it open.
  json::Writer& spec() { return writer_; }

  // The decoded manifest. Code::invalid where what was written does not make a valid one.
  Result<manifest::Manifest> finish();

 private:
  std::string text_;
  json::Writer writer_{text_};
};

// Lower case, other characters than a-z0-9 in a row become one '_', what stands before the first
// letter and trailing '_' go; "unknown" when nothing is left.
std::string tokenize(std::string_view text);

// A slug that begins with `readable` and ends in eight hex digits of the digest of `exact`, so that
// unlike names never share it.
std::string marked_slug(std::string_view readable, std::string_view exact);

}  // namespace ki::importer
