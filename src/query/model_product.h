// One product, and every project: overviews that lead on to runs and records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_coverage.h"
#include "query/model_lists.h"

namespace ki::query {

struct ProductFamily {
  static constexpr std::string_view kWireName = "ProductFamily";
  std::string family;
  std::int64_t operations = 0;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("family", &ProductFamily::family, "");
    v.field("operations", &ProductFamily::operations, "with eligible runs on the product");
    v.field("runs", &ProductFamily::runs, "eligible ones");
  }
};

struct ProductOperation {
  static constexpr std::string_view kWireName = "ProductOperation";
  Ref operation;
  std::string family;
  std::int64_t runs = 0;
  std::string last_observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("operation", &ProductOperation::operation, "");
    v.field("family", &ProductOperation::family, "");
    v.field("runs", &ProductOperation::runs, "eligible ones");
    v.field("lastObservedAt", &ProductOperation::last_observed_at, "");
  }
};

// What was measured on one product.
struct HardwareDossier {
  static constexpr std::string_view kWireName = "HardwareDossier";
  HardwareItem product;
  std::vector<ProductFamily> families;
  std::vector<ProductOperation> operations;
  std::vector<Holder> records;
  std::int64_t records_total = 0;
  std::optional<std::string> next_cursor;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("product", &HardwareDossier::product, "");
    v.field("families", &HardwareDossier::families, "most runs first");
    v.field("operations", &HardwareDossier::operations, "most runs first");
    v.field("records", &HardwareDossier::records, "one page of the records on it");
    v.field("recordsTotal", &HardwareDossier::records_total, "");
    v.field("nextCursor", &HardwareDossier::next_cursor, "of the records");
    v.field("generatedAt", &HardwareDossier::generated_at, "");
  }
};

struct ProjectItem {
  static constexpr std::string_view kWireName = "ProjectItem";
  std::string slug;
  std::string name;
  std::string kind;
  std::int64_t implementations = 0;
  std::int64_t runs = 0;
  std::int64_t hardware = 0;
  std::int64_t records = 0;
  std::optional<std::string> last_observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ProjectItem::slug, "");
    v.field("name", &ProjectItem::name, "");
    v.field("kind", &ProjectItem::kind, "library, individual or vendor");
    v.field("implementations", &ProjectItem::implementations, "all there are");
    v.field("runs", &ProjectItem::runs, "eligible ones");
    v.field("hardware", &ProjectItem::hardware, "products that they were measured on");
    v.field("records", &ProjectItem::records, "comparison groups that it leads");
    v.field("lastObservedAt", &ProjectItem::last_observed_at, "of its eligible runs");
  }
};

struct ProjectsList {
  static constexpr std::string_view kWireName = "ProjectsList";
  std::vector<ProjectItem> projects;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("projects", &ProjectsList::projects, "in the order asked for, then by slug");
    v.field("generatedAt", &ProjectsList::generated_at, "");
  }
};

}  // namespace ki::query
