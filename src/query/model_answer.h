// The parts of a resolved answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_reading.h"

namespace ki::query {

// One reading of an ambiguous hardware word; variants are never ranked against each other.
struct Variant {
  static constexpr std::string_view kWireName = "Variant";
  std::string label;
  std::string architecture;
  std::int64_t runs = 0;
  std::optional<Head> head;
  std::optional<std::string> cohort_key;
  std::string query;
  template <class V>
  static void describe(V& v) {
    v.field("label", &Variant::label, "product name");
    v.field("architecture", &Variant::architecture, "");
    v.field("runs", &Variant::runs, "runs of the operation measured on it");
    v.field("head", &Variant::head, "");
    v.field("cohortKey", &Variant::cohort_key, "");
    v.field("query", &Variant::query, "the request with this variant named");
  }
};

struct Groups {
  static constexpr std::string_view kWireName = "Groups";
  std::vector<Row> exact;
  std::vector<Row> compatible;
  std::vector<Row> supported_unmeasured;
  std::vector<Row> reported;
  template <class V>
  static void describe(V& v) {
    v.field("exact", &Groups::exact, "ranked");
    v.field("compatible", &Groups::compatible, "");
    v.field("supportedUnmeasured", &Groups::supported_unmeasured, "");
    v.field("reported", &Groups::reported, "");
  }
};

struct GroupCounts {
  static constexpr std::string_view kWireName = "GroupCounts";
  std::int64_t exact = 0;
  std::int64_t compatible = 0;
  std::int64_t supported_unmeasured = 0;
  std::int64_t reported = 0;
  std::int64_t unmet = 0;
  template <class V>
  static void describe(V& v) {
    v.field("exact", &GroupCounts::exact, "");
    v.field("compatible", &GroupCounts::compatible, "");
    v.field("supportedUnmeasured", &GroupCounts::supported_unmeasured, "");
    v.field("reported", &GroupCounts::reported, "");
    v.field("unmet", &GroupCounts::unmet, "rows of all groups that a requirement leaves out");
  }
};

// A row that is in none of the groups because of what the request requires of an answer.
struct UnmetRow {
  static constexpr std::string_view kWireName = "UnmetRow";
  Row row;
  std::vector<Mismatch> failed;
  template <class V>
  static void describe(V& v) {
    v.field("row", &UnmetRow::row, "");
    v.field("failed", &UnmetRow::failed,
            "each requirement it fails: trust, license, source, installable, frameworkVersion, "
            "toolkitVersion");
  }
};

}  // namespace ki::query
