// The parts of an implementation dossier.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"
#include "query/model_row.h"

namespace ki::query {

struct ImplementationIdentity {
  static constexpr std::string_view kWireName = "ImplementationIdentity";
  std::string id;
  std::string slug;
  std::string name;
  std::string digest;
  std::optional<std::string> revision;
  std::optional<std::string> superseded_by_id;
  template <class V>
  static void describe(V& v) {
    v.field("id", &ImplementationIdentity::id, "");
    v.field("slug", &ImplementationIdentity::slug, "");
    v.field("name", &ImplementationIdentity::name, "");
    v.field("digest", &ImplementationIdentity::digest, "");
    v.field("revision", &ImplementationIdentity::revision, "");
    v.field("supersededById", &ImplementationIdentity::superseded_by_id, "");
  }
};

struct ProjectLink {
  static constexpr std::string_view kWireName = "ProjectLink";
  std::string name;
  std::string slug;
  std::optional<std::string> repository_url;
  template <class V>
  static void describe(V& v) {
    v.field("name", &ProjectLink::name, "");
    v.field("slug", &ProjectLink::slug, "");
    v.field("repositoryUrl", &ProjectLink::repository_url, "");
  }
};

struct Requirement {
  static constexpr std::string_view kWireName = "Requirement";
  std::string name;
  std::string constraint;
  template <class V>
  static void describe(V& v) {
    v.field("name", &Requirement::name, "");
    v.field("constraint", &Requirement::constraint, "");
  }
};

// How the first build variant is got, as far as it is stated; what is not stays null.
struct InstallRecipe {
  static constexpr std::string_view kWireName = "InstallRecipe";
  std::string kind;
  std::optional<std::string> package;
  std::optional<std::string> version;
  std::optional<std::string> repository;
  std::optional<std::string> commit;
  template <class V>
  static void describe(V& v) {
    v.field("kind", &InstallRecipe::kind, "git, pip, package, container or source");
    v.field("package", &InstallRecipe::package, "");
    v.field("version", &InstallRecipe::version, "");
    v.field("repository", &InstallRecipe::repository, "");
    v.field("commit", &InstallRecipe::commit, "");
  }
};

struct Usage {
  static constexpr std::string_view kWireName = "Usage";
  std::optional<Install> install;
  std::optional<InstallRecipe> recipe;
  std::optional<std::string> invocation_example;
  std::vector<Requirement> requirements;
  template <class V>
  static void describe(V& v) {
    v.field("install", &Usage::install, "the stated command; null when none is stated");
    v.field("recipe", &Usage::recipe, "what is stated, with a command or without");
    v.field("invocationExample", &Usage::invocation_example, "");
    v.field("requirements", &Usage::requirements, "");
  }
};

struct CallableFacts {
  static constexpr std::string_view kWireName = "CallableFacts";
  std::string language;
  std::optional<std::string> framework;
  std::optional<std::string> symbol;
  std::optional<std::string> source_path;
  template <class V>
  static void describe(V& v) {
    v.field("language", &CallableFacts::language, "");
    v.field("framework", &CallableFacts::framework, "");
    v.field("symbol", &CallableFacts::symbol, "");
    v.field("sourcePath", &CallableFacts::source_path, "");
  }
};

struct SupportFacts {
  static constexpr std::string_view kWireName = "SupportFacts";
  std::vector<std::string> hardware;
  std::vector<std::string> architectures;
  std::vector<std::string> dtypes;
  std::vector<std::string> layouts;
  std::vector<std::string> axes;
  template <class V>
  static void describe(V& v) {
    v.field("hardware", &SupportFacts::hardware, "");
    v.field("architectures", &SupportFacts::architectures, "");
    v.field("dtypes", &SupportFacts::dtypes, "");
    v.field("layouts", &SupportFacts::layouts, "");
    v.field("axes", &SupportFacts::axes, "");
  }
};

struct SourceFacts {
  static constexpr std::string_view kWireName = "SourceFacts";
  bool available = false;
  std::optional<std::string> url;
  std::optional<std::string> commit;
  std::optional<std::string> tree_digest;
  template <class V>
  static void describe(V& v) {
    v.field("available", &SourceFacts::available, "");
    v.field("url", &SourceFacts::url, "");
    v.field("commit", &SourceFacts::commit, "");
    v.field("treeDigest", &SourceFacts::tree_digest, "");
  }
};

struct LicenseFacts {
  static constexpr std::string_view kWireName = "LicenseFacts";
  std::optional<std::string> declared;
  std::optional<std::string> concluded;
  std::optional<std::string> evidence_path;
  std::string verdict;
  std::string why;
  template <class V>
  static void describe(V& v) {
    v.field("declared", &LicenseFacts::declared, "");
    v.field("concluded", &LicenseFacts::concluded, "");
    v.field("verdict", &LicenseFacts::verdict,
            "valid, valid-deprecated, unknown (none is stated) or invalid (not an expression)");
    v.field("why", &LicenseFacts::why, "what was changed or what is wrong, empty for neither");
    v.field("evidencePath", &LicenseFacts::evidence_path, "");
  }
};

struct TrustFacts {
  static constexpr std::string_view kWireName = "TrustFacts";
  std::optional<std::string> evidence;
  std::string summary;
  template <class V>
  static void describe(V& v) {
    v.field("evidence", &TrustFacts::evidence, "");
    v.field("summary", &TrustFacts::summary, "");
  }
};

}  // namespace ki::query
