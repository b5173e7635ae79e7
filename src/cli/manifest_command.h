// ki manifest validate|digest|init|schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/io.h"

namespace ki::cli {

// Each of `files` is a path, "-" for standard input, or a pattern with * ? [ that the shell left as
// it is. Every file is judged on its own: the issues of a bad one go to err, the good ones beside
// it are printed, and the outcome is kFailed at the end.

// One line for each manifest: kind, name and where it stands. As JSON one object for each file,
// {file, valid, manifests: [{pointer, kind, name, digest}], issues: [{code, message, pointer,
// line, column}]}, a list of them or one a line.
int manifest_validate(const Context& context, const std::vector<std::string>& files);

struct ManifestDigestOptions {
  std::vector<std::string> files;
  bool explain = false;  // also the canonical bytes, and what each normalisation changed
};

// One line for each manifest: its digest and where it stands, "file" or "file#/pointer". As JSON
// {file, pointer, kind, name, digest} and, when explained, canonical and changes: [{pointer, rule,
// before, after}], a list of them or one a line. Nothing of a file with issues is printed.
int manifest_digest(const Context& context, const ManifestDigestOptions& options);

// Prints a small valid manifest of the kind with comments, in YAML. The name of the kind may be in
// any case; an unknown one is kUsage.
int manifest_init(const Context& context, std::string_view kind);

// Prints the JSON Schema of the kind.
int manifest_schema(const Context& context, std::string_view kind);

}  // namespace ki::cli
