// What follows from the evidence of a cohort: which runs stand, who holds the record, since when.
// derive_cohort() is pure and the one definition; publish() and corrections store what it says,
// verify() compares.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "catalog/derived.h"
#include "catalog/ledger.h"
#include "catalog/rows_object.h"
#include "publish/bundle.h"

namespace ki::publish {

// The events have no id, created_at and policy_version: those are the store's business.
catalog::CohortState derive_cohort(const catalog::CohortEvidence& evidence);

// The words an operation is found by, each with the field it stands in, in the order they are
// stored: lower case, split at everything but letters and digits.
std::vector<catalog::SearchTermRow> derive_search_terms(const catalog::OperationRow& operation,
                                                        const std::vector<std::string>& aliases,
                                                        const std::vector<std::string>& tags);

struct RefreshOptions {
  Instant now;
  std::string actor;
  const std::vector<RecordEventPreset>* presets = nullptr;
};

struct RefreshReport {
  std::int64_t new_events = 0;
  std::int64_t rewritten_events = 0;  // stored before, now different or gone
};

// Rebuilds the derived rows of these cohorts inside the caller's transaction. Events that stay keep
// their ids; where stored events change or go, the log notes it.
Result<RefreshReport> refresh_cohorts(catalog::Ledger& ledger,
                                      const std::set<std::string>& comparison_keys,
                                      const RefreshOptions& options);

// Rebuilds what follows from these operations, by id: their search terms and equivalence keys.
Status refresh_operations(db::Connection& connection, const std::set<std::string>& operation_ids);

// The run that holds the record of a cohort.
Result<std::optional<std::string>> holder_of(db::Connection& connection,
                                             std::string_view comparison_key);

}  // namespace ki::publish
