#include "policy/assessment.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/result.h"
#include "base/text.h"

namespace ki::policy {
namespace {

constexpr std::string_view kStatusPrefix = "STATUS_";

// What each status but `passed` says of the output.
constexpr std::pair<std::string_view, std::string_view> kFailures[] = {
    {"incorrect_shape", "wrong output shape"},
    {"incorrect_dtype", "wrong output dtype"},
    {"incorrect_numerical", "wrong numbers"},
    {"compile_error", "did not compile"},
    {"runtime_error", "failed while running"},
    {"timeout", "did not finish in time"},
    {"resource_exceeded", "needed more memory or other resources than allowed"},
    {"invalid_reference", "the reference to compare with is not valid"},
    {"policy_violation", "broke a rule of its benchmark"},
    {"suspected_reward_hack", "suspected of cheating its benchmark"},
    {"incomplete_evidence", "the evidence is not complete"},
    {"revoked", "withdrawn by its source"},
};

std::string failure_text(std::string_view status) {
  const auto* found =
      std::ranges::find(kFailures, status, [](const auto& row) { return row.first; });
  return std::string(found == std::end(kFailures) ? status : found->second);
}

}  // namespace

// ---- eligibility

std::vector<std::string> eligibility(const RunState& state) {
  std::vector<std::string> codes;
  if (!state.published) codes.emplace_back("UNPUBLISHED");
  if (state.status != "passed") {
    codes.push_back(std::string(kStatusPrefix) + ascii_upper(state.status));
  }
  if (state.retracted) codes.emplace_back("RETRACTED");
  if (state.superseded) codes.emplace_back("SUPERSEDED");
  if (state.held) codes.emplace_back("HELD_FOR_REVIEW");
  if (!state.has_value) codes.emplace_back("MISSING_PRIMARY_METRIC");
  return codes;
}

std::string eligibility_text(std::string_view code) {
  if (code == "UNPUBLISHED") return "it is not published";
  if (code == "RETRACTED") return "it was retracted";
  if (code == "SUPERSEDED") return "a newer run of the same observation replaces it";
  if (code == "HELD_FOR_REVIEW") {
    return "it is faster than its machine can be by its own ceilings, and waits for review";
  }
  if (code == "MISSING_PRIMARY_METRIC") return "it states no value to rank by";
  if (code.starts_with(kStatusPrefix)) {
    const std::string status = ascii_lower(code.substr(kStatusPrefix.size()));
    return "it did not pass: " + failure_text(status);
  }
  return std::string(code);
}

// ---- evidence

std::string_view name_of(EvidenceLevel level) {
  switch (level) {
    case EvidenceLevel::reported:
      return "reported";
    case EvidenceLevel::reproducible:
      return "reproducible";
    case EvidenceLevel::verified:
      return "verified";
    case EvidenceLevel::replicated:
      return "replicated";
  }
  KI_UNREACHABLE();
}

std::optional<EvidenceLevel> parse_evidence_level(std::string_view name) {
  for (const auto level : {EvidenceLevel::reported, EvidenceLevel::reproducible,
                           EvidenceLevel::verified, EvidenceLevel::replicated}) {
    if (name_of(level) == name) return level;
  }
  return std::nullopt;
}

std::string_view meaning_of(EvidenceLevel level) {
  switch (level) {
    case EvidenceLevel::reported:
      return "as its source states it, not checked here";
    case EvidenceLevel::reproducible:
      return "source and raw evidence are public";
    case EvidenceLevel::verified:
      return "measured and signed by a runner that is approved here";
    case EvidenceLevel::replicated:
      return "two independent approved runners measured the same";
  }
  KI_UNREACHABLE();
}

EvidenceLevel evidence_level(const EvidenceFacts& facts) {
  if (facts.approved_runners >= 2) return EvidenceLevel::replicated;
  if (facts.approved_runners == 1) return EvidenceLevel::verified;
  if (facts.source_available && facts.has_raw_evidence) return EvidenceLevel::reproducible;
  return EvidenceLevel::reported;
}

// ---- deployability

std::vector<std::string> deployability(const DeployabilityFacts& facts) {
  std::vector<std::string> codes;
  if (!facts.source_available) codes.emplace_back("NO_PUBLIC_SOURCE");
  if (!facts.installable) codes.emplace_back("NO_INSTALL_RECIPE");
  if (!facts.licence_known) codes.emplace_back("LICENSE_UNKNOWN");
  return codes;
}

std::string deployability_text(std::string_view code) {
  if (code == "NO_PUBLIC_SOURCE") return "no public source is stated";
  if (code == "NO_INSTALL_RECIPE") return "no install recipe is stated";
  if (code == "LICENSE_UNKNOWN") return "its licence is not known";
  return std::string(code);
}

// ---- age

bool is_stale(Instant now, Instant observed) { return now - observed > kStaleAfter; }

// ---- caveats

std::vector<std::string> caveats(const CaveatFacts& facts) {
  std::vector<std::string> out;
  if (facts.source_kind == "illustrative") out.emplace_back("Illustrative data, not a measurement");
  if (facts.role == "baseline") out.emplace_back("Reference implementation of the operation");
  if (facts.level && *facts.level < EvidenceLevel::verified) {
    out.emplace_back("Not reproduced independently");
  }
  if (!facts.source_available) out.emplace_back("No public source");
  if (!facts.licence_known) out.emplace_back("Licence unknown");
  return out;
}

}  // namespace ki::policy
