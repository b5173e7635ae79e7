// Rows of the catalog: what runs are about.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

struct ProjectRow {
  static constexpr std::string_view kTable = "project";
  std::string id{};
  std::string slug{};
  std::string name{};
  std::string normalized_name{};
  std::string kind{};
  std::optional<std::string> canonical_url{};
  std::optional<std::string> license_expression{};
  std::string manifest_digest{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ProjectRow::id);
    v("slug", &ProjectRow::slug);
    v("name", &ProjectRow::name);
    v("normalized_name", &ProjectRow::normalized_name);
    v("kind", &ProjectRow::kind);
    v("canonical_url", &ProjectRow::canonical_url);
    v("license_expression", &ProjectRow::license_expression);
    v("manifest_digest", &ProjectRow::manifest_digest);
    v("manifest", &ProjectRow::manifest);
    v("created_at", &ProjectRow::created_at);
  }
};

struct OperationRow {
  static constexpr std::string_view kTable = "operation";
  std::string id{};
  std::string slug{};
  std::string family{};
  std::string name{};
  std::string schema_version{};
  std::string semantic_digest{};
  std::string manifest{};
  std::string created_at{};
  std::optional<std::string> supersedes_id{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &OperationRow::id);
    v("slug", &OperationRow::slug);
    v("family", &OperationRow::family);
    v("name", &OperationRow::name);
    v("schema_version", &OperationRow::schema_version);
    v("semantic_digest", &OperationRow::semantic_digest);
    v("manifest", &OperationRow::manifest);
    v("created_at", &OperationRow::created_at);
    v("supersedes_id", &OperationRow::supersedes_id);
  }
};

struct OperationAliasRow {
  static constexpr std::string_view kTable = "operation_alias";
  std::string operation_id{};
  std::string alias{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("operation_id", &OperationAliasRow::operation_id);
    v("alias", &OperationAliasRow::alias);
  }
};

struct OperationTagRow {
  static constexpr std::string_view kTable = "operation_tag";
  std::string operation_id{};
  std::string tag{};
  std::int64_t ordinal = 0;
  template <class Visitor>
  static void columns(Visitor& v) {
    v("operation_id", &OperationTagRow::operation_id);
    v("tag", &OperationTagRow::tag);
    v("ordinal", &OperationTagRow::ordinal);
  }
};

struct WorkloadRow {
  static constexpr std::string_view kTable = "workload";
  std::string id{};
  std::string operation_id{};
  std::string kind{};
  std::string workload_digest{};
  std::string schema_version{};
  std::string correctness_key{};
  std::string shape_summary{};
  std::string dtypes{};
  std::string layout_keys{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &WorkloadRow::id);
    v("operation_id", &WorkloadRow::operation_id);
    v("kind", &WorkloadRow::kind);
    v("workload_digest", &WorkloadRow::workload_digest);
    v("schema_version", &WorkloadRow::schema_version);
    v("correctness_key", &WorkloadRow::correctness_key);
    v("shape_summary", &WorkloadRow::shape_summary);
    v("dtypes", &WorkloadRow::dtypes);
    v("layout_keys", &WorkloadRow::layout_keys);
    v("manifest", &WorkloadRow::manifest);
    v("created_at", &WorkloadRow::created_at);
  }
};

// An axis of a case, for lookup by value.
struct WorkloadAxisRow {
  static constexpr std::string_view kTable = "workload_axis";
  std::string operation_id{};
  std::string name{};
  std::int64_t value = 0;
  std::string workload_id{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("operation_id", &WorkloadAxisRow::operation_id);
    v("name", &WorkloadAxisRow::name);
    v("value", &WorkloadAxisRow::value);
    v("workload_id", &WorkloadAxisRow::workload_id);
  }
};

struct ImplementationRow {
  static constexpr std::string_view kTable = "implementation";
  std::string id{};
  std::string project_id{};
  std::string operation_id{};
  std::string slug{};
  std::string implementation_digest{};
  std::optional<std::string> source_revision{};
  std::string language{};
  std::optional<std::string> framework{};
  std::string target_architectures{};
  std::optional<std::string> license_declared{};
  std::optional<std::string> license_expression{};
  bool source_available = false;
  bool installable = false;
  std::optional<std::string> title{};
  std::optional<std::string> role{};
  std::optional<std::string> install_kind{};
  std::optional<std::string> install_command{};
  std::string manifest{};
  std::string created_at{};
  std::optional<std::string> supersedes_id{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ImplementationRow::id);
    v("project_id", &ImplementationRow::project_id);
    v("operation_id", &ImplementationRow::operation_id);
    v("slug", &ImplementationRow::slug);
    v("implementation_digest", &ImplementationRow::implementation_digest);
    v("source_revision", &ImplementationRow::source_revision);
    v("language", &ImplementationRow::language);
    v("framework", &ImplementationRow::framework);
    v("target_architectures", &ImplementationRow::target_architectures);
    v("license_declared", &ImplementationRow::license_declared);
    v("license_expression", &ImplementationRow::license_expression);
    v("source_available", &ImplementationRow::source_available);
    v("installable", &ImplementationRow::installable);
    v("title", &ImplementationRow::title);
    v("role", &ImplementationRow::role);
    v("install_kind", &ImplementationRow::install_kind);
    v("install_command", &ImplementationRow::install_command);
    v("manifest", &ImplementationRow::manifest);
    v("created_at", &ImplementationRow::created_at);
    v("supersedes_id", &ImplementationRow::supersedes_id);
  }
};

}  // namespace ki::catalog
