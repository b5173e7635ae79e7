// Takes the rows of an export one at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/importer.h"
#include "json/read.h"
#include "policy/facts.h"

namespace ki::importer {

inline constexpr json::Limits kLineLimits{.bytes_max = std::size_t{16} << 20};

class ExportReader {
 public:
  ExportReader(Prepared& prepared, std::string file)
      : bundle_(prepared.bundle), report_(prepared.report), file_(std::move(file)) {}

  // Takes line `number`, which json::parse made `document` of under kLineLimits.
  void add(const std::expected<json::Document, Issues>& document, std::string_view line,
           std::int64_t number);
  // After the last line.
  void finish();

 private:
  // What went wrong with a row, "" = nothing.
  using Problem = std::string;
  struct Row {
    const json::Value& value;
    std::string_view line;
  };
  using Handler = Problem (ExportReader::*)(Row);
  struct Table {
    std::string_view name;
    Handler handler;
  };

  Problem add_source(Row row);
  Problem add_project(Row row);
  Problem add_operation(Row row);
  Problem add_alias(Row row);
  Problem add_workload(Row row);
  Problem add_implementation(Row row);
  Problem add_run(Row row);
  Problem add_measurement(Row row);
  Problem add_correction(Row row);
  Problem add_record_event(Row row);
  Problem add_artifact(Row row);
  Problem add_serving(Row row);

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
  };
  void note_columns(const json::Value& row, const std::string& run_id);

  struct Run {
    std::size_t index = 0;  // in bundle_.runs
    Digest cohort;          // comparison key
    std::vector<policy::Measurement> measurements;
  };
  struct Workload {
    Digest digest;
    policy::WorkloadFacts facts;
  };
  struct Implementation {
    Digest digest;
    policy::ImplementationFacts facts;
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
  std::vector<Columns> columns_;
  std::set<std::pair<std::string, Digest>> corrected_;  // actions and their runs
  std::unordered_map<std::string, Shared> shared_;      // by their text
  std::map<Digest, manifest::Manifest> unplaced_;
};

}  // namespace ki::importer
