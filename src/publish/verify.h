// Recomputes what the catalog says from what it holds: every digest, key, derived column,
// measurement, reference, standing, record and search term, from the stored manifests; corrections
// from their audit rows, the tally of every table of evidence and the chain of the audit log, and
// the schema, with its triggers, from the migrations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace ki::publish {

inline constexpr std::size_t kFindingsMax = 1000;  // kept; all are counted

// One thing that is not as it follows from the evidence.
struct Finding {
  std::string entity;  // table: "run", ...; "schema", or "database" for damage to the file
  std::string id;      // of the row: its id, digest or comparison key; of the schema: a name
  // Column, or "row" when the whole row should not or should be there; "tally" when the rows of the
  // table are not those that the audit log counted; table, index or trigger of the schema.
  std::string field;
  std::string stored;
  std::string expected;
};

struct VerifyReport {
  std::map<std::string, std::int64_t> checked;  // rows looked at, by table
  std::vector<Finding> findings;                // at most kFindingsMax
  std::int64_t found = 0;                       // all of them
  // The end of the audit log: who noted it elsewhere sees whether the log was written anew since.
  // Absent when the tables are not those of this version, so that no row was read.
  std::optional<std::int64_t> log_rows{};
  std::string log_digest{};
};

// Called now and then with the number of rows checked so far.
using VerifyProgress = std::function<void(std::int64_t)>;

// Reads one snapshot of the catalog, a row at a time; memory does not grow with the catalog beyond
// its list of comparison keys. Writers are not held up. Errors: those of the storage only;
// whatever is wrong with the content is a finding.
Result<VerifyReport> verify(catalog::Catalog& catalog, const VerifyProgress& progress = {});

}  // namespace ki::publish
