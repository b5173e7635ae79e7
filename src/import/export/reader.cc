#include "import/export/reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/given.h"
#include "base/text.h"
#include "import/export/columns.h"
#include "import/export/comparison.h"
#include "json/write.h"
#include "manifest/scalars.h"
#include "manifest/schema.h"

namespace ki::importer {

using manifest::Kind;
using manifest::Manifest;

namespace {

using Fault = std::unexpected<std::string>;

constexpr Kind kOperation[] = {Kind::operation_spec};
constexpr Kind kProject[] = {Kind::software_project};
constexpr Kind kWorkload[] = {Kind::workload_case, Kind::workload_suite};
constexpr Kind kImplementation[] = {Kind::implementation_revision};
publish::Preset preset_of(const json::Value& row) {
  return {.id = std::string(text(row, "id")), .created_at = std::string(text(row, "createdAt"))};
}

std::string first_of(const Issues& issues) {
  return fmt::format("the manifest is not valid: {} {}", issues.front().pointer,
                     issues.front().message);
}

std::string missing(std::string_view column, std::string_view what) {
  return fmt::format("{}: its {} is not here or was not taken", column, what);
}

std::string twice(std::string_view column) {
  return fmt::format("{}: an earlier row holds the same object", column);
}

}  // namespace

std::expected<Manifest, std::string> ExportReader::take_manifest(Row row,
                                                                 std::span<const Kind> kinds,
                                                                 std::string_view column) {
  const json::Value* found = row.value.find("manifest");
  if (found == nullptr || !found->is_object()) return Fault("there is no manifest");
  auto decoded = take_decoded(row.read, row.line, *found);
  if (!decoded) return Fault(first_of(decoded.error()));
  if (std::ranges::find(kinds, decoded->kind()) == kinds.end()) {
    return Fault(fmt::format("a {} stands here", manifest::name_of(decoded->kind())));
  }
  if (!column.empty()) {
    auto problem = Comparison(row.value).digest(column, decoded->digest()).take();
    if (!problem.empty()) return Fault(std::move(problem));
    if (taken_.contains(decoded->digest())) return Fault(twice(column));
  }
  return std::move(*decoded);
}

std::expected<ExportReader::Shared, std::string> ExportReader::share(const json::Value* manifest,
                                                                     Kind kind) {
  if (manifest == nullptr || !manifest->is_object()) {
    return Fault(fmt::format("manifest: the {} is missing", manifest::name_of(kind)));
  }
  std::string compact;
  json::append_compact(compact, *manifest);
  const auto known = shared_.find(compact);
  if (known != shared_.end()) return known->second;
  auto decoded = manifest::decode_json(compact);
  if (!decoded) return Fault(first_of(decoded.error()));
  if (decoded->kind() != kind) {
    return Fault(fmt::format("a {} stands where a {} belongs", manifest::name_of(decoded->kind()),
                             manifest::name_of(kind)));
  }
  const Digest digest = decoded->digest();
  const auto kept = unplaced_.try_emplace(digest, std::move(*decoded)).first;
  return shared_.emplace(std::move(compact), Shared{digest, kept->second.spec()}).first->second;
}

std::optional<Manifest> ExportReader::place(const Digest& digest) {
  auto node = unplaced_.extract(digest);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

namespace {

// The members of a source's policy that mean something; it may have others.
std::string check_policy(const json::Value& policy) {
  constexpr std::string_view kTexts[] = {"license", "attribution", "url", "terms", "verified"};
  for (const json::Member& member : policy.members()) {
    const json::Value& value = member.value;
    if (std::ranges::find(kTexts, member.key) != std::end(kTexts)) {
      if (value.is_null()) continue;
      if (!value.is_string()) return fmt::format("policy: {} is no text", member.key);
      if (member.key == "url" && !manifest::is_https_url(value.string())) {
        return "policy: url is no https URL";
      }
    } else if (member.key == "freshnessDays") {
      constexpr double kDaysMax = 36500;
      const bool days = value.is_number() && value.number() >= 0 && value.number() <= kDaysMax;
      if (!days && !value.is_null()) return "policy: freshnessDays is no number of days";
    }
  }
  return "";
}

}  // namespace

std::string ExportReader::add_source(Row row) {
  const json::Value& value = row.value;
  publish::SourceEntry source;
  source.slug = text(value, "slug");
  source.kind = text(value, "kind");
  source.name = text(value, "name");
  if (!is_null(value, "policy")) {
    const json::Value& policy = *value.find("policy");
    if (auto problem = check_policy(policy); !problem.empty()) return problem;
    json::append_compact(source.policy_json, policy);
  }
  if (!slugs_.insert("sources " + source.slug).second) return "slug: an earlier row has it";
  source.preset = preset_of(value);
  sources_.emplace(source.preset->id, source.slug);
  bundle_.more_sources.push_back(std::move(source));
  return "";
}

std::string ExportReader::add_project(Row row) {
  auto manifest = take_manifest(row, kProject, "");
  if (!manifest) return manifest.error();
  const auto facts = policy::derive_project_facts(manifest->spec());
  auto problem = Comparison(row.value)
                     .optional("canonicalUrl", facts.canonical_url)
                     .optional("licenseExpression", std::nullopt)  // nothing states one
                     .take();
  const std::string name(text(row.value, "name"));
  if (name == facts.name && problem.empty()) {
    problem = Comparison(row.value).is("normalizedName", facts.normalized_name).take();
  } else if (problem.empty()) {  // a display name given later, which the manifest cannot know
    ++report_.discovered["renamedProjects"];
  }
  if (!problem.empty()) return problem;
  const std::string slug(text(row.value, "slug"));
  if (!slugs_.insert("projects " + slug).second) return "slug: an earlier row has it";
  projects_.emplace(text(row.value, "id"), slug);
  bundle_.projects.push_back({.manifest = std::move(*manifest),
                              .slug = slug,
                              .name = name,
                              .preset = preset_of(row.value)});
  return "";
}

std::string ExportReader::add_operation(Row row) {
  if (!is_null(row.value, "supersedesId")) {
    return "supersedesId: it supersedes another operation, which is not carried over";
  }
  auto manifest = take_manifest(row, kOperation, "semanticDigest");
  if (!manifest) return manifest.error();
  const std::string slug(text(row.value, "slug"));
  const std::string_view title = manifest->title();
  auto problem = Comparison(row.value)
                     .is("schemaVersion", manifest::kApiVersion)
                     .is("family", policy::derive_operation_facts(manifest->spec()).family)
                     .is("name", title.empty() ? std::string_view(slug) : title)
                     .take();
  if (!problem.empty()) return problem;
  if (!slugs_.insert("operations " + slug).second) return "slug: an earlier row has it";
  publish::OperationEntry entry{.manifest = std::move(*manifest), .slug = slug};
  for (const json::Value& tag : row.value.find("tags")->items()) {
    entry.tags.emplace_back(tag.string());
  }
  entry.preset = preset_of(row.value);
  const auto family = std::string(text(row.value, "family"));
  report_.operations_by_family[family].push_back(slug);
  taken_.insert(entry.manifest.digest());
  operations_.emplace(entry.preset->id, bundle_.operations.size());
  bundle_.operations.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_alias(Row row) {
  const std::string id(text(row.value, "operationId"));
  const auto operation = operations_.find(id);
  if (operation == operations_.end()) return missing("operationId", "operation");
  const std::string alias(text(row.value, "alias"));
  if (!slugs_.insert("aliases " + id + ascii_lower(alias)).second) {
    return "alias: an earlier row has it";
  }
  bundle_.operations[operation->second].aliases.push_back(alias);
  return "";
}

std::string ExportReader::add_workload(Row row) {
  const auto operation = operations_.find(std::string(text(row.value, "operationId")));
  if (operation == operations_.end()) return missing("operationId", "operation");
  auto manifest = take_manifest(row, kWorkload, "workloadDigest");
  if (!manifest) return manifest.error();
  const Manifest& spec = bundle_.operations[operation->second].manifest;
  if (text(manifest->spec(), "operationSpecDigest") != to_string(spec.digest())) {
    return "operationId: its manifest names another operation";
  }
  auto facts = policy::derive_workload_facts(manifest->spec(), spec.spec());
  auto problem = Comparison(row.value)
                     .is("schemaVersion", manifest::kApiVersion)
                     .is("shapeSummary", facts.shape_summary)
                     .list("dtypes", facts.dtypes)
                     .list("layoutKeys", facts.layout_keys)
                     .take();
  if (!problem.empty()) return problem;
  publish::WorkloadEntry entry{.manifest = std::move(*manifest)};
  entry.preset = preset_of(row.value);
  taken_.insert(entry.manifest.digest());
  workloads_.emplace(entry.preset->id, Workload{entry.manifest.digest(), std::move(facts)});
  bundle_.workloads.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_implementation(Row row) {
  const json::Value& value = row.value;
  if (!is_null(value, "supersedesId")) {
    return "supersedesId: it supersedes another implementation, which is not carried over";
  }
  const auto project = projects_.find(text(value, "projectId"));
  if (project == projects_.end()) return missing("projectId", "project");
  const auto operation = operations_.find(std::string(text(value, "operationId")));
  if (operation == operations_.end()) return missing("operationId", "operation");
  auto manifest = take_manifest(row, kImplementation, "implementationDigest");
  if (!manifest) return manifest.error();
  if (text(*manifest->spec().find("operation"), "specDigest") !=
      to_string(bundle_.operations[operation->second].manifest.digest())) {
    return "operationId: its manifest names another operation";
  }
  auto facts = policy::derive_implementation_facts(manifest->spec());
  const std::optional<std::string> title = given(manifest->title());
  auto problem = Comparison(value)
                     .optional("sourceRevision", facts.source_revision)
                     .is("language", facts.language)
                     .optional("framework", facts.framework)
                     .list("targetArchitectures", facts.target_architectures)
                     .optional("licenseDeclared", facts.license_declared)
                     .optional("licenseExpression", facts.license_expression)
                     .flag("sourceAvailable", facts.source_available)
                     .flag("installable", facts.installable)
                     .optional("installKind", facts.install_kind)
                     .optional("installCommand", facts.install_command)
                     .optional("title", title)
                     .take();
  const std::string_view role = manifest->label("role");
  if (problem.empty() && value.find("role") != nullptr) {
    problem = Comparison(value).optional("role", given(role)).take();
  }
  if (!problem.empty()) return problem;
  publish::ImplementationEntry entry{.manifest = std::move(*manifest)};
  entry.slug = text(value, "slug");
  entry.project_slug = project->second;
  entry.preset = preset_of(value);
  taken_.insert(entry.manifest.digest());
  implementations_.emplace(entry.preset->id,
                           Implementation{entry.manifest.digest(), std::move(facts)});
  bundle_.implementations.push_back(std::move(entry));
  return "";
}

namespace {

std::string compare_run(const json::Value& row, const policy::RunFacts& facts) {
  const auto& primary = facts.primary;
  const auto text_of = [&](std::string policy::Measurement::* member) {
    return primary ? std::optional(*primary.*member) : std::nullopt;
  };
  return Comparison(row)
      .digest("protocolKey", facts.protocol_key)
      .digest("environmentKey", facts.environment_key)
      .digest("correctnessKey", facts.correctness_key)
      .digest("comparisonKey", facts.comparison_key)
      .is("status", facts.status)
      .is("observedAt", facts.observed_at)
      .is("primaryMetric", primary ? std::string_view(primary->metric) : "none")
      .optional("primaryStatistic", text_of(&policy::Measurement::statistic))
      .optional("primaryUnit", text_of(&policy::Measurement::unit))
      .number("primaryValue", primary ? std::optional(primary->value) : std::nullopt)
      .integer("sampleCount", primary ? primary->sample_count : std::nullopt)
      .number("uncertaintyLow",
              facts.uncertainty ? std::optional(facts.uncertainty->low) : std::nullopt)
      .number("uncertaintyHigh",
              facts.uncertainty ? std::optional(facts.uncertainty->high) : std::nullopt)
      .is("hardwareVendor", facts.hardware_vendor)
      .is("hardwareModel", facts.hardware_model)
      .is("hardwareArchitecture", facts.hardware_architecture)
      .integer("driverMajor", facts.driver_major)
      .integer("cudaMajor", facts.cuda_major)
      .optional("environmentSummary", facts.environment_summary)
      .flag("sourceAvailable", facts.source_available)
      .flag("installable", facts.installable)
      .optional("licenseExpression", facts.license_expression)
      .flag("hasRawEvidence", facts.has_raw_evidence)
      .flag("sourceNative", facts.source_native)
      // Who reran it is not in the manifest: nothing here could vouch for more than this.
      .flag("reported", true)
      .flag("reproducedByKernelindex", false)
      .integer("independentReplicationCount", 0)
      .take();
}

}  // namespace

std::string ExportReader::add_run(Row row) {
  const json::Value& value = row.value;
  if (is_null(value, "retractedAt") != is_null(value, "retractionReason") &&
      !is_null(value, "retractionReason")) {
    return "retractionReason: there is no retractedAt";
  }
  const auto implementation = implementations_.find(std::string(text(value, "implementationId")));
  if (implementation == implementations_.end()) {
    return missing("implementationId", "implementation");
  }
  const auto workload = workloads_.find(std::string(text(value, "workloadId")));
  if (workload == workloads_.end()) return missing("workloadId", "workload");
  const json::Value* manifests = value.find("manifest");
  const json::Value* body = manifests->find("run");
  if (body == nullptr) return "manifest: there is no run in it";
  const auto protocol = share(manifests->find("protocol"), Kind::benchmark_protocol);
  if (!protocol) return protocol.error();
  const auto environment = share(manifests->find("environment"), Kind::execution_environment);
  if (!environment) return environment.error();
  auto run = take_decoded(row.read, row.line, *body);
  if (!run) return first_of(run.error());
  const json::Value& spec = run->spec();
  if (text(spec, "protocolDigest") != to_string(protocol->digest) ||
      text(spec, "environmentDigest") != to_string(environment->digest) ||
      text(spec, "implementationDigest") != to_string(implementation->second.digest) ||
      text(spec, "workloadDigest") != to_string(workload->second.digest)) {
    return "manifest: it names other objects than its row does";
  }
  auto facts = policy::derive_run_facts(spec, protocol->spec, environment->spec,
                                        workload->second.facts, implementation->second.facts);
  if (!facts) return to_string(facts.error());
  auto problem = Comparison(value).digest("runDigest", run->digest()).take();
  if (problem.empty()) problem = compare_run(value, *facts);
  if (problem.empty() && value.find("solScore") != nullptr) {
    problem = Comparison(value).number("solScore", facts->sol_score).take();
  }
  if (!problem.empty()) return problem;
  if (taken_.contains(run->digest())) return twice("runDigest");

  const auto source = source_of(value);
  if (!source) return missing("sourceId", "source");
  if (is_null(value, "publishedAt") && is_null(value, "createdAt")) {
    return "createdAt: an unpublished run needs it";
  }
  publish::RunEntry entry{.run = std::move(*run)};
  entry.source_slug = *source;
  entry.protocol = place(protocol->digest);
  entry.environment = place(environment->digest);
  keep_run(value, std::move(entry), std::move(*facts));
  return "";
}

void ExportReader::keep_run(const json::Value& row, publish::RunEntry entry,
                            policy::RunFacts facts) {
  if (const json::Value* native = entry.run.spec().find("sourceNative")) {
    entry.external_id = text(*native, "externalId");
  }
  publish::RunPreset& preset = entry.preset.emplace();
  preset.row.id = text(row, "id");
  preset.row.created_at = text(row, is_null(row, "createdAt") ? "publishedAt" : "createdAt");
  if (!is_null(row, "publishedAt")) preset.published_at = std::string(text(row, "publishedAt"));
  taken_.insert(entry.run.digest());
  runs_.emplace(preset.row.id, Run{.index = bundle_.runs.size(),
                                   .cohort = facts.comparison_key,
                                   .measurements = std::move(facts.measurements),
                                   .line = line_});
  note_columns(row, preset.row.id);
  bundle_.runs.push_back(std::move(entry));
}

std::string ExportReader::add_measurement(Row row) {
  const json::Value& value = row.value;
  const auto run = runs_.find(std::string(text(value, "runId")));
  if (run == runs_.end()) return missing("runId", "run");
  const auto& stated = run->second.measurements;
  const auto found = std::ranges::find_if(stated, [&](const policy::Measurement& measurement) {
    return measurement.metric == text(value, "metric") &&
           measurement.statistic == text(value, "statistic");
  });
  if (found == stated.end()) return "metric, statistic: the run's manifest has no such measurement";
  auto problem = Comparison(value)
                     .is("unit", found->unit)
                     .number("value", found->value)
                     .integer("sampleCount", found->sample_count)
                     .take();
  if (!problem.empty()) return problem;
  auto& presets = bundle_.runs[run->second.index].preset->measurements;
  if (std::ranges::any_of(presets, [&](const publish::MeasurementPreset& preset) {
        return preset.metric == found->metric && preset.statistic == found->statistic;
      })) {
    return "metric, statistic: an earlier row has this measurement of the run";
  }
  presets.push_back({.metric = found->metric,
                     .statistic = found->statistic,
                     .id = std::string(text(value, "id"))});
  return "";
}

std::string ExportReader::add_record_event(Row row) {
  const auto run = runs_.find(std::string(text(row.value, "runId")));
  if (run == runs_.end()) return missing("runId", "run");
  auto problem = Comparison(row.value).digest("comparisonKey", run->second.cohort).take();
  if (!problem.empty()) return problem;
  publish::RecordEventPreset event{.run_id = run->first,
                                   .cause = std::string(text(row.value, "cause")),
                                   .policy_version = std::string(text(row.value, "policyVersion")),
                                   .row = preset_of(row.value),
                                   .comparison_key = to_string(run->second.cohort),
                                   .run = bundle_.runs[run->second.index].run.digest(),
                                   .previous = {},
                                   .at = std::string(text(row.value, "at"))};
  if (!is_null(row.value, "previousRunId")) {
    const Digest* const previous = digest_of_run(text(row.value, "previousRunId"));
    if (previous == nullptr) return missing("previousRunId", "previous run");
    event.previous = *previous;
  }
  if (!slugs_.insert("events " + event.comparison_key + event.run_id + event.cause).second) {
    return "cause: an earlier row is the same event";
  }
  bundle_.record_events.push_back(std::move(event));
  return "";
}

std::string ExportReader::add_artifact(Row row) {
  const json::Value& value = row.value;
  publish::ArtifactEntry artifact;
  artifact.kind = text(value, "kind");
  artifact.media_type = text(value, "mediaType");
  artifact.digest = *parse_digest(text(value, "contentDigest"));
  if (taken_.contains(artifact.digest)) return twice("contentDigest");
  if (!is_null(value, "sizeBytes")) {
    artifact.size_bytes = static_cast<std::int64_t>(value.find("sizeBytes")->number());
  }
  artifact.uri = text(value, "uri");
  artifact.license = text(value, "license");
  artifact.storage = text(value, "storage");
  artifact.content = text(value, "content");
  if (!artifact.content.empty() && sha256(artifact.content) != artifact.digest) {
    return "content: it does not have the digest contentDigest";
  }
  artifact.preset = preset_of(value);
  taken_.insert(artifact.digest);
  artifacts_.emplace(artifact.preset->id, artifact.digest);
  bundle_.artifacts.push_back(std::move(artifact));
  return "";
}

std::optional<std::string> ExportReader::source_of(const json::Value& row) const {
  if (is_null(row, "sourceId")) return std::string(publish::kNoSource);
  const auto source = sources_.find(text(row, "sourceId"));
  return source == sources_.end() ? std::nullopt : std::optional(source->second);
}

}  // namespace ki::importer
