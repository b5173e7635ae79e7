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
  std::string rule;    // "duration", "set" or "dropped name"
  std::string before;  // compact JSON
  std::string after;
};

// Where a document came from, for the places in its issues.
struct Tally;  // of complaints.h

struct Source {
  std::string_view text = {};     // the whole text it was parsed from
  std::string_view file = {};     // as the user named it
  std::string_view pointer = {};  // where in the text it stood, "" when it was all of it
  Tally* tally = nullptr;         // of the text, for the reader of one with several documents
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
  friend std::expected<Manifest, Issues> decode(json::Document, const Source&);
  Manifest() = default;
  Kind kind_{};
  Digest digest_;
  json::Document document_;
  std::vector<Change> changes_;
};

// Decodes one parsed document, reporting every problem in it, at most kIssuesKeptMax of
// its text.
std::expected<Manifest, Issues> decode(json::Document document, const Source& source = {});

// Parses and decodes one JSON text: for documents the program wrote or stored itself. Texts from
// people go through read_documents() of manifest/documents.h, which also reads YAML and bundles.
std::expected<Manifest, Issues> decode_json(std::string_view text, std::string_view file = {});

// H(x) of contract/policy: SHA-256 over the canonical form.
Digest digest_of(const json::Value& value);

}  // namespace ki::manifest
