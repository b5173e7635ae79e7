// What an answer must satisfy to be used: trust, licence, source, installation, versions. Rows that
// do not are left out and say why; what is compared, and every rank, stays the same. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/assessment.h"
#include "query/model_row.h"
#include "query/request.h"
#include "query/snapshot.h"

namespace ki::query {

struct Offered {
  const std::optional<std::string>& licence;  // as concluded
  bool source_available = false;
  bool installable = false;
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;
  const CohortInfo* cohort = nullptr;  // nullptr: never measured, so no version is known
};
Offered offered(const OperationSnapshot& snapshot, const RunInfo& run);
// Of runs of a cohort that are counted together.
Offered offered(const OperationSnapshot& snapshot, const CohortInfo& cohort, const Tally& tally);
Offered offered(const Unmeasured& unmeasured);

bool meets_requirements(const Facets& facets, const Offered& offered);

// Each requirement that fails: trust, license, source, installable, frameworkVersion,
// toolkitVersion, in this order.
std::vector<Mismatch> failed_requirements(const Facets& facets, const Offered& offered);

// The field of each, without texts.
std::vector<std::string_view> failed_fields(const Facets& facets, const Offered& offered);

// Why a row is not deployable or not allowed by the request, for people.
std::vector<Reason> blocked_by(const Row& row, const std::vector<Mismatch>& failed);

}  // namespace ki::query
