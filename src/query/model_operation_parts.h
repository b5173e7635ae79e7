// The parts of an operation dossier.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"
#include "query/model_cohort.h"
#include "query/model_common.h"
#include "query/model_row.h"

namespace ki::query {

struct OperationIdentity {
  static constexpr std::string_view kWireName = "OperationIdentity";
  std::string id;
  std::string slug;
  std::string name;
  std::string family;
  std::vector<std::string> aliases;
  std::vector<Ref> equivalents;
  std::vector<std::string> models;
  std::string semantic_digest;
  std::string summary;
  std::optional<std::string> superseded_by_id;
  template <class V>
  static void describe(V& v) {
    v.field("id", &OperationIdentity::id, "");
    v.field("slug", &OperationIdentity::slug, "");
    v.field("name", &OperationIdentity::name, "");
    v.field("family", &OperationIdentity::family, "");
    v.field("aliases", &OperationIdentity::aliases, "");
    v.field("equivalents", &OperationIdentity::equivalents,
            "others that compute the same; workloads, runs and implementations are of all of them");
    v.field("models", &OperationIdentity::models, "");
    v.field("semanticDigest", &OperationIdentity::semantic_digest, "");
    v.field("summary", &OperationIdentity::summary, "");
    v.field("supersededById", &OperationIdentity::superseded_by_id, "");
  }
};

struct TensorSpec {
  static constexpr std::string_view kWireName = "TensorSpec";
  std::string name;
  std::string dtype;
  std::string shape;
  std::optional<std::string> layout;
  template <class V>
  static void describe(V& v) {
    v.field("name", &TensorSpec::name, "");
    v.field("dtype", &TensorSpec::dtype, "");
    v.field("shape", &TensorSpec::shape, "");
    v.field("layout", &TensorSpec::layout, "");
  }
};

struct AxisSpec {
  static constexpr std::string_view kWireName = "AxisSpec";
  std::string name;
  std::string role;
  std::optional<double> value;
  std::optional<std::string> constraint;
  template <class V>
  static void describe(V& v) {
    v.field("name", &AxisSpec::name, "");
    v.field("role", &AxisSpec::role, "variable, constant or derived");
    v.field("value", &AxisSpec::value, "");
    v.field("constraint", &AxisSpec::constraint, "");
  }
};

struct Semantics {
  static constexpr std::string_view kWireName = "Semantics";
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<AxisSpec> axes;
  std::optional<std::string> expression;
  std::string determinism;
  std::vector<std::string> constraints;
  template <class V>
  static void describe(V& v) {
    v.field("inputs", &Semantics::inputs, "");
    v.field("outputs", &Semantics::outputs, "");
    v.field("axes", &Semantics::axes, "");
    v.field("expression", &Semantics::expression, "");
    v.field("determinism", &Semantics::determinism, "");
    v.field("constraints", &Semantics::constraints, "");
  }
};

struct WorkloadItem {
  static constexpr std::string_view kWireName = "WorkloadItem";
  std::string id;
  std::string digest;
  std::string label;
  std::map<std::string, json::Raw> axes;
  std::vector<std::string> dtypes;
  std::string tolerance_summary;
  std::int64_t runs = 0;
  template <class V>
  static void describe(V& v) {
    v.field("id", &WorkloadItem::id, "");
    v.field("digest", &WorkloadItem::digest, "");
    v.field("label", &WorkloadItem::label, "");
    v.field("axes", &WorkloadItem::axes, "number or text by name");
    v.field("dtypes", &WorkloadItem::dtypes, "");
    v.field("toleranceSummary", &WorkloadItem::tolerance_summary, "");
    v.field("runs", &WorkloadItem::runs, "eligible runs");
  }
};

}  // namespace ki::query
