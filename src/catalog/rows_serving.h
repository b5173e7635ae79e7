// Rows of the catalog: what results of serving are about.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

struct ModelRevisionRow {
  static constexpr std::string_view kTable = "model_revision";
  std::string id{};
  std::string digest{};
  std::string slug{};
  std::string name{};
  std::optional<std::string> tokenizer{};
  std::optional<std::int64_t> parameter_count{};
  std::optional<std::int64_t> context_length{};
  std::optional<std::string> license{};
  std::optional<std::string> source_id{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ModelRevisionRow::id);
    v("digest", &ModelRevisionRow::digest);
    v("slug", &ModelRevisionRow::slug);
    v("name", &ModelRevisionRow::name);
    v("tokenizer", &ModelRevisionRow::tokenizer);
    v("parameter_count", &ModelRevisionRow::parameter_count);
    v("context_length", &ModelRevisionRow::context_length);
    v("license", &ModelRevisionRow::license);
    v("source_id", &ModelRevisionRow::source_id);
    v("manifest", &ModelRevisionRow::manifest);
    v("created_at", &ModelRevisionRow::created_at);
  }
};

struct ServingStackRow {
  static constexpr std::string_view kTable = "serving_stack_revision";
  std::string id{};
  std::string digest{};
  std::string slug{};
  std::string project{};
  std::string name{};
  std::optional<std::string> version{};
  std::optional<std::string> source_id{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ServingStackRow::id);
    v("digest", &ServingStackRow::digest);
    v("slug", &ServingStackRow::slug);
    v("project", &ServingStackRow::project);
    v("name", &ServingStackRow::name);
    v("version", &ServingStackRow::version);
    v("source_id", &ServingStackRow::source_id);
    v("manifest", &ServingStackRow::manifest);
    v("created_at", &ServingStackRow::created_at);
  }
};

struct ServingConfigurationRow {
  static constexpr std::string_view kTable = "serving_configuration";
  std::string id{};
  std::string digest{};
  std::string stack_id{};
  std::optional<std::string> dtype{};
  std::optional<std::string> quantization{};
  std::optional<std::int64_t> tensor_parallel{};
  std::string summary{};
  std::optional<std::string> source_id{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ServingConfigurationRow::id);
    v("digest", &ServingConfigurationRow::digest);
    v("stack_id", &ServingConfigurationRow::stack_id);
    v("dtype", &ServingConfigurationRow::dtype);
    v("quantization", &ServingConfigurationRow::quantization);
    v("tensor_parallel", &ServingConfigurationRow::tensor_parallel);
    v("summary", &ServingConfigurationRow::summary);
    v("source_id", &ServingConfigurationRow::source_id);
    v("manifest", &ServingConfigurationRow::manifest);
    v("created_at", &ServingConfigurationRow::created_at);
  }
};

struct ServingWorkloadRow {
  static constexpr std::string_view kTable = "serving_workload";
  std::string id{};
  std::string digest{};
  std::string slug{};
  std::string name{};
  bool streaming = false;
  std::string load_generation{};
  std::optional<std::string> source_id{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ServingWorkloadRow::id);
    v("digest", &ServingWorkloadRow::digest);
    v("slug", &ServingWorkloadRow::slug);
    v("name", &ServingWorkloadRow::name);
    v("streaming", &ServingWorkloadRow::streaming);
    v("load_generation", &ServingWorkloadRow::load_generation);
    v("source_id", &ServingWorkloadRow::source_id);
    v("manifest", &ServingWorkloadRow::manifest);
    v("created_at", &ServingWorkloadRow::created_at);
  }
};

// The object of a serving kind with this digest. Served by the unique index of its table.
template <class Row>
Result<std::optional<Row>> find_served(db::Connection& connection, std::string_view digest) {
  static constexpr db::Sql kByDigest{"served_by_digest", "WHERE digest = $1"};
  return find<Row>(connection, kByDigest, digest);
}

}  // namespace ki::catalog
