// Rows of the catalog: what runners signed, and which runners are believed.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

// A signed statement about runs.
struct SignedStatementRow {
  static constexpr std::string_view kTable = "signed_statement";
  std::string digest{};
  std::string key_id{};
  std::string machine{};
  std::string protocol{};
  std::string envelope{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("digest", &SignedStatementRow::digest);
    v("key_id", &SignedStatementRow::key_id);
    v("machine", &SignedStatementRow::machine);
    v("protocol", &SignedStatementRow::protocol);
    v("envelope", &SignedStatementRow::envelope);
    v("created_at", &SignedStatementRow::created_at);
  }
};

// A run that a statement names; follows from its envelope.
struct SignedRunRow {
  static constexpr std::string_view kTable = "signed_run";
  std::string run_digest{};
  std::string statement_digest{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("run_digest", &SignedRunRow::run_digest);
    v("statement_digest", &SignedRunRow::statement_digest);
  }
};

// An approval of a runner's key, or its revocation.
struct RunnerEventRow {
  static constexpr std::string_view kTable = "runner_event";
  std::string id{};
  std::string action{};
  std::string key_id{};
  std::string actor{};
  std::string reason{};
  std::string at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &RunnerEventRow::id);
    v("action", &RunnerEventRow::action);
    v("key_id", &RunnerEventRow::key_id);
    v("actor", &RunnerEventRow::actor);
    v("reason", &RunnerEventRow::reason);
    v("at", &RunnerEventRow::at);
  }
};
inline constexpr std::string_view kApprove = "approve";
inline constexpr std::string_view kRevoke = "revoke";

}  // namespace ki::catalog
