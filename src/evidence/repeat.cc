#include "evidence/repeat.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_run.h"
#include "evidence/publish_evidence.h"
#include "json/read.h"
#include "json/write.h"
#include "kernels/manifest_text.h"
#include "kernels/provider.h"
#include "kernels/registry.h"
#include "manifest/manifest.h"
#include "policy/names.h"
#include "policy/ranking.h"
#include "publish/attestations.h"
#include "runner/cases.h"
#include "runner/evaluate.h"

namespace ki::evidence {
namespace {

using manifest::Manifest;

constexpr db::Sql kById{"row_by_id", "WHERE id = $1"};

Result<Manifest> decode(const std::string& text) {
  auto manifest = manifest::decode_json(text);
  if (!manifest) return std::unexpected(to_error(manifest.error()));
  return std::move(*manifest);
}

Result<std::string> digest_of(const std::string& text) {
  const Manifest manifest = TRY(decode(text));
  return to_string(manifest.digest());
}

std::unexpected<Obstacle> obstacle(const char* code, std::string text) {
  return std::unexpected(Obstacle{.code = code, .text = std::move(text)});
}

std::string text_at(const json::Value& value, std::string_view path) {
  const json::Value* at = &value;
  for (const std::string_view part : split(path, '.')) {
    at = at == nullptr ? nullptr : at->find(part);
  }
  return at != nullptr && at->is_string() ? std::string(at->string()) : "";
}

const kernels::Operation* operation_of(std::string_view spec_digest) {
  for (const kernels::Operation& one : kernels::operations()) {
    const auto digest = digest_of(kernels::operation_manifest(one));
    if (digest && *digest == spec_digest) return &one;
  }
  return nullptr;
}

struct Way {
  const runner::Protocol* protocol = nullptr;
  std::string pass;
};

std::optional<Way> way_of(std::string_view protocol_digest) {
  for (const runner::Protocol& one : runner::protocols()) {
    for (const char* pass : {"forward", "backward", "full"}) {
      const auto digest = digest_of(runner::manifest_of(one, pass));
      if (digest && *digest == protocol_digest) return Way{&one, pass};
    }
  }
  return std::nullopt;
}

// The job whose workload has this digest, of an operation's types and these axes.
std::optional<runner::Job> job_of(const kernels::Operation& operation, const json::Value& axes,
                                  std::string_view pass, const StoredRun& run) {
  runner::Job job;
  job.operation = operation.slug;
  job.pass = pass;
  for (const json::Member& member : axes.members()) {
    if (!member.value.is_number()) return std::nullopt;
    // Derived axes stand among the others in a manifest; a job states the variable ones.
    if (std::ranges::find(operation.axes, member.key) == operation.axes.end()) continue;
    job.axes[std::string(member.key)] = static_cast<std::int64_t>(member.value.number());
  }
  const auto spec = digest_of(kernels::operation_manifest(operation));
  for (const kernels::Dtype dtype : operation.dtypes) {
    job.dtype = kernels::name_of(dtype);
    const auto bound = runner::bind_job(job);
    if (!bound || !spec) continue;
    const auto digest = digest_of(kernels::workload_manifest(*bound, *spec, runner::kDistribution));
    if (digest && *digest == run.workload_digest) return job;
  }
  return std::nullopt;
}

// The built-in kernel of that name for the case, else whatever the libraries hold.
std::vector<runner::KernelName> candidates_of(const std::string& kernel,
                                              const kernels::Bound& bound,
                                              const std::vector<std::string>& libraries) {
  for (const ki_kernel* one : kernels::built_in_kernels()) {
    if (runner::name_of(one->provider, one->variant) == kernel && kernels::serves(*one, bound)) {
      return {{one->provider, one->variant, "", one->language}};
    }
  }
  std::vector<runner::KernelName> out;
  for (const std::string& file : libraries) out.push_back({"*", "", file, ""});
  return out;
}

std::string shown(const json::Value* value) {
  if (value == nullptr) return "nothing";
  std::string out;
  json::append_compact(out, *value);
  return excerpt(out);
}

std::string difference_at(const std::string& path, const json::Value* there,
                          const json::Value* here) {
  if (there == nullptr || here == nullptr || !there->is_object() || !here->is_object()) {
    std::string a;
    std::string b;
    if (there != nullptr) json::append_compact(a, *there);
    if (here != nullptr) json::append_compact(b, *here);
    if (a == b) return "";
    return path + ": " + shown(there) + " there, " + shown(here) + " here";
  }
  const auto deeper = [&](std::string_view key) {
    return path.empty() ? std::string(key) : path + '.' + std::string(key);
  };
  for (const json::Member& member : there->members()) {
    auto found = difference_at(deeper(member.key), &member.value, here->find(member.key));
    if (!found.empty()) return found;
  }
  for (const json::Member& member : here->members()) {
    if (there->find(member.key) != nullptr) continue;
    return difference_at(deeper(member.key), nullptr, &member.value);
  }
  return "";
}

// Of two manifests: of their specs, which alone are identity.
Result<std::string> spec_difference(const std::string& there, const std::string& here) {
  const Manifest a = TRY(decode(there));
  const Manifest b = TRY(decode(here));
  return first_difference(a.spec(), b.spec());
}

const std::string* manifest_with(const runner::Evidence& evidence, const std::string& digest) {
  for (const std::string& text : evidence.manifests) {
    const auto found = digest_of(text);
    if (found && *found == digest) return &text;
  }
  return nullptr;
}

// The first reason for which the repetition and the run may not be compared.
Result<std::optional<Obstacle>> not_comparable(const StoredRun& run,
                                               const runner::Evidence& evidence,
                                               const runner::Measured& measured) {
  const std::string* const environment =
      manifest_with(evidence, evidence.session.environment_digest);
  const std::string* const implementation = manifest_with(evidence, measured.implementation);
  if (environment == nullptr || implementation == nullptr) {
    return fail(Code::internal, "evidence without its manifests", evidence.session.id);
  }
  std::string differs = TRY(spec_difference(run.environment, *environment));
  if (!differs.empty()) {
    return std::optional(Obstacle{"ENVIRONMENT_DIFFERS", "the environment differs in " + differs});
  }
  differs = TRY(spec_difference(run.implementation, *implementation));
  if (!differs.empty()) {
    return std::optional(
        Obstacle{"IMPLEMENTATION_DIFFERS", "the implementation differs in " + differs});
  }
  return std::optional<Obstacle>();
}

}  // namespace

std::string_view RepeatVerdict::word() const {
  if (!compared || compared->verdict == policy::Agreement::unclear) return "cannot";
  return policy::name_of(compared->verdict);
}

Result<StoredRun> load_run(catalog::Catalog& catalog, std::string_view run) {
  db::Connection& connection = catalog.connection();
  auto found = TRY(catalog::find_run(connection, run));
  if (!found || !found->published_at) {
    return fail(Code::not_found, "there is no such published run", std::string(run));
  }
  const auto record = TRY(catalog::read_run(connection, std::move(*found)));
  const auto workload =
      TRY(catalog::find<catalog::WorkloadRow>(connection, kById, record.run.workload_id));
  const auto by = TRY(
      catalog::find<catalog::ImplementationRow>(connection, kById, record.run.implementation_id));
  const auto operation = TRY(catalog::find_operation_by_id(connection, record.run.operation_id));
  if (!workload || !by || !operation) {
    return fail(Code::internal, "what the run is about is missing", record.run.id);
  }
  const catalog::RunRow& row = record.run;
  StoredRun out{.id = row.id,
                .digest = row.run_digest,
                .status = row.status,
                .workload_digest = workload->workload_digest,
                .workload = workload->manifest,
                .operation_slug = operation->slug,
                .implementation = by->manifest,
                .implementation_slug = by->slug,
                .protocol_digest = row.protocol_key,
                .protocol = record.protocol,
                .environment_digest = row.environment_key,
                .environment = record.environment,
                .figure = std::nullopt};
  if (row.primary_value && row.primary_metric == "latency" && row.primary_unit == "ns") {
    out.figure = policy::Figure{
        .value = *row.primary_value,
        .confidence = policy::stated_interval(row.uncertainty_low, row.uncertainty_high),
        .spread = policy::stated_interval(row.spread_low, row.spread_high)};
  }
  return out;
}

Result<std::expected<RepeatPlan, Obstacle>> plan_repeat(const StoredRun& run,
                                                        const std::vector<std::string>& libraries) {
  using Planned = std::expected<RepeatPlan, Obstacle>;
  if (!run.figure || run.status != "passed") {
    return Planned(obstacle("NO_FIGURE", "the run states no latency to compare with"));
  }
  const Manifest workload = TRY(decode(run.workload));
  const kernels::Operation* const operation =
      operation_of(text_at(workload.spec(), "operationSpecDigest"));
  if (operation == nullptr) {
    return Planned(obstacle("OPERATION_NOT_IN_SUITE",
                            "the operation " + run.operation_slug +
                                ", as this catalog defines it, is not in the suite of ki bench"));
  }
  const auto way = way_of(run.protocol_digest);
  if (!way) {
    const Manifest protocol = TRY(decode(run.protocol));
    return Planned(obstacle("PROTOCOL_NOT_KNOWN", "its protocol (harness " +
                                                      text_at(protocol.spec(), "harness.name") +
                                                      ") is none that this program measures by"));
  }
  const json::Value* const axes = workload.spec().find("axes");
  const auto job = axes == nullptr ? std::nullopt : job_of(*operation, *axes, way->pass, run);
  if (!job) {
    return Planned(obstacle("CASE_NOT_KNOWN",
                            "its workload cannot be made here: other inputs, scalars, layout or "
                            "correctness than the suite has for these axes"));
  }
  const Manifest by = TRY(decode(run.implementation));
  const kernels::Bound bound = TRY(runner::bind_job(*job));
  RepeatPlan plan;
  plan.kernel = text_at(by.spec(), "callable.symbol");
  plan.request.operation = job->operation;
  plan.request.pass = job->pass;
  plan.request.dtype = job->dtype;
  plan.request.axes = job->axes;
  plan.request.protocol = way->protocol;
  plan.request.candidates = candidates_of(plan.kernel, bound, libraries);
  if (plan.request.candidates.empty()) {
    return Planned(obstacle("PROVIDER_ABSENT", "its kernel " + excerpt(plan.kernel) +
                                                   " is not on this machine; --provider names a "
                                                   "shared object that holds it"));
  }
  const Manifest environment = TRY(decode(run.environment));
  const std::string threads = text_at(environment.spec(), "settings.environmentVariables.threads");
  std::from_chars(threads.data(), threads.data() + threads.size(), plan.request.threads);
  plan.request.threads = std::max(1, plan.request.threads);
  return Planned(std::move(plan));
}

std::string first_difference(const json::Value& there, const json::Value& here) {
  return difference_at("", &there, &here);
}

Result<RepeatVerdict> judge_repeat(const StoredRun& run, const RepeatPlan& plan,
                                   const runner::Evidence& evidence) {
  RepeatVerdict out;
  const auto& candidates = evidence.session.candidates;
  const auto measured = std::ranges::find_if(candidates, [&](const runner::Measured& one) {
    return runner::name_of(one.provider, one.variant) == plan.kernel;
  });
  if (measured == candidates.end()) {
    out.obstacle = Obstacle{"PROVIDER_ABSENT", "no library here holds a kernel " + plan.kernel};
    return out;
  }
  for (const std::string& text : evidence.runs) {
    const Manifest made = TRY(decode(text));
    if (text_at(made.spec(), "implementationDigest") != measured->implementation) continue;
    out.measured_run = to_string(made.digest());
    const std::string status = text_at(made.spec(), "status");
    if (status == "passed") continue;
    out.obstacle =
        Obstacle{"NOT_MEASURED", "the repetition is no result: " + status + ' ' + measured->text};
    return out;
  }
  const auto index = static_cast<std::size_t>(measured - candidates.begin());
  const runner::Evaluation judged = runner::evaluate(evidence.session, evidence.launches);
  const auto timing = std::ranges::find(judged.timings, index, &runner::Timing::candidate);
  if (timing == judged.timings.end() || out.measured_run.empty()) {
    out.obstacle = Obstacle{"NOT_MEASURED", "the repetition has no timing: " + measured->text};
    return out;
  }
  const policy::Figure figure{
      .value = timing->summary.median,
      .confidence = policy::Interval{timing->median.interval.low, timing->median.interval.high},
      .spread = policy::Interval{timing->summary.p20, timing->summary.p80}};
  out.measured_ns = figure.value;
  out.obstacle = TRY(not_comparable(run, evidence, *measured));
  if (out.obstacle) return out;
  out.compared = policy::compare_figures(*run.figure, figure);
  if (out.compared->verdict == policy::Agreement::unclear) {
    out.obstacle = Obstacle{"SPREAD_TOO_WIDE", "the two spreads are too wide to tell"};
  }
  return out;
}

namespace {

std::string note_of(const RepeatVerdict& verdict, const Digest& evidence) {
  std::string text = "ki verify-run: " + std::string(verdict.word());
  if (verdict.compared && verdict.compared->bounds) {
    text +=
        fmt::format(", {:.3f} times the claimed latency [{:.3f}, {:.3f}]", verdict.compared->ratio,
                    verdict.compared->bounds->low, verdict.compared->bounds->high);
  }
  if (verdict.obstacle) text += "; " + verdict.obstacle->text;
  if (!verdict.measured_run.empty()) text += "; measured as run " + verdict.measured_run;
  return text + "; evidence " + to_string(evidence);
}

}  // namespace

Result<std::string> file_repeat(catalog::Catalog& catalog, const StoredRun& run,
                                const RepeatVerdict& verdict, const Filing& filing,
                                const Clock& clock) {
  TRY(publish_evidence(catalog, filing.encoded, filing.file, clock,
                       {.actor = std::string(filing.actor)}));
  const Digest evidence = sha256(filing.encoded);
  const std::string_view word = verdict.word();
  publish::Attestation attestation{
      .type = "environment_note",
      .body = excerpt(note_of(verdict, evidence), publish::kAttestationBytesMax - 4),
      .observed_ns = verdict.measured_ns,
      .evidence = evidence};
  if (word == "agrees") attestation.type = "reproduced";
  if (word == "differs") attestation.type = "could_not_reproduce";
  return publish::attest(catalog, run.id, attestation, filing.actor, clock);
}

}  // namespace ki::evidence
