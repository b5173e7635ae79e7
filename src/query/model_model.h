// One model: what is known of each of its operations on one product.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_cohort.h"
#include "query/model_common.h"
#include "query/model_row.h"

namespace ki::query {

struct ModelIdentity {
  static constexpr std::string_view kWireName = "ModelIdentity";
  std::string slug;
  std::vector<std::string> related_tags;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ModelIdentity::slug, "");
    v.field("relatedTags", &ModelIdentity::related_tags,
            "models that extend this name or that it extends");
  }
};

struct ModelStats {
  static constexpr std::string_view kWireName = "ModelStats";
  std::int64_t operations = 0;
  std::int64_t families = 0;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("operations", &ModelStats::operations, "");
    v.field("families", &ModelStats::families, "");
    v.field("runs", &ModelStats::runs, "eligible runs on any product");
  }
};

struct ModelGpu {
  static constexpr std::string_view kWireName = "ModelGpu";
  std::string model;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("model", &ModelGpu::model, "");
    v.field("runs", &ModelGpu::runs, "");
  }
};

// What an operation has on the selected product.
struct ModelEntry {
  static constexpr std::string_view kWireName = "ModelEntry";
  Ref operation;
  std::string family;
  Row fastest;
  std::optional<Row> deployable;
  Verdict verdict;
  Cohort cohort;
  std::string workload_id;
  std::int64_t alternatives = 0;
  template <class V>
  static void describe(V& v) {
    v.field("operation", &ModelEntry::operation, "");
    v.field("family", &ModelEntry::family, "");
    v.field("fastest", &ModelEntry::fastest, "first of its group");
    v.field("deployable", &ModelEntry::deployable, "the first without a reason against using it");
    v.field("verdict", &ModelEntry::verdict,
            "whether the first of the group may be called its winner");
    v.field("cohort", &ModelEntry::cohort, "the group with most ranked runs on that product");
    v.field("workloadId", &ModelEntry::workload_id, "");
    v.field("alternatives", &ModelEntry::alternatives,
            "ranked runs of the group besides the first");
  }
};

struct ModelGroup {
  static constexpr std::string_view kWireName = "ModelGroup";
  static constexpr bool kGroupsRows = true;  // what trims rows trims the entries
  std::string family;
  std::vector<ModelEntry> entries;
  template <class V>
  static void describe(V& v) {
    v.field("family", &ModelGroup::family, "");
    v.field("entries", &ModelGroup::entries, "most runs on that product first");
  }
};

// An operation without a ranked run on the selected product.
struct ModelGap {
  static constexpr std::string_view kWireName = "ModelGap";
  Ref operation;
  std::string family;
  std::vector<std::string> measured_on;
  template <class V>
  static void describe(V& v) {
    v.field("operation", &ModelGap::operation, "");
    v.field("family", &ModelGap::family, "");
    v.field("measuredOn", &ModelGap::measured_on,
            "products with eligible runs, empty where there is none");
  }
};

struct ModelServing {
  static constexpr std::string_view kWireName = "ModelServing";
  std::string slug;
  std::string name;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ModelServing::slug, "");
    v.field("name", &ModelServing::name, "");
    v.field("runs", &ModelServing::runs, "");
  }
};

struct ModelDossier {
  static constexpr std::string_view kWireName = "ModelDossier";
  bool illustrative = false;
  ModelIdentity model;
  bool resolved = false;
  ModelStats stats;
  std::vector<ModelGpu> gpus;
  std::optional<std::string> selected_gpu;
  std::vector<ModelGroup> groups;
  std::vector<ModelGap> gaps;
  std::optional<ModelServing> serving;
  std::int64_t left_out = 0;
  std::vector<Source> sources;
  std::vector<NotApplied> not_applied;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &ModelDossier::illustrative, "");
    v.field("model", &ModelDossier::model, "");
    v.field("resolved", &ModelDossier::resolved,
            "false when no operation is tagged with exactly this model");
    v.field("stats", &ModelDossier::stats, "");
    v.field("gpus", &ModelDossier::gpus, "most runs first");
    v.field("selectedGpu", &ModelDossier::selected_gpu, "");
    v.field("groups", &ModelDossier::groups, "the family with most runs first");
    v.field("gaps", &ModelDossier::gaps, "");
    v.field("serving", &ModelDossier::serving, "");
    v.field("leftOut", &ModelDossier::left_out, "operations measured there beyond those in groups");
    v.field("sources", &ModelDossier::sources, "");
    v.field("notApplied", &ModelDossier::not_applied, "parameters that named nothing");
    v.field("generatedAt", &ModelDossier::generated_at, "");
  }
};

}  // namespace ki::query
