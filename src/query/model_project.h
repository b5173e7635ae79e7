// One project: what it has published and which records it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"
#include "query/model_lists.h"

namespace ki::query {

struct ProjectHost {
  static constexpr std::string_view kWireName = "ProjectHost";
  std::string kind;
  std::string id;
  template <class V>
  static void describe(V& v) {
    v.field("kind", &ProjectHost::kind, "github, huggingface, gitlab or other");
    v.field("id", &ProjectHost::id, "");
  }
};

struct ProjectIdentity {
  static constexpr std::string_view kWireName = "ProjectIdentity";
  std::string slug;
  std::string name;
  std::string kind;
  std::optional<std::string> repository_url;
  std::optional<ProjectHost> host;
  std::vector<std::string> licenses;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ProjectIdentity::slug, "");
    v.field("name", &ProjectIdentity::name, "");
    v.field("kind", &ProjectIdentity::kind, "library, individual or vendor");
    v.field("repositoryUrl", &ProjectIdentity::repository_url, "");
    v.field("host", &ProjectIdentity::host, "");
    v.field("licenses", &ProjectIdentity::licenses,
            "its own and those concluded for its implementations");
  }
};

struct ProjectStats {
  static constexpr std::string_view kWireName = "ProjectStats";
  std::int64_t implementations = 0;
  std::int64_t runs = 0;
  std::vector<std::string> hardware;
  std::optional<std::string> last_observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("implementations", &ProjectStats::implementations, "all there are");
    v.field("runs", &ProjectStats::runs, "eligible ones");
    v.field("hardware", &ProjectStats::hardware, "");
    v.field("lastObservedAt", &ProjectStats::last_observed_at, "");
  }
};

struct ProjectImplementationItem {
  static constexpr std::string_view kWireName = "ProjectImplementationItem";
  std::string slug;
  std::string name;
  Ref project;
  Ref operation;
  std::optional<std::string> language;
  std::optional<std::string> framework;
  std::optional<std::string> evidence;
  std::optional<Primary> best_primary;
  bool source_available = false;
  bool installable = false;
  License license;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ProjectImplementationItem::slug, "");
    v.field("name", &ProjectImplementationItem::name, "");
    v.field("project", &ProjectImplementationItem::project, "");
    v.field("operation", &ProjectImplementationItem::operation, "");
    v.field("language", &ProjectImplementationItem::language, "");
    v.field("framework", &ProjectImplementationItem::framework, "");
    v.field("evidence", &ProjectImplementationItem::evidence,
            "best of its runs; null when nothing was measured");
    v.field("bestPrimary", &ProjectImplementationItem::best_primary,
            "over all workloads, so only a hint");
    v.field("sourceAvailable", &ProjectImplementationItem::source_available, "");
    v.field("installable", &ProjectImplementationItem::installable, "");
    v.field("license", &ProjectImplementationItem::license, "");
  }
};

// Who answers for a project. This program takes no claims.
struct Claim {
  static constexpr std::string_view kWireName = "Claim";
  std::string state;
  std::optional<std::string> by;
  template <class V>
  static void describe(V& v) {
    v.field("state", &Claim::state, "unclaimed, pending or claimed");
    v.field("by", &Claim::by, "");
  }
};

struct ProjectDossier {
  static constexpr std::string_view kWireName = "ProjectDossier";
  bool illustrative = false;
  ProjectIdentity project;
  ProjectStats stats;
  std::vector<Holder> records;
  std::int64_t records_total = 0;
  std::optional<std::string> next_cursor;
  std::vector<ProjectImplementationItem> implementations;
  Claim claim;
  std::vector<Source> sources;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &ProjectDossier::illustrative, "");
    v.field("project", &ProjectDossier::project, "");
    v.field("stats", &ProjectDossier::stats, "");
    v.field("records", &ProjectDossier::records, "one page of the records it holds");
    v.field("recordsTotal", &ProjectDossier::records_total, "");
    v.field("nextCursor", &ProjectDossier::next_cursor, "of the records");
    v.field("implementations", &ProjectDossier::implementations,
            "by metric, the better value first; those without one last; at most 2000");
    v.field("claim", &ProjectDossier::claim, "");
    v.field("sources", &ProjectDossier::sources, "");
    v.field("generatedAt", &ProjectDossier::generated_at, "");
  }
};

}  // namespace ki::query
