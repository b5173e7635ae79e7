// One implementation: how to use it, what it supports, where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_implementation_parts.h"

namespace ki::query {

struct Standing {
  static constexpr std::string_view kWireName = "Standing";
  std::int64_t records = 0;
  template <class V>
  static void describe(V& v) {
    v.field("records", &Standing::records, "cohorts it leads");
  }
};

struct ImplementationProvenance {
  static constexpr std::string_view kWireName = "ImplementationProvenance";
  std::optional<Source> source;
  std::vector<std::string> authors;
  std::optional<std::string> imported_at;
  template <class V>
  static void describe(V& v) {
    v.field("source", &ImplementationProvenance::source, "");
    v.field("authors", &ImplementationProvenance::authors, "");
    v.field("importedAt", &ImplementationProvenance::imported_at, "");
  }
};

struct Attribution {
  static constexpr std::string_view kWireName = "Attribution";
  std::string text;
  std::optional<std::string> url;
  template <class V>
  static void describe(V& v) {
    v.field("text", &Attribution::text, "");
    v.field("url", &Attribution::url, "");
  }
};

struct DiffLine {
  static constexpr std::string_view kWireName = "DiffLine";
  std::string kind;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("kind", &DiffLine::kind, "add, del or ctx: only here, only there, in both");
    v.field("text", &DiffLine::text, "");
  }
};

// The source against that of the submission before it.
struct SourceDiff {
  static constexpr std::string_view kWireName = "SourceDiff";
  std::string previous_slug;
  std::string previous_name;
  std::vector<DiffLine> lines;
  template <class V>
  static void describe(V& v) {
    v.field("previousSlug", &SourceDiff::previous_slug, "");
    v.field("previousName", &SourceDiff::previous_name, "");
    v.field("lines", &SourceDiff::lines,
            "changes with 3 lines around each; what is left out is said");
  }
};

struct SourceCode {
  static constexpr std::string_view kWireName = "SourceCode";
  std::optional<std::string> file_name;
  std::string language;
  std::optional<std::string> content;
  std::optional<std::string> license;
  std::optional<Attribution> attribution;
  std::optional<SourceDiff> diff;
  template <class V>
  static void describe(V& v) {
    v.field("fileName", &SourceCode::file_name, "");
    v.field("language", &SourceCode::language, "python, cpp or text");
    v.field("content", &SourceCode::content, "only on request", json::Presence::optional);
    v.field("license", &SourceCode::license, "");
    v.field("attribution", &SourceCode::attribution, "whom its source asks to name");
    v.field("diff", &SourceCode::diff, "only on request, and where there is a submission before",
            json::Presence::optional);
  }
};

struct ImplementationDossier {
  static constexpr std::string_view kWireName = "ImplementationDossier";
  bool illustrative = false;
  ImplementationIdentity implementation;
  Ref operation;
  ProjectLink project;
  Usage usage;
  CallableFacts callable;
  SupportFacts support;
  SourceFacts source;
  LicenseFacts license;
  TrustFacts trust;
  Standing standing;
  std::vector<Row> best_results;
  std::vector<std::string> limitations;
  ImplementationProvenance provenance;
  std::optional<SourceCode> source_code;
  std::vector<Reason> deployability;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &ImplementationDossier::illustrative, "");
    v.field("implementation", &ImplementationDossier::implementation, "");
    v.field("operation", &ImplementationDossier::operation, "");
    v.field("project", &ImplementationDossier::project, "");
    v.field("usage", &ImplementationDossier::usage, "");
    v.field("interface", &ImplementationDossier::callable, "");
    v.field("support", &ImplementationDossier::support, "");
    v.field("source", &ImplementationDossier::source, "");
    v.field("license", &ImplementationDossier::license, "");
    v.field("trust", &ImplementationDossier::trust, "");
    v.field("standing", &ImplementationDossier::standing, "");
    v.field("bestResults", &ImplementationDossier::best_results,
            "every eligible run, each with its rank in its cohort");
    v.field("limitations", &ImplementationDossier::limitations, "");
    v.field("provenance", &ImplementationDossier::provenance, "");
    v.field("sourceCode", &ImplementationDossier::source_code, "");
    v.field("deployability", &ImplementationDossier::deployability, "empty when deployable");
  }
};

}  // namespace ki::query
