// Texts from people and other programs: one manifest, multi-document YAML, a JSON or YAML list, a
// {run, protocol, environment} document with or without a page's text around its JSON, or a
// submission document ({projects, operations, workloads, implementations, runs}).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.h"

namespace ki::manifest {

// What a manifest is within its document.
enum class Role : std::uint8_t { single, run, protocol, environment };

struct Entry {
  Manifest manifest;
  Role role = Role::single;
  // The run, protocol and environment of one document share a number, in text order from 0; every
  // single manifest has one of its own.
  std::size_t group = 0;
  std::string pointer;       // where in its document it stood, "" when it was all of it
  std::string project_slug;  // named beside an implementation in a submission document, else ""
};

// What a text holds. A document that is not well formed gives issues and no entries; of a run
// document all three manifests have to be right. The other documents of the text are unaffected,
// but a text that cannot be parsed gives issues only. Of all issues 1,000 are
// listed, then one says how many more there are.
struct Documents {
  std::vector<Entry> entries;
  Issues issues;
};

// Whether a file of this name holds YAML: it ends in .yaml or .yml.
bool is_yaml_name(std::string_view file);

// Reads every manifest of `text`, which the user named `file`. The name decides the format when it
// ends in .json, .yaml or .yml. Otherwise a text whose first character that is not blank is '{' or
// '[' is JSON; of one with such lines further down, below a heading, the JSON is read (page.h);
// everything else is YAML. Whatever the limits, one manifest alone in a text is at most
// json::kManifestLimits.bytes_max long.
Documents read_documents(std::string_view text, std::string_view file,
                         const json::Limits& limits = json::kManifestLimits);

}  // namespace ki::manifest
