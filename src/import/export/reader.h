// Takes the rows of an export one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "catalog/rows_correction.h"
#include "catalog/rows_source.h"
#include "import/export/read_line.h"
#include "import/export/tables.h"
#include "import/importer.h"
#include "policy/facts.h"
#include "policy/serving.h"

namespace ki::importer {

inline constexpr std::size_t kDriftListed = 100;  // warnings

// The id of a row, of which a table has one: small, since there is one of every row.
struct RowId {
  std::array<std::uint64_t, 2> words{};
  const void* table = nullptr;
  bool operator==(const RowId&) const = default;

  struct Hash {
    std::size_t operator()(const RowId& id) const { return id.words[0] ^ id.words[1]; }
  };
};

class ExportReader {
 public:
  ExportReader(Prepared& prepared, std::string file)
      : bundle_(prepared.bundle), report_(prepared.report), file_(std::move(file)) {
    constexpr std::size_t kRows = std::size_t{1} << 16;
    ids_.reserve(kRows);
    taken_.reserve(kRows);
  }

  struct Row {
    const json::Value& value;
    std::string_view line;
    ReadLine& read;
  };

  // Takes line `number`, which read_line() made `read` of.
  void add(ReadLine read, std::string_view line, std::int64_t number);
  // After the last line.
  void finish();

 private:
  // What went wrong with a row, "COLUMN: ..."; "" = nothing.
  using Problem = std::string;

  using Handler = Problem (ExportReader::*)(Row);
  // nullptr: the table's rows follow from others.
  static Handler handler_of(std::string_view table);
  Problem take(const TableColumns& table, Handler handler, Row row);

  Problem add_source(Row row);
  Problem add_project(Row row);
  Problem add_operation(Row row);
  Problem add_alias(Row row);
  Problem add_workload(Row row);
  Problem add_implementation(Row row);
  Problem add_run(Row row);
  void keep_run(const json::Value& row, publish::RunEntry entry, policy::RunFacts facts);
  Problem add_measurement(Row row);
  Problem add_correction(Row row);
  Problem add_attestation(Row row);
  Problem add_record_event(Row row);
  // Of tables that the public format does not have: reader_carried.cc.
  Problem add_snapshot(Row row);
  Problem add_relation(Row row);
  Problem add_protocol(Row row);
  Problem add_environment(Row row);
  Problem add_setting(Row row, manifest::Kind kind);
  Problem add_pending(Row row);
  Problem add_artifact_link(Row row);
  Problem add_source_link(Row row);
  Problem add_statement(Row row);
  Problem add_runner_event(Row row);
  Problem add_audit(Row row);
  // The slug of the row's source, kNoSource where it has none; nullopt: it was not taken.
  std::optional<std::string> source_of(const json::Value& row) const;
  // The digest of an object that was taken, by its kind and id.
  const Digest* digest_of(std::string_view kind, const std::string& id) const;
  // An index into the bundle's snapshots, kNoSnapshot, or nullopt: it names none that was taken.
  static constexpr std::size_t kNoSnapshot = ~std::size_t{0};
  std::optional<std::size_t> snapshot_of(const json::Value& row) const;
  Problem add_artifact(Row row);
  // Of results of serving: reader_serving.cc.
  Problem add_model(Row row);
  Problem add_stack(Row row);
  Problem add_configuration(Row row);
  Problem add_serving_workload(Row row);
  Problem add_serving_run(Row row);
  Problem add_serving_measurement(Row row);
  std::expected<publish::ServingEntry, Problem> take_serving(Row row, manifest::Kind kind,
                                                             std::string_view digest_column);
  // Takes the entry, whose row was found to be right.
  void keep_serving(const json::Value& row, publish::ServingEntry entry);
  // What is wrong with the object that a manifest names at `member`, and its row in `column`.
  Problem check_served(const json::Value& row, const manifest::Manifest& by,
                       std::string_view member, std::string_view column) const;

  // The manifest in the row's member "manifest", of one of `kinds` and with the digest in `column`.
  std::expected<manifest::Manifest, Problem> take_manifest(Row row,
                                                           std::span<const manifest::Kind> kinds,
                                                           std::string_view column);
  // A protocol or environment, which many runs repeat.
  struct Shared {
    Digest digest;
    json::Value spec;
  };
  std::expected<Shared, Problem> share(const json::Value* manifest, manifest::Kind kind);
  // The manifest itself, for the first run that goes in with it.
  std::optional<manifest::Manifest> place(const Digest& digest);

  // The digest of a run that was taken, by its id; nullptr: there is none.
  const Digest* digest_of_run(std::string_view id) const;
  // What the columns of a run say of corrections.
  struct Columns {
    std::string run_id;
    std::string supersedes_id;   // "" = none
    std::string retracted_at{};  // "" = it is not
    std::string reason{};
    std::int64_t line = 0;
  };
  void note_columns(const json::Value& row, const std::string& run_id);
  // What the corrections of the export amount to for a run, as its columns should say it.
  Problem check_columns_of_run(const Columns& columns) const;
  void take_columns(const Columns& columns);
  void refuse(const Columns& columns, std::string problem);
  void note_missing_measurements();

  struct Run {
    std::size_t index = 0;  // in bundle_.runs
    Digest cohort;          // comparison key
    std::vector<policy::Measurement> measurements;
    std::int64_t line = 0;
  };
  struct Workload {
    Digest digest;
    policy::WorkloadFacts facts;
  };
  struct Implementation {
    Digest digest;
    policy::ImplementationFacts facts;
  };

  // What a row of a serving table is, by the digest of its object.
  struct Served {
    std::string id{};
    std::size_t index = 0;  // in bundle_.serving
    policy::ServingModelFacts model{};
    policy::ServingWorkloadFacts workload{};
    std::vector<policy::Measurement> measurements{};
  };

  publish::Bundle& bundle_;
  Report& report_;
  std::string file_;
  std::map<std::string, std::string, std::less<>> sources_;  // id -> slug
  std::map<std::string, std::string, std::less<>> projects_;
  std::unordered_map<std::string, std::size_t> operations_;  // id -> index in the bundle
  std::unordered_map<std::string, Workload> workloads_;
  std::unordered_map<std::string, Implementation> implementations_;
  std::unordered_map<std::string, Run> runs_;
  std::unordered_map<std::string, std::size_t> snapshots_;  // id -> index in the bundle
  std::unordered_map<std::string, Digest> pending_;
  std::unordered_map<std::string, Digest> artifacts_;
  std::unordered_map<Digest, Served> served_;
  std::unordered_map<std::string, Digest> served_runs_;  // by id
  // So that the many small nodes of sets do not keep the memory of rows that go.
  std::pmr::monotonic_buffer_resource names_;
  std::pmr::unordered_set<RowId, RowId::Hash> ids_{&names_};
  std::unordered_set<std::string> slugs_;           // and other names that stand once in a table
  std::pmr::unordered_set<Digest> taken_{&names_};  // objects
  // By each run that they name.
  std::unordered_map<std::string, std::vector<catalog::CorrectionRow>> corrections_;
  std::vector<Columns> columns_;
  bool ours_ = false;      // whether a table is one that only this program's exports have
  std::int64_t line_ = 0;  // that is being taken
  std::set<std::pair<std::string, Digest>> corrected_;  // actions and their runs
  std::unordered_map<std::string, Shared> shared_;      // by their text
  std::map<Digest, manifest::Manifest> unplaced_;
};

}  // namespace ki::importer
