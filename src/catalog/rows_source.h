// Rows of the catalog: sources, snapshots, links, artifacts, the audit log.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &SourceRow::id);
    v("slug", &SourceRow::slug);
    v("kind", &SourceRow::kind);
    v("name", &SourceRow::name);
    v("policy", &SourceRow::policy);
    v("created_at", &SourceRow::created_at);
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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &SourceSnapshotRow::id);
    v("source_id", &SourceSnapshotRow::source_id);
    v("locator", &SourceSnapshotRow::locator);
    v("content_digest", &SourceSnapshotRow::content_digest);
    v("media_type", &SourceSnapshotRow::media_type);
    v("size_bytes", &SourceSnapshotRow::size_bytes);
    v("parser_name", &SourceSnapshotRow::parser_name);
    v("parser_version", &SourceSnapshotRow::parser_version);
    v("fetched_at", &SourceSnapshotRow::fetched_at);
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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("source_id", &SourceLinkRow::source_id);
    v("entity_kind", &SourceLinkRow::entity_kind);
    v("external_id", &SourceLinkRow::external_id);
    v("entity_id", &SourceLinkRow::entity_id);
    v("snapshot_id", &SourceLinkRow::snapshot_id);
    v("source_row", &SourceLinkRow::source_row);
    v("source_line", &SourceLinkRow::source_line);
    v("created_at", &SourceLinkRow::created_at);
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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ArtifactRow::id);
    v("content_digest", &ArtifactRow::content_digest);
    v("kind", &ArtifactRow::kind);
    v("media_type", &ArtifactRow::media_type);
    v("size_bytes", &ArtifactRow::size_bytes);
    v("storage", &ArtifactRow::storage);
    v("uri", &ArtifactRow::uri);
    v("license", &ArtifactRow::license);
    v("content", &ArtifactRow::content);
    v("created_at", &ArtifactRow::created_at);
  }
};

struct ArtifactLinkRow {
  static constexpr std::string_view kTable = "artifact_link";
  std::string entity_kind{};
  std::string entity_id{};
  std::string role{};
  std::string artifact_id{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("entity_kind", &ArtifactLinkRow::entity_kind);
    v("entity_id", &ArtifactLinkRow::entity_id);
    v("role", &ArtifactLinkRow::role);
    v("artifact_id", &ArtifactLinkRow::artifact_id);
  }
};

// Who changed what.
struct AuditRow {
  static constexpr std::string_view kTable = "audit";
  std::int64_t sequence = 0;
  std::string id{};
  std::string at{};
  std::string actor{};
  std::string action{};
  std::string entity_kind{};
  std::string entity_id{};
  std::string detail{};
  std::string tally{};   // Tallies::to_json()
  std::string digest{};  // chain_digest()
  template <class Visitor>
  static void columns(Visitor& v) {
    v("sequence", &AuditRow::sequence);
    v("id", &AuditRow::id);
    v("at", &AuditRow::at);
    v("actor", &AuditRow::actor);
    v("action", &AuditRow::action);
    v("entity_kind", &AuditRow::entity_kind);
    v("entity_id", &AuditRow::entity_id);
    v("detail", &AuditRow::detail);
    v("tally", &AuditRow::tally);
    v("digest", &AuditRow::digest);
  }
};

}  // namespace ki::catalog
