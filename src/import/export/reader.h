// Takes the rows of an export one at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
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
  void add(std::expected<json::Document, Issues> document, std::string_view line,
           std::int64_t number);

 private:
  // What went wrong with a row, "" = nothing.
  using Problem = std::string;
  // A row and the document it stands in, whose memory a manifest of it takes over.
  struct Row {
    json::Document& document;
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
  std::unordered_map<std::string, Shared> shared_;  // by their text
  std::map<Digest, manifest::Manifest> unplaced_;
};

}  // namespace ki::importer
