// What a key may add over the API: notes on runs, and corrections. Each is one write to the
// catalog, which says who did it: the name of the key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/routes.h"

namespace ki::api {

// POST /runs/{idOrDigest}/attestations.
struct AttestationRequest {
  static constexpr std::string_view kWireName = "AttestationRequest";
  std::string type;
  std::string body;
  std::optional<std::string> evidence_url;
  std::optional<double> observed_ns;
  std::optional<std::string> environment_summary;
  template <class V>
  static void describe(V& v) {
    using R = AttestationRequest;
    v.field("type", &R::type,
            "reproduced, could_not_reproduce, environment_note or regression_observed");
    v.field("body", &R::body, "what was found, 1 to 2000 bytes");
    v.field("evidenceUrl", &R::evidence_url, "https", json::Presence::optional);
    v.field("observedNs", &R::observed_ns, "a latency of one's own", json::Presence::optional);
    v.field("environmentSummary", &R::environment_summary, "where it was seen, up to 200 bytes",
            json::Presence::optional);
  }
};

struct Filed {
  static constexpr std::string_view kWireName = "Filed";
  bool filed = true;
  std::string run_id;
  std::string attestation_id;
  template <class V>
  static void describe(V& v) {
    v.field("filed", &Filed::filed, "true");
    v.field("runId", &Filed::run_id, "");
    v.field("attestationId", &Filed::attestation_id, "");
  }
};

// POST /corrections.
struct CorrectionRequest {
  static constexpr std::string_view kWireName = "CorrectionRequest";
  std::string action;
  std::string run_id;
  std::optional<std::string> supersedes_run_id;
  std::string reason;
  template <class V>
  static void describe(V& v) {
    using R = CorrectionRequest;
    v.field("action", &R::action, "retract, restore or supersede");
    v.field("runId", &R::run_id, "id or digest of the run; of supersede, the newer one");
    v.field("supersedesRunId", &R::supersedes_run_id,
            "of supersede: the older run, of the same observation", json::Presence::optional);
    v.field("reason", &R::reason, "why, for the audit: 3 to 2000 characters");
  }
};

struct Corrected {
  static constexpr std::string_view kWireName = "Corrected";
  std::optional<bool> retracted;
  std::optional<bool> superseded;
  std::optional<bool> restored;
  std::optional<std::string> new_leader_run_id;
  std::string correction_id;
  template <class V>
  static void describe(V& v) {
    const auto done = json::Presence::optional;
    v.field("retracted", &Corrected::retracted, "true after a retraction", done);
    v.field("superseded", &Corrected::superseded, "true after a supersession", done);
    v.field("restored", &Corrected::restored, "true after a restoration", done);
    v.field("newLeaderRunId", &Corrected::new_leader_run_id,
            "who leads the comparison group of the run now; null: nobody");
    v.field("correctionId", &Corrected::correction_id, "");
  }
};

// POST /revalidate: drops the answers that are kept. Answers follow the catalog by themselves, so
// nothing needs this but clients that are used to it.
struct Revalidated {
  static constexpr std::string_view kWireName = "Revalidated";
  bool revalidated = true;
  std::string at;
  template <class V>
  static void describe(V& v) {
    v.field("revalidated", &Revalidated::revalidated, "true");
    v.field("at", &Revalidated::at, "");
  }
};
Answer revalidate(const Serving& serving, const Arguments& arguments, const auth::Admission& by);

// 201. A note that is not well formed, or one too many of a day, is 422 INVALID_ATTESTATION.
Answer attest(const Serving& serving, const Arguments& arguments, const auth::Admission& by);

// 200. What cannot be corrected so is 409.
Answer correct(const Serving& serving, const Arguments& arguments, const auth::Admission& by);

}  // namespace ki::api
