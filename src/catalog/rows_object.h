// Rows of the catalog: what runs are about.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

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
  static constexpr auto columns() {
    return std::tuple(
        column("id", &ProjectRow::id), column("slug", &ProjectRow::slug),
        column("name", &ProjectRow::name), column("normalized_name", &ProjectRow::normalized_name),
        column("kind", &ProjectRow::kind), column("canonical_url", &ProjectRow::canonical_url),
        column("license_expression", &ProjectRow::license_expression),
        column("manifest_digest", &ProjectRow::manifest_digest),
        column("manifest", &ProjectRow::manifest), column("created_at", &ProjectRow::created_at));
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
  static constexpr auto columns() {
    return std::tuple(column("id", &OperationRow::id), column("slug", &OperationRow::slug),
                      column("family", &OperationRow::family), column("name", &OperationRow::name),
                      column("schema_version", &OperationRow::schema_version),
                      column("semantic_digest", &OperationRow::semantic_digest),
                      column("manifest", &OperationRow::manifest),
                      column("created_at", &OperationRow::created_at),
                      column("supersedes_id", &OperationRow::supersedes_id));
  }
};

struct OperationAliasRow {
  static constexpr std::string_view kTable = "operation_alias";
  std::string operation_id{};
  std::string alias{};
  static constexpr auto columns() {
    return std::tuple(column("operation_id", &OperationAliasRow::operation_id),
                      column("alias", &OperationAliasRow::alias));
  }
};

struct OperationTagRow {
  static constexpr std::string_view kTable = "operation_tag";
  std::string operation_id{};
  std::string tag{};
  std::int64_t ordinal = 0;
  static constexpr auto columns() {
    return std::tuple(column("operation_id", &OperationTagRow::operation_id),
                      column("tag", &OperationTagRow::tag),
                      column("ordinal", &OperationTagRow::ordinal));
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
  static constexpr auto columns() {
    return std::tuple(
        column("id", &WorkloadRow::id), column("operation_id", &WorkloadRow::operation_id),
        column("kind", &WorkloadRow::kind),
        column("workload_digest", &WorkloadRow::workload_digest),
        column("schema_version", &WorkloadRow::schema_version),
        column("correctness_key", &WorkloadRow::correctness_key),
        column("shape_summary", &WorkloadRow::shape_summary),
        column("dtypes", &WorkloadRow::dtypes), column("layout_keys", &WorkloadRow::layout_keys),
        column("manifest", &WorkloadRow::manifest), column("created_at", &WorkloadRow::created_at));
  }
};

// An axis of a case, for lookup by value.
struct WorkloadAxisRow {
  static constexpr std::string_view kTable = "workload_axis";
  std::string operation_id{};
  std::string name{};
  std::int64_t value = 0;
  std::string workload_id{};
  static constexpr auto columns() {
    return std::tuple(column("operation_id", &WorkloadAxisRow::operation_id),
                      column("name", &WorkloadAxisRow::name),
                      column("value", &WorkloadAxisRow::value),
                      column("workload_id", &WorkloadAxisRow::workload_id));
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
  static constexpr auto columns() {
    return std::tuple(
        column("id", &ImplementationRow::id), column("project_id", &ImplementationRow::project_id),
        column("operation_id", &ImplementationRow::operation_id),
        column("slug", &ImplementationRow::slug),
        column("implementation_digest", &ImplementationRow::implementation_digest),
        column("source_revision", &ImplementationRow::source_revision),
        column("language", &ImplementationRow::language),
        column("framework", &ImplementationRow::framework),
        column("target_architectures", &ImplementationRow::target_architectures),
        column("license_declared", &ImplementationRow::license_declared),
        column("license_expression", &ImplementationRow::license_expression),
        column("source_available", &ImplementationRow::source_available),
        column("installable", &ImplementationRow::installable),
        column("title", &ImplementationRow::title), column("role", &ImplementationRow::role),
        column("install_kind", &ImplementationRow::install_kind),
        column("install_command", &ImplementationRow::install_command),
        column("manifest", &ImplementationRow::manifest),
        column("created_at", &ImplementationRow::created_at),
        column("supersedes_id", &ImplementationRow::supersedes_id));
  }
};

struct ProtocolRow {
  static constexpr std::string_view kTable = "protocol";
  std::string digest{};
  std::string harness{};
  std::string manifest{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(
        column("digest", &ProtocolRow::digest), column("harness", &ProtocolRow::harness),
        column("manifest", &ProtocolRow::manifest), column("created_at", &ProtocolRow::created_at));
  }
};

struct EnvironmentRow {
  static constexpr std::string_view kTable = "environment";
  std::string digest{};
  std::string hardware_model{};
  std::string manifest{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(column("digest", &EnvironmentRow::digest),
                      column("hardware_model", &EnvironmentRow::hardware_model),
                      column("manifest", &EnvironmentRow::manifest),
                      column("created_at", &EnvironmentRow::created_at));
  }
};

}  // namespace ki::catalog
