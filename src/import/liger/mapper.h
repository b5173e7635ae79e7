// Turns readings into a bundle in which every object is there once.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "import/liger/liger.h"
#include "import/liger/read_row.h"
#include "publish/bundle.h"

namespace ki::importer::liger {

class Mapper {
 public:
  Mapper(const LigerOptions& options, Report& report) : options_(options), report_(report) {}

  // Adds what the readings say, each observation once. Sorts them first, so that their order does
  // not matter. Fails only where an object of ours does not make a valid manifest.
  Status add(std::vector<Reading> readings);

  publish::Bundle take() { return std::move(bundle_); }

 private:
  // A manifest that goes into the bundle with the first run that names it.
  struct Shared {
    Digest digest;
    std::optional<manifest::Manifest> unplaced;
  };
  struct Built {
    const Reading* reading = nullptr;
    publish::RunEntry entry;
    Digest workload;
    Shared* protocol = nullptr;
    Shared* environment = nullptr;
  };

  Status leave_out_unknown_gpus(std::vector<Reading>& readings);
  void skip(const Reading& reading, std::string reason, std::string name);
  void add_group(std::span<Reading> group);
  std::vector<Built> build_all(std::span<Reading> group);
  Result<Built> build(const Reading& reading);
  void add_run(Built built);
  void refuse(const Reading& reading, std::string problem);

  Result<Digest> operation_of(const Reading& reading);
  Result<Digest> case_of(const Reading& reading, const Digest& operation);
  Result<Digest> implementation_of(const Reading& reading, const Digest& operation);
  Result<Shared*> protocol_of(const Reading& reading);
  Result<Shared*> environment_of(const Reading& reading);
  Status ensure_project(const Maker& maker);
  void note(const Reading& reading);

  bool distinct() const { return options_.mapping == Mapping::distinct; }

  const LigerOptions& options_;
  Report& report_;
  publish::Bundle bundle_;
  std::map<std::string, Digest> operations_;  // by slug
  std::map<std::string, Digest> cases_;       // by operation, axes, type and scalars
  std::map<std::string, Digest> implementations_;
  std::map<std::string, Shared> environments_;
  std::map<std::pair<bool, Pass>, Shared> protocols_;  // (is latency, pass)
  std::set<Digest> known_;                             // every object in the bundle but runs
  std::set<std::string> projects_;
};

}  // namespace ki::importer::liger
