#include "api/contribute.h"

#include "api/answering.h"
#include "catalog/catalog.h"
#include "catalog/lookup.h"
#include "catalog/update.h"
#include "publish/attestations.h"
#include "publish/corrections.h"
#include "query/codes.h"

namespace ki::api {
namespace {

Result<catalog::Catalog> writable(const Serving& serving) {
  return catalog::Catalog::open(serving.database, *serving.clock, {.mode = db::Mode::read_write});
}

// Runs that are not there have a code of their own.
Error told(Error error) {
  if (error.code == Code::not_found) {
    error.message += ": " + error.where;
    error.where = query::kRunNotFound;
  }
  return error;
}

Issues wrong(std::string pointer, std::string code, std::string message) {
  return {{.code = std::move(code),
           .message = std::move(message),
           .pointer = std::move(pointer),
           .file = {},
           .place = {}}};
}

Issues faults_of(const CorrectionRequest& request) {
  const bool pair = request.action == catalog::kSupersede;
  if (!pair && request.action != catalog::kRetract && request.action != catalog::kRestore) {
    return wrong("/action", "not_one_of", "must be retract, restore or supersede");
  }
  if (pair && !request.supersedes_run_id) {
    return wrong("/supersedesRunId", "missing", "supersede needs the run that is superseded");
  }
  if (pair && *request.supersedes_run_id == request.run_id) {
    return wrong("/supersedesRunId", "not_different", "a run cannot supersede itself");
  }
  if (!pair && request.supersedes_run_id) {
    return wrong("/supersedesRunId", "unexpected", "only supersede takes a second run");
  }
  const publish::Justification why{.actor = "-", .reason = request.reason};
  if (const Status sound = publish::check_justification(why); !sound) {
    return wrong("/reason", "out_of_range", sound.error().message);
  }
  return {};
}

Result<publish::CorrectionReport> corrected(catalog::Catalog& catalog,
                                            const CorrectionRequest& request,
                                            const std::string& actor, const Clock& clock) {
  const publish::Justification why{.actor = actor, .reason = request.reason};
  if (request.action == catalog::kRetract) {
    return publish::retract(catalog, request.run_id, why, clock);
  }
  if (request.action == catalog::kRestore) {
    return publish::restore(catalog, request.run_id, why, clock);
  }
  return publish::supersede(
      catalog, {.run_id = request.run_id, .older_run_id = *request.supersedes_run_id}, why, clock);
}

Result<Filed> filed(const Serving& serving, const std::string& run,
                    const AttestationRequest& request, const std::string& author) {
  auto catalog = TRY(writable(serving));
  const publish::Attestation attestation{.type = request.type,
                                         .body = request.body,
                                         .evidence_url = request.evidence_url,
                                         .observed_ns = request.observed_ns,
                                         .environment_summary = request.environment_summary};
  Filed out;
  out.attestation_id = TRY(publish::attest(catalog, run, attestation, author, *serving.clock));
  const auto id = TRY(catalog::find_run(catalog.connection(), run));
  out.run_id = id ? id->id : run;
  return out;
}

// The member that is wrong, of which the error names it; too many of a day are no member's fault.
http::Problem not_an_attestation(const Error& error) {
  auto problem = http::make_problem(422, "INVALID_ATTESTATION", error.where + ": " + error.message);
  if (error.code == Code::invalid) {
    problem.errors.push_back(
        {.pointer = "/" + error.where, .code = "invalid_value", .detail = error.message});
  }
  return problem;
}

}  // namespace

Answer attest(const Serving& serving, const Arguments& arguments, const auth::Admission& by) {
  const auto request = read_body<AttestationRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  auto done = filed(serving, arguments.text("idOrDigest"), *request, by.key.name);
  if (!done && (done.error().code == Code::invalid || done.error().code == Code::denied)) {
    return std::unexpected(not_an_attestation(done.error()));
  }
  if (!done) return std::unexpected(http::problem_of(told(std::move(done.error()))));
  return json::to_json(*done);
}

Answer revalidate(const Serving& serving, const Arguments&, const auth::Admission&) {
  serving.cache->clear();
  return json::to_json(Revalidated{.at = to_iso(serving.clock->now())});
}

Answer correct(const Serving& serving, const Arguments& arguments, const auth::Admission& by) {
  const auto request = read_body<CorrectionRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  auto catalog = writable(serving);
  if (!catalog) return std::unexpected(http::problem_of(catalog.error()));
  auto done = corrected(*catalog, *request, by.key.name, *serving.clock);
  if (!done && done.error().code == Code::invalid) {  // two runs that are no older and newer one
    return std::unexpected(
        http::problem_of(wrong("/supersedesRunId", "invalid_value", done.error().message)));
  }
  if (!done) return std::unexpected(http::problem_of(told(std::move(done.error()))));
  Corrected out;
  out.correction_id = done->correction_id;
  if (!done->holder_run_id.empty()) out.new_leader_run_id = done->holder_run_id;
  if (request->action == catalog::kRetract) out.retracted = true;
  if (request->action == catalog::kRestore) out.restored = true;
  if (request->action == catalog::kSupersede) out.superseded = true;
  return json::to_json(out);
}

}  // namespace ki::api
