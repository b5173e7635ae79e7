#include "query/requirements.h"

#include <algorithm>

#include "base/text.h"

namespace ki::query {
namespace {

// Calls `sink(field, requested, observed)` for each that fails; the texts are functions, so that
// those who only ask whether there is one never pay for them.
template <class Sink>
void each_failure(const Facets& facets, const Offered& offered, Sink sink) {
  const auto yes = [] { return std::string("true"); };
  const auto no = [] { return std::string("false"); };
  if (facets.trust && offered.level < *facets.trust) {
    sink(
        "trust", [&] { return std::string(policy::name_of(*facets.trust)); },
        [&] {
          return std::string(offered.cohort == nullptr ? "none" : policy::name_of(offered.level));
        });
  }
  if (facets.license && !facets.license->accepts(offered.licence)) {
    sink(
        "license", [&] { return facets.license->requested; },
        [&] { return offered.licence.value_or("unknown"); });
  }
  if (facets.source.value_or(false) && !offered.source_available) sink("source", yes, no);
  if (facets.installable.value_or(false) && !offered.installable) sink("installable", yes, no);
  const auto version = [&](std::string_view field, const std::optional<policy::Versions>& asked,
                           std::string_view stated) {
    if (!asked || asked->hold(stated)) return;
    sink(
        field, [&] { return asked->requested; },
        [&] { return stated.empty() ? std::string("unknown") : std::string(stated); });
  };
  const CohortInfo* const cohort = offered.cohort;
  version("frameworkVersion", facets.framework_version,
          cohort == nullptr ? std::string_view{} : cohort->setting->framework_version);
  version("toolkitVersion", facets.toolkit_version,
          cohort == nullptr ? std::string_view{} : cohort->setting->toolkit_version);
}

}  // namespace

Offered offered(const OperationSnapshot& snapshot, const RunInfo& run) {
  const catalog::ImplementationLine& line = snapshot.implementations[run.implementation].line;
  return {.licence = line.license_expression,
          .source_available = line.source_available,
          .installable = line.installable,
          .level = run.level,
          .cohort = &snapshot.cohorts[run.cohort]};
}

Offered offered(const OperationSnapshot& snapshot, const CohortInfo& cohort, const Tally& tally) {
  const catalog::ImplementationLine& line = snapshot.implementations[tally.implementation].line;
  return {.licence = line.license_expression,
          .source_available = line.source_available,
          .installable = line.installable,
          .level = tally.level,
          .cohort = &cohort};
}

Offered offered(const Unmeasured& unmeasured) {
  const Row& row = unmeasured.row;
  return {.licence = row.license.concluded,
          .source_available = row.source_available,
          .installable = row.installable};
}

bool meets_requirements(const Facets& facets, const Offered& offered) {
  if (!facets.requires_anything()) return true;
  bool met = true;
  each_failure(facets, offered, [&](std::string_view, auto, auto) { met = false; });
  return met;
}

std::vector<Mismatch> failed_requirements(const Facets& facets, const Offered& offered) {
  std::vector<Mismatch> out;
  if (!facets.requires_anything()) return out;
  each_failure(facets, offered, [&](std::string_view field, auto requested, auto observed) {
    out.push_back({.field = std::string(field), .requested = requested(), .observed = observed()});
  });
  return out;
}

std::vector<std::string_view> failed_fields(const Facets& facets, const Offered& offered) {
  std::vector<std::string_view> out;
  if (!facets.requires_anything()) return out;
  each_failure(facets, offered, [&](std::string_view field, auto, auto) { out.push_back(field); });
  return out;
}

std::vector<Reason> blocked_by(const Row& row, const std::vector<Mismatch>& failed) {
  std::vector<Reason> out;
  for (const auto& code : row.deployability_reasons) {
    out.push_back({.code = code, .text = policy::deployability_text(code)});
  }
  for (const Mismatch& one : failed) {
    // Those two are said above, as what the implementation lacks.
    if (one.field == "source" || one.field == "installable") continue;
    out.push_back({.code = "REQUIRED_" + ascii_upper(one.field),
                   .text = one.field + " " + one.requested + " is required, it has " +
                           excerpt(one.observed)});
  }
  return out;
}

}  // namespace ki::query
