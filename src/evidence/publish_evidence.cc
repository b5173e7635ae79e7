#include "evidence/publish_evidence.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/text.h"
#include "catalog/run_samples.h"
#include "evidence/plausibility.h"
#include "manifest/manifest.h"
#include "runner/cases.h"
#include "runner/evaluate.h"

namespace ki::evidence {
namespace {

using manifest::Kind;
using manifest::Manifest;

Result<Manifest> decode_one(const std::string& text) {
  auto manifest = manifest::decode_json(text);
  if (!manifest) return std::unexpected(to_error(manifest.error()));
  return std::move(*manifest);
}

// The slug of the project that an implementation of the session belongs to.
std::string project_of(const runner::Session& session, const Digest& implementation) {
  for (const runner::Measured& m : session.candidates) {
    if (m.implementation == to_string(implementation)) return kebab(runner::project_of(m));
  }
  return {};
}

Status add_manifest(const std::string& text, const runner::Session& session,
                    publish::Bundle& bundle) {
  Manifest one = TRY(decode_one(text));
  const std::string slug = kebab(one.name());
  const Kind kind = one.kind();
  if (kind == Kind::operation_spec) {
    bundle.operations.push_back({.manifest = std::move(one), .slug = slug});
  } else if (kind == Kind::workload_case) {
    bundle.workloads.push_back({.manifest = std::move(one)});
  } else if (kind == Kind::software_project) {
    bundle.projects.push_back({.manifest = std::move(one), .slug = slug});
  } else if (kind == Kind::implementation_revision) {
    std::string project = project_of(session, one.digest());
    if (project.empty()) {
      return fail(Code::denied, "an implementation that no candidate has", to_string(one.digest()));
    }
    bundle.implementations.push_back({.manifest = std::move(one),
                                      .slug = slug + '-' + session.operation,
                                      .project_slug = std::move(project)});
  }
  return {};  // the protocol and the environment stand with the runs
}

// The values behind the run of a candidate; nullopt when it was not timed, or there are more of
// them than the catalog holds for a run.
std::optional<publish::ArtifactEntry> samples_of(const runner::Evidence& evidence,
                                                 std::size_t candidate) {
  const runner::Measured& measured = evidence.session.candidates[candidate];
  const auto known = [](double cost) { return cost > 0 ? std::optional(cost) : std::nullopt; };
  catalog::RunSamples samples{.metric = "latency",
                              .unit = "ns",
                              .resolution = static_cast<double>(evidence.session.tick_ns),
                              .launches = {},
                              .call_bytes = known(measured.cost_bytes),
                              .call_flops = known(measured.cost_flops)};
  std::size_t count = 0;
  for (auto& values : runner::samples_of(evidence.session, evidence.launches, candidate)) {
    count += values.size();
    samples.launches.push_back({.values = std::move(values)});
  }
  if (count == 0 || count > catalog::kRunSamplesMax) return std::nullopt;
  std::string content = catalog::to_content(samples);
  return publish::ArtifactEntry{.role = std::string(catalog::kSamplesRole),
                                .kind = "samples",
                                .media_type = std::string(catalog::kSamplesMediaType),
                                .digest = sha256(content),
                                .size_bytes = static_cast<std::int64_t>(content.size()),
                                .content = std::move(content)};
}

Result<std::optional<Manifest>> find(const runner::Evidence& evidence, Kind kind) {
  for (const std::string& text : evidence.manifests) {
    Manifest one = TRY(decode_one(text));
    if (one.kind() == kind) return std::optional<Manifest>(std::move(one));
  }
  return std::optional<Manifest>();
}

}  // namespace

Result<publish::Bundle> bundle_of(std::string_view encoded, std::string_view file,
                                  runner::SignedEvidence& read) {
  read = TRY(runner::decode(encoded));
  const runner::Evidence& evidence = read.evidence;
  TRY(runner::check_claims(evidence));
  publish::Bundle bundle;
  bundle.statements.push_back(read.envelope);
  bundle.holds = implausible(evidence);
  bundle.source = {
      .slug = std::string(kSource), .kind = "benchmark", .name = "Measured with ki bench"};
  const Digest content = sha256(encoded);
  bundle.snapshots.push_back({.locator = std::filesystem::path(file).filename().string(),
                              .content_digest = content,
                              .media_type = "application/zstd",
                              .size_bytes = static_cast<std::int64_t>(encoded.size()),
                              .parser_name = "evidence",
                              .parser_version = std::string(kParserVersion)});
  for (const std::string& text : evidence.manifests) {
    TRY(add_manifest(text, evidence.session, bundle));
  }
  std::size_t candidate = 0;  // check_claims() has seen that their runs are in this order
  for (const std::string& text : evidence.runs) {
    while (!was_run(evidence.session.candidates[candidate])) ++candidate;
    Manifest run = TRY(decode_one(text));
    publish::RunEntry entry{.run = std::move(run)};
    entry.protocol = TRY(find(evidence, Kind::benchmark_protocol));
    entry.environment = TRY(find(evidence, Kind::execution_environment));
    entry.artifacts.push_back({.role = "raw_samples",
                               .kind = "evidence",
                               .media_type = "application/zstd",
                               .digest = content,
                               .size_bytes = static_cast<std::int64_t>(encoded.size())});
    if (auto samples = samples_of(evidence, candidate)) {
      entry.artifacts.push_back(std::move(*samples));
    }
    ++candidate;
    bundle.runs.push_back(std::move(entry));
  }
  return bundle;
}

Result<Published> publish_evidence(catalog::Catalog& catalog, std::string_view encoded,
                                   std::string_view file, const Clock& clock,
                                   const publish::Options& options) {
  runner::SignedEvidence read;
  const publish::Bundle bundle = TRY(bundle_of(encoded, file, read));
  Published published;
  published.session = read.evidence.session.id;
  published.key_id = read.statement.predicate.runner.key_id;
  published.protocol = read.evidence.session.protocol;
  published.runs = read.statement.predicate.runs;
  published.report = TRY(publish::publish(catalog, bundle, clock, options));
  return published;
}

}  // namespace ki::evidence
