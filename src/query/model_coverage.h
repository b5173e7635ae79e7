// What the catalog covers: products, sources, models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

// A product that something was measured on.
struct HardwareItem {
  static constexpr std::string_view kWireName = "HardwareItem";
  std::string slug;
  std::string model;
  std::optional<std::string> vendor;
  std::optional<std::string> architecture;
  std::int64_t kernel_runs = 0;
  std::int64_t serving_runs = 0;
  std::int64_t operations = 0;
  std::int64_t families = 0;
  std::optional<std::string> last_observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &HardwareItem::slug, "");
    v.field("model", &HardwareItem::model, "as the environments of its runs name it");
    v.field("vendor", &HardwareItem::vendor, "null when no run states it");
    v.field("architecture", &HardwareItem::architecture, "");
    v.field("kernelRuns", &HardwareItem::kernel_runs, "eligible runs");
    v.field("servingRuns", &HardwareItem::serving_runs, "");
    v.field("operations", &HardwareItem::operations, "with eligible runs");
    v.field("families", &HardwareItem::families, "");
    v.field("lastObservedAt", &HardwareItem::last_observed_at, "of its eligible runs");
  }
};

struct HardwareList {
  static constexpr std::string_view kWireName = "HardwareList";
  std::vector<HardwareItem> hardware;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("hardware", &HardwareList::hardware,
            "most kernel runs first, then those with serving runs only");
    v.field("generatedAt", &HardwareList::generated_at, "");
  }
};

// An upstream with what came from it.
struct SourceItem {
  static constexpr std::string_view kWireName = "SourceItem";
  std::string slug;
  std::string name;
  std::string kind;
  std::int64_t runs = 0;
  std::int64_t indexed = 0;
  std::int64_t breadth = 0;
  std::int64_t hardware = 0;
  std::optional<std::string> last_fetched;
  std::optional<std::string> last_published_at;
  std::optional<std::string> url;
  std::optional<std::string> license;
  std::optional<std::int64_t> freshness_days;
  std::optional<bool> stale;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &SourceItem::slug, "");
    v.field("name", &SourceItem::name, "");
    v.field("kind", &SourceItem::kind,
            "serving: only results of served models came from it; else kernel");
    v.field("runs", &SourceItem::runs, "eligible runs, those of served models too");
    v.field("indexed", &SourceItem::indexed, "published runs, whatever became of them");
    v.field("breadth", &SourceItem::breadth,
            "operations that its published runs are of, and models that they served");
    v.field("hardware", &SourceItem::hardware, "products that its published runs were measured on");
    v.field("lastFetched", &SourceItem::last_fetched,
            "when the newest of its files was read; null when that is not known");
    v.field("lastPublishedAt", &SourceItem::last_published_at, "of its runs");
    v.field("url", &SourceItem::url, "");
    v.field("license", &SourceItem::license, "");
    v.field("freshnessDays", &SourceItem::freshness_days, "after which it counts as out of date");
    v.field("stale", &SourceItem::stale,
            "null when the source states no freshness or no time is known");
  }
};

struct SourcesList {
  static constexpr std::string_view kWireName = "SourcesList";
  std::vector<SourceItem> sources;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("sources", &SourcesList::sources, "by slug");
    v.field("generatedAt", &SourcesList::generated_at, "");
  }
};

struct HeroRow {
  static constexpr std::string_view kWireName = "HeroRow";
  std::string family;
  std::vector<std::int64_t> runs;
  std::int64_t total = 0;
  template <class V>
  static void describe(V& v) {
    v.field("family", &HeroRow::family, "");
    v.field("runs", &HeroRow::runs, "eligible runs on each of gpus, in their order");
    v.field("total", &HeroRow::total, "eligible runs on any product");
  }
};

// Chosen families on chosen products.
struct Hero {
  static constexpr std::string_view kWireName = "Hero";
  std::vector<std::string> gpus;
  std::vector<HeroRow> rows;
  template <class V>
  static void describe(V& v) {
    v.field("gpus", &Hero::gpus, "");
    v.field("rows", &Hero::rows, "");
  }
};

struct CoverageReport {
  static constexpr std::string_view kWireName = "CoverageReport";
  bool illustrative = false;
  std::vector<SourceItem> sources;
  Hero hero;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &CoverageReport::illustrative, "");
    v.field("sources", &CoverageReport::sources, "");
    v.field("hero", &CoverageReport::hero, "");
  }
};

// A model whose serving was measured.
struct ServingModelItem {
  static constexpr std::string_view kWireName = "ServingModelItem";
  std::string slug;
  std::string name;
  std::optional<std::int64_t> parameter_count;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ServingModelItem::slug, "");
    v.field("name", &ServingModelItem::name, "");
    v.field("parameterCount", &ServingModelItem::parameter_count, "");
    v.field("runs", &ServingModelItem::runs, "eligible runs");
  }
};

// A model that operations are tagged with.
struct ModelItem {
  static constexpr std::string_view kWireName = "ModelItem";
  std::string model;
  std::int64_t operations = 0;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("model", &ModelItem::model, "slug");
    v.field("operations", &ModelItem::operations, "tagged with it");
    v.field("runs", &ModelItem::runs, "eligible runs of those operations");
  }
};

struct ModelsList {
  static constexpr std::string_view kWireName = "ModelsList";
  std::vector<ServingModelItem> serving;
  std::vector<ModelItem> kernel;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("serving", &ModelsList::serving, "most runs first");
    v.field("kernel", &ModelsList::kernel, "most operations first");
    v.field("generatedAt", &ModelsList::generated_at, "");
  }
};

}  // namespace ki::query
