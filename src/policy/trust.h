// Who is believed. A level above `reproducible` follows from signatures: of runners whose keys this
// catalog's operator approved, under protocols that are approved here. Pure; docs/method/trust.md
// tells the rules and their reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/facts.h"

namespace ki::policy {

inline constexpr std::string_view kTrustPolicy = "trust-v1";

// ---- protocols

// A way of measuring that a signed run may rest on.
struct ApprovedProtocol {
  std::string_view name;  // as a runner signs it
  std::string_view why;
};
std::span<const ApprovedProtocol> approved_protocols();
bool is_approved_protocol(std::string_view name);

// ---- agreement of two figures that were measured apart

// Two medians further apart than this do not agree. Sessions of one kernel on one quiet machine are
// within a hundredth or two; a twentieth is where ki stops to speak of evidence.
inline constexpr double kAgreementMax = 0.05;

struct Figure {
  double value = 0;                    // above 0
  std::optional<Interval> confidence;  // declared 95 %
  std::optional<Interval> spread;      // p20 to p80, taken where there is no confidence
};

enum class Agreement { agrees, differs, unclear };
std::string_view name_of(Agreement agreement);

struct Compared {
  Agreement verdict = Agreement::unclear;
  double ratio = 1;                // measured / claimed
  std::optional<Interval> bounds;  // of the ratio; nullopt: the spread of one is unknown
};

// The interval of the ratio is that of two independent estimates: their distances on the scale of
// the logarithm, added as squares. `differs`: it lies beyond 1/(1 + kAgreementMax) to 1 +
// kAgreementMax; `agrees`: the ratio itself lies within, and the interval does not reach out of it
// on both sides; else `unclear`, as where a spread is unknown.
Compared compare_figures(const Figure& claimed, const Figure& measured);

// ---- who vouches for a run

// A signature under a run that stands. Borrows its texts for the call only.
struct Signature {
  std::string_view run;
  std::string_view implementation;
  std::string_view statement;
  std::string_view key;
  std::string_view machine;
  std::string_view protocol;
  bool key_approved = false;
  std::optional<Figure> figure;
};

// A run that an approved runner signed under an approved protocol.
struct Vouched {
  std::string_view run;
  std::string_view statement;  // that of the lowest digest, or of the agreement
  std::string_view key;
  std::string_view agreeing;  // the run of an independent approved runner that agrees; "" = none
  // Independent approved runners behind it: its own, and whether there is another.
  std::int64_t runners() const { return agreeing.empty() ? 1 : 2; }
};

// Of the signatures of one cohort, in any order; the result is in the order of the runs. Runners
// are independent when both their keys and their machines differ.
std::vector<Vouched> vouch(std::span<const Signature> signatures);

// ---- why a run has its level

struct SignatureState {
  bool key_known = false;     // somebody approved the key once
  bool key_approved = false;  // and that holds
  bool protocol_approved = false;
};

// SIGNED_BY_APPROVED_RUNNER, AGREES_INDEPENDENTLY, NO_INDEPENDENT_RUN; or NOT_SIGNED, NOT_STANDING,
// RUNNER_NOT_APPROVED, RUNNER_REVOKED, PROTOCOL_NOT_APPROVED.
struct TrustFacts {
  std::vector<SignatureState> signatures;
  bool stands = false;
  bool agrees = false;  // an independent approved runner's run does
};
std::vector<std::string> trust_reasons(const TrustFacts& facts);
// One sentence for such a code.
std::string trust_text(std::string_view code);

}  // namespace ki::policy
