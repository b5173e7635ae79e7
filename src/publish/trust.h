// Which runners this catalog believes. Approving a key or taking that back adds a row that says
// who, why and when, and an audit row; the levels that follow (policy/trust.h) are rebuilt in the
// same transaction. Nothing else raises a level: no importer, manifest, note or unknown signature.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/ledger.h"
#include "catalog/rows_trust.h"
#include "publish/corrections.h"

namespace ki::publish {

struct RunnerReport {
  std::string event_id;
  std::string key_id;
  std::int64_t cohorts = 0;  // rebuilt: those with a run that the key signed
};

// `key_id` is a digest, the SHA-256 of a public key; it need not have signed anything yet. Errors
// of both: Code::invalid for what is no digest or a bad actor or reason; Code::conflict when it is
// approved already, or there is no approval to revoke; Code::unavailable for storage.
Result<RunnerReport> approve_runner(catalog::Catalog& catalog, std::string_view key_id,
                                    const Justification& why, const Clock& clock);
Result<RunnerReport> revoke_runner(catalog::Catalog& catalog, std::string_view key_id,
                                   const Justification& why, const Clock& clock);

// What is wrong with an event that comes from another catalog. Errors: Code::invalid at the column.
Status check_runner_event(const catalog::RunnerEventRow& row);
// Adds one that is well formed, and notes it for the log, inside the caller's transaction.
Status record_runner_event(catalog::Ledger& ledger, const catalog::RunnerEventRow& row);
// The audit row that stands beside it.
catalog::AuditRow audit_row(const catalog::RunnerEventRow& row);

// The row of a statement, all of which follows from its envelope (JSON); with the runs it names.
// Errors: those of signing::open_statement().
struct StatementRows {
  catalog::SignedStatementRow statement;
  std::vector<catalog::SignedRunRow> runs;  // by digest, each once
};
Result<StatementRows> statement_rows(std::string_view envelope);

}  // namespace ki::publish
