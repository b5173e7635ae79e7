// Who signed which runs, and which runners are approved, as it is stored. What follows from it is
// derived (publish/derive.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows_derived.h"
#include "catalog/rows_trust.h"

namespace ki::catalog {

Result<bool> has_statement(db::Connection& connection, std::string_view digest);
Result<bool> has_runner_event(db::Connection& connection, std::string_view id);
// The newest event of a key: how it stands. nullopt: nobody ever decided.
Result<std::optional<RunnerEventRow>> runner_state(db::Connection& connection,
                                                   std::string_view key_id);

// Comparison keys of the runs that a key signed.
Result<std::set<std::string>> cohorts_signed_by(db::Connection& connection,
                                                std::string_view key_id);
// The comparison key of a run; nullopt: there is none of that digest.
Result<std::optional<std::string>> cohort_of_run(db::Connection& connection,
                                                 std::string_view run_digest);
// The runs that a statement names, as stored, in order.
Result<std::vector<std::string>> signed_runs(db::Connection& connection,
                                             std::string_view statement_digest);

// A signature under one run, and how its key stands.
struct RunSignature {
  std::string statement_digest;
  std::string key_id;
  std::string machine;
  std::string protocol;
  std::string action;  // of the newest event of the key; "" = none
};
Result<std::vector<RunSignature>> signatures_of(db::Connection& connection,
                                                std::string_view run_digest);
// A signature under a run, and whether its key is approved as the catalog stands.
struct CohortSignature {
  std::string run_id{};
  std::string statement_digest{};
  std::string key_id{};
  std::string machine{};
  std::string protocol{};
  bool approved = false;
};
// By run and statement.
Result<std::vector<CohortSignature>> cohort_signatures(db::Connection& connection,
                                                       std::string_view comparison_key);
// nullopt: it does not stand, or no approved runner signed it.
Result<std::optional<RunTrustRow>> trust_of(db::Connection& connection, std::string_view run_id);
// Independent approved runners behind a run: 0, 1, or 2 for more.
Result<std::int64_t> approved_runners(db::Connection& connection, std::string_view run_id);

// A key that signed something here or that somebody decided about.
struct RunnerLine {
  std::string key_id;
  std::string machines;  // digests, by comma
  std::int64_t runs = 0;
  std::string action;  // of the newest event; "" = none
};
inline constexpr std::int64_t kRunnersMax = 1000;
// By key.
Result<std::vector<RunnerLine>> list_runners(db::Connection& connection);
inline constexpr std::int64_t kRunnerEventsMax = 10'000;
// All decisions about runners, by key, oldest first; the newest where there are more.
Result<std::vector<RunnerEventRow>> runner_events(db::Connection& connection);

}  // namespace ki::catalog
