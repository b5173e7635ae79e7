// What may be said about a run or an implementation besides its numbers: whether it may be ranked,
// how far it can be trusted, whether it can be used, whether it is old. Pure policies over plain
// facts; each gives its reasons as stable codes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace ki::policy {

// ---- eligibility: may it be ranked?

struct RunState {
  std::string_view status = "passed";
  bool published = true;
  bool retracted = false;
  bool superseded = false;  // a published run supersedes it
  bool held = false;        // for review: it is not plausible
  bool has_value = true;
};

// UNPUBLISHED, STATUS_<status in upper case>, RETRACTED, SUPERSEDED, HELD_FOR_REVIEW,
// MISSING_PRIMARY_METRIC, in that order; empty: eligible.
std::vector<std::string> eligibility(const RunState& state);

// One sentence for an eligibility code; the code itself when it is none of them.
std::string eligibility_text(std::string_view code);

// ---- evidence: how far can it be trusted?

// In rising order, so that a minimum is a comparison.
enum class EvidenceLevel { reported, reproducible, verified, replicated };

std::string_view name_of(EvidenceLevel level);  // "reported"
std::optional<EvidenceLevel> parse_evidence_level(std::string_view name);
// One phrase for people.
std::string_view meaning_of(EvidenceLevel level);

struct EvidenceFacts {
  // Independent approved runners behind it, its own first: what vouch() (trust.h) finds. 0, 1, or 2
  // for more.
  std::int64_t approved_runners = 0;
  bool source_available = false;  // frozen with the run
  bool has_raw_evidence = false;
};

// The one definition of a level; everything that shows, filters or counts levels asks here.
EvidenceLevel evidence_level(const EvidenceFacts& facts);

// ---- deployability: could I use it?

inline constexpr std::string_view kDeployabilityPolicy = "deployability-v1";

struct DeployabilityFacts {
  bool source_available = false;
  bool installable = false;
  bool licence_known = false;  // a conclusion exists
};

// NO_PUBLIC_SOURCE, NO_INSTALL_RECIPE, LICENSE_UNKNOWN, in that order; empty: deployable. It
// explains and filters, it never moves a rank.
std::vector<std::string> deployability(const DeployabilityFacts& facts);
std::string deployability_text(std::string_view code);

// ---- age

inline constexpr std::chrono::days kStaleAfter{180};

// Observed more than kStaleAfter ago; exactly that long is not stale. Display only.
bool is_stale(Instant now, Instant observed);

// ---- caveats of a row, in the order they are shown

struct CaveatFacts {
  std::string_view source_kind{};  // "illustrative" matters
  std::string_view role{};         // "baseline" matters
  std::optional<EvidenceLevel> level;
  bool source_available = false;
  bool licence_known = false;
};

std::vector<std::string> caveats(const CaveatFacts& facts);

}  // namespace ki::policy
