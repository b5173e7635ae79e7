// What others found when they looked at a published run: a note that stands beside it. It never
// changes evidence, rank or level: those follow from measurements alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/ledger.h"
#include "catalog/rows_correction.h"

namespace ki::publish {

inline constexpr std::array<std::string_view, 4> kAttestationTypes = {
    "reproduced", "could_not_reproduce", "environment_note", "regression_observed"};
inline constexpr std::size_t kAttestationBytesMax = 2000;      // of the note, and of the address
inline constexpr std::size_t kAttestationSummaryMax = 200;     // bytes
inline constexpr std::int64_t kAttestationsPerAuthorMax = 20;  // in 24 hours

struct Attestation {
  std::string type{};                                // of kAttestationTypes
  std::string body{};                                // what was found: 1 to 2000 bytes, trimmed
  std::optional<std::string> evidence_url{};         // https
  std::optional<double> observed_ns{};               // a latency of one's own, above 0
  std::optional<std::string> environment_summary{};  // where it was seen
  // Signed evidence that the catalog holds: it is linked to the run as `verification`, and such an
  // attestation is not counted against its author. No client can state it.
  std::optional<Digest> evidence{};
};

inline constexpr std::string_view kVerification = "verification";  // role of an artifact

// Files it under an id that is returned. `author` is the name of who says it (check_actor()).
// Errors: Code::invalid at the member that is wrong, Code::denied when the author has filed
// kAttestationsPerAuthorMax in the last 24 hours, Code::not_found for a run that is not published
// or evidence that is not there.
Result<std::string> attest(catalog::Catalog& catalog, std::string_view run,
                           const Attestation& attestation, std::string_view author,
                           const Clock& clock);

// What is wrong with a stored one or one that comes from another catalog: the errors of attest()
// with Code::invalid.
Status check_attestation(const catalog::AttestationRow& row);

// Adds one that is well formed, and notes it for the log, inside the caller's transaction.
Status record_attestation(catalog::Ledger& ledger, const catalog::AttestationRow& row);

// The audit row that stands beside an attestation.
inline constexpr std::string_view kAttest = "attest";
catalog::AuditRow audit_row(const catalog::AttestationRow& row);

}  // namespace ki::publish
