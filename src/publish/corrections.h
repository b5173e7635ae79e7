// Corrections of published runs. Nothing is deleted: each adds a row that says who, why and when,
// and an audit row; what follows from it (standings, records, cohorts) is rebuilt in the same
// transaction, and every one of them can be undone.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/ledger.h"
#include "catalog/rows_correction.h"
#include "catalog/rows_run.h"
#include "catalog/rows_source.h"

namespace ki::publish {

inline constexpr std::size_t kReasonMin = 3;  // characters, as UTF-16 counts them
inline constexpr std::size_t kReasonMax = 2000;
inline constexpr std::size_t kReasonBytesMax = 3 * kReasonMax;  // what they take in UTF-8
inline constexpr std::size_t kActorMax = 200;

// Who publishes or corrects: 1 to kActorMax bytes of UTF-8. Errors: Code::invalid at "actor".
Status check_actor(std::string_view actor);

struct Justification {
  std::string actor;   // who corrects: see check_actor()
  std::string reason;  // for readers, kReasonMin to kReasonMax characters after trimming
};

// Errors: Code::invalid at "actor" or "reason".
Status check_justification(const Justification& why);

struct CorrectionReport {
  std::string correction_id;
  std::string run_id;
  std::string comparison_key;
  std::string holder_run_id;  // who leads the cohort now, "" = nobody
};

// Runs are named by id or by digest. Errors of all three: Code::not_found for a run that is not
// there, Code::invalid for a bad actor or reason, Code::unavailable for storage; and

// takes a run out of every ranking. Code::conflict when it is unpublished or already retracted.
Result<CorrectionReport> retract(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock);

// undoes the retraction of a run, or else its supersession. Code::conflict when there is neither.
Result<CorrectionReport> restore(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock);

// ends the review of a run that publish() held because it is not plausible: it stands from now on,
// in its place in the history. Code::conflict when it is not held, or was rejected.
Result<CorrectionReport> release(catalog::Catalog& catalog, std::string_view run,
                                 const Justification& why, const Clock& clock);

// retracts a run that is held. Code::conflict when it is not held, or is retracted already.
Result<CorrectionReport> reject(catalog::Catalog& catalog, std::string_view run,
                                const Justification& why, const Clock& clock);

struct Supersession {
  std::string run_id;        // the newer run
  std::string older_run_id;  // the one that it replaces in rankings
};

// puts one run in the place of another of the same observation: one workload, one provider (slug
// and project, at any revision), one product, one family of protocols and one timed pass. Both are
// named by id or by digest. Code::invalid when they are the same run or differ in one of these;
// Code::conflict when the newer is unpublished, retracted, or supersedes another already, when the
// older is superseded already, or when it would close a circle.
Result<CorrectionReport> supersede(catalog::Catalog& catalog, const Supersession& pair,
                                   const Justification& why, const Clock& clock);

// Adds the rows of a supersession whose conditions the caller has checked, inside the caller's
// transaction; the derived rows are the caller's too.
Status record_supersession(catalog::Ledger& ledger, const Supersession& pair, Instant at,
                           const Justification& why);

// Whether a correction can be made as the run stands now: a published run that is not retracted, a
// run that there is something to restore of, one that is held or is not, or a run in the place of
// an older one (`older`) that nothing supersedes, without a circle; the two of one observation, as
// supersede() has it or as their source says by one external id. Errors: those of retract, restore
// and supersede.
Status check_applies(db::Connection& connection, std::string_view action,
                     const catalog::RunRow& run, const catalog::RunRow* older);

// Adds a correction that applies, and notes it for the log, inside the caller's transaction.
Status record_correction(catalog::Ledger& ledger, const catalog::CorrectionRow& row);

// The audit row that stands beside a correction.
catalog::AuditRow audit_row(const catalog::CorrectionRow& row);

}  // namespace ki::publish
