// The one way in. Importers, the API and the CLI all call this, nothing else writes evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "publish/bundle.h"

namespace ki::publish {

enum class Action {
  insert,
  exists,
  pending
};  // pending: a run whose implementation or workload is not known yet

struct Outcome {
  std::string
      entity;  // project, operation, workload, implementation, protocol, environment, run, ...
  std::string name;
  std::string digest;  // "" for projects known by slug only
  Action action{};
};

struct Options {
  std::string actor = "local";  // who publishes, for the audit row: see check_actor()
  bool dry_run = false;         // everything is checked and reported, then rolled back
  // Where an error is about one object of the bundle, that object: without it the rest may do.
  std::optional<Digest>* at_fault = nullptr;
};

struct Report {
  std::vector<Outcome> outcomes;
  std::int64_t inserted = 0;
  std::int64_t existing = 0;
  std::int64_t pending = 0;              // runs of this bundle that are pending evidence now
  std::int64_t completed = 0;            // pending runs that this bundle completed
  std::int64_t superseded = 0;           // older runs of the same upstream observation
  std::int64_t corrections = 0;          // of the bundle that are new
  std::int64_t record_events = 0;        // derived events that are new
  bool changed = false;                  // whether the catalog differs from before (or would)
  std::vector<std::string> ambiguities;  // e.g. a correction that cannot be taken over
};

// One transaction: validates again, resolves references by digest, inserts what is missing, keeps
// runs with unknown references as pending evidence and completes pending ones this bundle makes
// complete, derives keys and record events, refreshes the search terms, writes the audit row.
// Publishing the same bundle again inserts nothing. Errors leave the catalog as it was.
//
// Errors: Code::conflict for an operation slug taken by another digest; Code::invalid for a
// protocol or environment that does not have the digest its run names, a run that passed without a
// primary value, an implementation whose project is unknown, an actor or a file name that is not
// UTF-8 or empty; Code::unavailable for storage.
Result<Report> publish(catalog::Catalog& catalog, const Bundle& bundle, const Clock& clock,
                       const Options& options = {});

}  // namespace ki::publish
