// The audit log, and what it vouches for. Each of its rows carries the tally of every table of
// evidence (how many rows, and the sum of their digests) and a digest over itself and the row
// before, so that a row of evidence or of the log that is changed, taken out or put in by somebody
// who does not write all of it anew is seen. docs/formats/database.md says how they are computed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "catalog/rows_correction.h"
#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "catalog/rows_source.h"

namespace ki::catalog {

// Rows and the sum of their digests, as numbers modulo 2^256: the order of rows does not matter,
// and a row can be taken out again.
struct Tally {
  std::int64_t rows = 0;
  std::array<std::uint64_t, 4> sum{};  // the least significant word first
  bool operator==(const Tally&) const = default;

  void add(const Digest& row);
  void remove(const Digest& row);
};
std::string to_string(const Tally& tally);  // "3 rows 0f3a..."

// By table; those without rows are left out.
using Tallies = std::map<std::string, Tally, std::less<>>;
std::string to_json(const Tallies& tallies);
std::optional<Tallies> parse_tallies(std::string_view json);

// The digest of a row of a table, over its name and the values of its columns in their order.
Digest row_digest(std::string_view table, std::span<const db::Value> values);

template <class Row>
Digest row_digest(const Row& row) {
  std::array<db::Value, kColumnsMax> values;
  return row_digest(Row::kTable, values_of(row, values));
}

// What `row.digest` must be: over its other columns and the digest of the row before, "" = none.
std::string chain_digest(const AuditRow& row, std::string_view before);

// Counts every table of evidence anew.
Result<Tallies> recount(db::Connection& connection);

// The log while a transaction adds to it.
class Ledger {
 public:
  // Reads where the log stands, inside the caller's write transaction. Errors: Code::invalid when
  // its last row is damaged.
  static Result<Ledger> open(db::Connection& connection);

  db::Connection& connection() const { return connection_; }

  // Inserts a row of evidence and counts it.
  template <class Row>
  Status insert(const Row& row) {
    TRY(catalog::insert(connection_, row));
    add(row);
    return {};
  }
  // Counts a row that the caller inserted or removed.
  template <class Row>
  void add(const Row& row) {
    tallies_[std::string(Row::kTable)].add(row_digest(row));
  }
  template <class Row>
  void remove(const Row& row) {
    const auto tally = tallies_.find(Row::kTable);
    KI_CHECK(tally != tallies_.end());
    tally->second.remove(row_digest(row));
    if (tally->second.rows == 0) tallies_.erase(tally);
  }

  // Notes what the transaction did. The rows are written by write(): until then the evidence they
  // vouch for is not complete.
  void note(AuditRow row) { noted_.push_back(std::move(row)); }
  Status write();

  // Whether `log`, rows of the log of another catalog whose chain holds, begins with all of this
  // log.
  bool is_continued_by(const std::vector<AuditRow>& log) const;
  // Whether the last tally of such a log is that of the evidence that is counted here.
  bool ends_as(const std::vector<AuditRow>& log) const;
  // Writes the rest of such a log in the place of what was noted. Whether its last tally is the one
  // of the evidence that is here; else nothing is written.
  Result<bool> write_rest_of(const std::vector<AuditRow>& log);

 private:
  explicit Ledger(db::Connection& connection) : connection_(connection) {}
  db::Connection& connection_;
  std::int64_t sequence_ = 0;  // of the last row
  std::string digest_{};       // of the last row
  std::string tally_ = "{}";   // of the last row
  Tallies tallies_{};
  std::vector<AuditRow> noted_{};
};

}  // namespace ki::catalog
