// `ki verify-run`: one stored run measured again. What can be repeated here is found by digest: the
// operation, the case, the protocol and its pass, the kernel. The verdict needs an identical
// environment and implementation; with anything else the measured figure stands as a run of its
// own, and what differs first is named.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "json/value.h"
#include "policy/trust.h"
#include "runner/session.h"

namespace ki::evidence {

// A stored run as far as it is repeated. Manifests are JSON.
struct StoredRun {
  std::string id;
  std::string digest;
  std::string status;
  std::string workload_digest;
  std::string workload;
  std::string operation_slug;
  std::string implementation;
  std::string implementation_slug;
  std::string protocol_digest;
  std::string protocol;
  std::string environment_digest;
  std::string environment;
  std::optional<policy::Figure> figure;  // latency in ns; nullopt: it states none
};

// By id or digest. Errors: Code::not_found for a run that is not there or not published.
Result<StoredRun> load_run(catalog::Catalog& catalog, std::string_view run);

// Why nothing can be said, or nothing measured: OPERATION_NOT_IN_SUITE, PROTOCOL_NOT_KNOWN,
// CASE_NOT_KNOWN, PROVIDER_ABSENT, NO_FIGURE; after measuring also IMPLEMENTATION_DIFFERS,
// ENVIRONMENT_DIFFERS, NOT_MEASURED, SPREAD_TOO_WIDE.
struct Obstacle {
  std::string code;
  std::string text;
};

// What has to be measured.
struct RepeatPlan {
  runner::Request request;  // without version and program
  std::string kernel;       // its name: "native", "torch-tuned"
};

// `libraries` are shared objects that may hold the kernel. Errors: those of decoding what is
// stored.
Result<std::expected<RepeatPlan, Obstacle>> plan_repeat(const StoredRun& run,
                                                        const std::vector<std::string>& libraries);

// "path: A there, B here" of the first member in which two documents differ, in the order of the
// first; "" when they are equal.
std::string first_difference(const json::Value& there, const json::Value& here);

struct RepeatVerdict {
  std::optional<policy::Compared> compared;  // where the two may be compared
  std::optional<Obstacle> obstacle;          // else, or as well where the spread is too wide
  std::optional<double> measured_ns;
  std::string measured_run;  // digest; "" = none was made
  // agrees, differs, cannot
  std::string_view word() const;
};

// What the evidence of the repetition says about the run.
Result<RepeatVerdict> judge_repeat(const StoredRun& run, const RepeatPlan& plan,
                                   const runner::Evidence& evidence);

// Takes the evidence into the catalog and files the attestation with it, of this kind: reproduced,
// could_not_reproduce or environment_note. Returns its id.
struct Filing {
  std::string_view encoded;
  std::string_view file;
  std::string_view actor;
};
Result<std::string> file_repeat(catalog::Catalog& catalog, const StoredRun& run,
                                const RepeatVerdict& verdict, const Filing& filing,
                                const Clock& clock);

}  // namespace ki::evidence
