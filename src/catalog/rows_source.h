// Rows of the catalog: sources, snapshots, links, artifacts, corrections, the audit log.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "catalog/table.h"

namespace ki::catalog {

// Where records come from.
struct SourceRow {
  static constexpr std::string_view kTable = "source";
  std::string id{};
  std::string slug{};
  std::string kind{};
  std::string name{};
  std::optional<std::string> policy{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(column("id", &SourceRow::id), column("slug", &SourceRow::slug),
                      column("kind", &SourceRow::kind), column("name", &SourceRow::name),
                      column("policy", &SourceRow::policy),
                      column("created_at", &SourceRow::created_at));
  }
};

// An input file as it was read.
struct SourceSnapshotRow {
  static constexpr std::string_view kTable = "source_snapshot";
  std::string id{};
  std::string source_id{};
  std::string locator{};
  std::string content_digest{};
  std::string media_type{};
  std::int64_t size_bytes = 0;
  std::string parser_name{};
  std::string parser_version{};
  std::string fetched_at{};
  static constexpr auto columns() {
    return std::tuple(column("id", &SourceSnapshotRow::id),
                      column("source_id", &SourceSnapshotRow::source_id),
                      column("locator", &SourceSnapshotRow::locator),
                      column("content_digest", &SourceSnapshotRow::content_digest),
                      column("media_type", &SourceSnapshotRow::media_type),
                      column("size_bytes", &SourceSnapshotRow::size_bytes),
                      column("parser_name", &SourceSnapshotRow::parser_name),
                      column("parser_version", &SourceSnapshotRow::parser_version),
                      column("fetched_at", &SourceSnapshotRow::fetched_at));
  }
};

// Which upstream thing an object restates.
struct SourceLinkRow {
  static constexpr std::string_view kTable = "source_link";
  std::string source_id{};
  std::string entity_kind{};
  std::string external_id{};
  std::string entity_id{};
  std::optional<std::string> snapshot_id{};
  std::optional<std::int64_t> source_row{};
  std::optional<std::int64_t> source_line{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(column("source_id", &SourceLinkRow::source_id),
                      column("entity_kind", &SourceLinkRow::entity_kind),
                      column("external_id", &SourceLinkRow::external_id),
                      column("entity_id", &SourceLinkRow::entity_id),
                      column("snapshot_id", &SourceLinkRow::snapshot_id),
                      column("source_row", &SourceLinkRow::source_row),
                      column("source_line", &SourceLinkRow::source_line),
                      column("created_at", &SourceLinkRow::created_at));
  }
};

struct ArtifactRow {
  static constexpr std::string_view kTable = "artifact";
  std::string id{};
  std::string content_digest{};
  std::string kind{};
  std::string media_type{};
  std::optional<std::int64_t> size_bytes{};
  std::string storage{};
  std::optional<std::string> uri{};
  std::optional<std::string> license{};
  std::optional<std::string> content{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(
        column("id", &ArtifactRow::id), column("content_digest", &ArtifactRow::content_digest),
        column("kind", &ArtifactRow::kind), column("media_type", &ArtifactRow::media_type),
        column("size_bytes", &ArtifactRow::size_bytes), column("storage", &ArtifactRow::storage),
        column("uri", &ArtifactRow::uri), column("license", &ArtifactRow::license),
        column("content", &ArtifactRow::content), column("created_at", &ArtifactRow::created_at));
  }
};

struct ArtifactLinkRow {
  static constexpr std::string_view kTable = "artifact_link";
  std::string entity_kind{};
  std::string entity_id{};
  std::string role{};
  std::string artifact_id{};
  static constexpr auto columns() {
    return std::tuple(column("entity_kind", &ArtifactLinkRow::entity_kind),
                      column("entity_id", &ArtifactLinkRow::entity_id),
                      column("role", &ArtifactLinkRow::role),
                      column("artifact_id", &ArtifactLinkRow::artifact_id));
  }
};

// A manifest of one of the five serving kinds.
struct ServingObjectRow {
  static constexpr std::string_view kTable = "serving_object";
  std::string digest{};
  std::string id{};
  std::string kind{};
  std::string name{};
  std::optional<std::string> source_id{};
  std::string manifest{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(column("digest", &ServingObjectRow::digest),
                      column("id", &ServingObjectRow::id), column("kind", &ServingObjectRow::kind),
                      column("name", &ServingObjectRow::name),
                      column("source_id", &ServingObjectRow::source_id),
                      column("manifest", &ServingObjectRow::manifest),
                      column("created_at", &ServingObjectRow::created_at));
  }
};

// A retraction, restoration or supersession.
struct CorrectionRow {
  static constexpr std::string_view kTable = "correction";
  std::string id{};
  std::string action{};
  std::string run_id{};
  std::optional<std::string> superseded_run_id{};
  std::string actor{};
  std::string reason{};
  std::string at{};
  static constexpr auto columns() {
    return std::tuple(column("id", &CorrectionRow::id), column("action", &CorrectionRow::action),
                      column("run_id", &CorrectionRow::run_id),
                      column("superseded_run_id", &CorrectionRow::superseded_run_id),
                      column("actor", &CorrectionRow::actor),
                      column("reason", &CorrectionRow::reason), column("at", &CorrectionRow::at));
  }
};

// Who changed what.
struct AuditRow {
  static constexpr std::string_view kTable = "audit";
  std::string id{};
  std::string at{};
  std::string actor{};
  std::string action{};
  std::string entity_kind{};
  std::string entity_id{};
  std::string detail{};
  static constexpr auto columns() {
    return std::tuple(
        column("id", &AuditRow::id), column("at", &AuditRow::at), column("actor", &AuditRow::actor),
        column("action", &AuditRow::action), column("entity_kind", &AuditRow::entity_kind),
        column("entity_id", &AuditRow::entity_id), column("detail", &AuditRow::detail));
  }
};

}  // namespace ki::catalog
