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

// One line for each manifest: its digest and where it stands, "file" or "file#/pointer"; of a file
// with several also kind and name. As JSON
// {file, pointer, kind, name, digest} and, when explained, canonical and changes: [{pointer, rule,
// before, after}], a list of them or one a line. Nothing of a file with issues is printed.
int manifest_digest(const Context& context, const ManifestDigestOptions& options);

struct ManifestInitOptions {
  std::vector<std::string> kinds;  // "OperationSpec" in any case, or the short "operation"
  bool all = false;                // every kind
};

// Prints a small valid manifest of each kind with comments, as one YAML file. Their references fit
// each other. An unknown kind, or none, is kUsage and prints nothing.
int manifest_init(const Context& context, const ManifestInitOptions& options);

// Prints the JSON Schema of the kind.
int manifest_schema(const Context& context, std::string_view kind);

}  // namespace ki::cli
