// The working state of verify(). Only publish/ includes this.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "catalog/derived.h"
#include "catalog/lookup.h"
#include "catalog/rows_serving_run.h"
#include "manifest/manifest.h"
#include "policy/facts.h"
#include "policy/serving.h"
#include "publish/verify.h"

namespace ki::publish {

class Verifier {
 public:
  Verifier(db::Connection& connection, const VerifyProgress& progress)
      : connection_(connection), progress_(progress) {}

  // verify_catalog.cc
  Status check_file();
  // Whether all tables are as this program makes them, so that the rest can be read.
  Result<bool> check_schema();
  Status check_artifacts();
  Status check_snapshots();
  Status check_links();
  Status check_corrections();
  Status check_attestations();
  Status check_statements();
  Status check_runners();
  Status check_log();

  // verify_objects.cc
  Status check_projects();
  Status check_operations();
  Status check_workloads();
  Status check_implementations();
  Status check_settings();

  // verify_serving.cc
  Status check_serving_objects();
  Status check_serving_runs();

  // verify_runs.cc
  Status check_runs();
  Status check_pending();
  Status check_cohorts();

  VerifyReport report;

 private:
  // Rows that the log has a row of its own for, by one id.
  template <class Row>
  Status check_recorded(const db::Sql& loose, const std::string& what);
  void count(std::string_view entity);
  void add(std::string_view entity, std::string_view id, std::string_view field,
           std::string_view stored, std::string_view expected);
  // Decodes a stored manifest; a finding and nullopt when it is damaged or is not what its digest
  // says.
  std::optional<manifest::Manifest> decode(std::string_view entity, std::string_view id,
                                           std::string_view text, std::string_view digest);
  template <class Row>
  void compare(std::string_view entity, std::string_view id, const Row& stored,
               const Row& expected) {
    for (const auto& difference : catalog::differences(stored, expected)) {
      add(entity, id, difference.column, difference.stored, difference.expected);
    }
  }

  Status check_axes(const catalog::WorkloadRow& row, const policy::WorkloadFacts& facts);
  Status check_equivalence(const catalog::OperationRow& row, const manifest::Manifest& manifest);
  Status check_search_terms(const catalog::OperationRow& row);
  Status check_run(const catalog::RunRow& row);
  Status check_measurements(const catalog::RunRow& row, const policy::RunFacts& facts);
  Status check_external_ids(const std::string& run_id, const json::Value& spec);
  // Compares a row of a serving table with what its manifest gives; `expected` has its editorial
  // names already.
  template <class Row>
  void compare_served(const Row& stored, Row expected);
  Status check_serving_run(const catalog::ServingRunRow& row);
  Status check_serving_measurements(const catalog::ServingRunRow& row,
                                    const policy::ServingRunFacts& facts);
  void check_digest(std::string_view entity, std::string_view id, std::string_view digest);
  Status check_cohort(const std::string& comparison_key);
  // The spec of a stored protocol or environment; nullptr when it is not there or damaged.
  Result<const json::Value*> setting(std::string_view table, const std::string& digest);

  db::Connection& connection_;
  const VerifyProgress& progress_;
  std::int64_t rows_ = 0;
  std::unordered_map<std::string, std::optional<manifest::Manifest>> settings_;
};

}  // namespace ki::publish
