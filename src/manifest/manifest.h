// Manifests: the thirteen document kinds that make up the catalog's public format
// (kernelindex.dev/v1alpha1), decoded strictly, normalised, and identified by a digest.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/issue.h"
#include "json/read.h"
#include "json/value.h"

namespace ki::manifest {

inline constexpr std::string_view kApiVersion = "kernelindex.dev/v1alpha1";

enum class Kind {
  operation_spec,
  workload_case,
  workload_suite,
  software_project,
  implementation_revision,
  benchmark_protocol,
  execution_environment,
  benchmark_run,
  model_revision,
  serving_stack_revision,
  serving_configuration,
  serving_workload,
  serving_run,
};

std::span<const Kind> all_kinds();
std::string_view name_of(Kind kind);                    // "OperationSpec"
std::optional<Kind> parse_kind(std::string_view name);  // exact

// What a normalisation changed, for `digest --explain`.
struct Change {
  std::string pointer;
  std::string rule;    // "duration" or "set"
  std::string before;  // compact JSON
  std::string after;
};

// A decoded document: valid, normalised (durations to integer nanoseconds, set-like lists sorted
// and unique) and identified. Immutable; moving it keeps its Values valid.
class Manifest {
 public:
  Kind kind() const { return kind_; }
  const Digest& digest() const { return digest_; }
  const json::Value& root() const { return document_.root; }
  const json::Value& spec() const { return *document_.root.find("spec"); }
  const json::Value& metadata() const { return *document_.root.find("metadata"); }
  std::string_view name() const { return metadata().find("name")->string(); }
  std::string_view title() const;                      // "" when absent
  std::string_view description() const;                // "" when absent
  std::string_view label(std::string_view key) const;  // "" when absent
  std::span<const Change> changes() const { return changes_; }

  // The normalised document, compact, members in authored order: what the catalog stores.
  std::string to_json() const;
  // The bytes the digest is taken over: RFC 8785 of {apiVersion, kind, spec}.
  std::string canonical_body() const;

 private:
  friend std::expected<Manifest, Issues> decode(json::Document, std::string_view, std::string_view);
  Manifest() = default;
  Kind kind_{};
  Digest digest_;
  json::Document document_;
  std::vector<Change> changes_;
};

// Decodes one parsed document, reporting every problem in it. `text` is its source (for places),
// `file` how the user named it.
std::expected<Manifest, Issues> decode(json::Document document, std::string_view text = {},
                                       std::string_view file = {});

// Parses and decodes one JSON text: for documents the program wrote or stored itself.
std::expected<Manifest, Issues> decode_json(std::string_view text, std::string_view file = {});

// Parses and decodes every document of a text: one manifest, multi-document YAML, or a JSON list
// of manifests. The format is JSON when the name ends in .json or the first character that is not
// blank is '{' or '[', else YAML. All issues of all documents are reported.
std::expected<std::vector<Manifest>, Issues> decode_text(std::string_view text,
                                                         std::string_view file,
                                                         const json::Limits& limits = {});

// H(x) of contract/policy: SHA-256 over the canonical form.
Digest digest_of(const json::Value& value);

}  // namespace ki::manifest
