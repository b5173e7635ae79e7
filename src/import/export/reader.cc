#include "import/export/reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "import/export/columns.h"
#include "json/write.h"
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
constexpr Kind kServing[] = {Kind::model_revision, Kind::serving_stack_revision,
                             Kind::serving_configuration, Kind::serving_workload,
                             Kind::serving_run};

// "" when the row has an id and a time of creation in their forms.
std::string check_identity(const json::Value& row) {
  if (!is_uuid(text(row, "id"))) return "id is no UUID";
  const auto at = parse_instant(text(row, "createdAt"));
  if (!at || to_iso(*at) != text(row, "createdAt")) return "createdAt is no instant in UTC";
  return "";
}

publish::Preset preset_of(const json::Value& row) {
  return {.id = std::string(text(row, "id")), .created_at = std::string(text(row, "createdAt"))};
}

std::string stored_as(std::string_view column, std::string_view stored,
                      std::string_view recomputed) {
  return fmt::format("{} is stored as {} and recomputed as {}", column, excerpt(stored),
                     excerpt(recomputed));
}

// Compares the columns of a row with what follows from its manifests; keeps the first difference.
class Comparison {
 public:
  explicit Comparison(const json::Value& row) : row_(row) {}

  Comparison& is(std::string_view column, std::string_view expected) {
    return note(column, is_text(row_.find(column), expected), [&] { return expected; });
  }
  Comparison& digest(std::string_view column, const Digest& expected) {
    const json::Value* value = row_.find(column);
    const bool same =
        value != nullptr && value->is_string() && parse_digest(value->string()) == expected;
    return note(column, same, [&] { return to_string(expected); });
  }
  Comparison& optional(std::string_view column, const std::optional<std::string>& expected) {
    if (!expected) return absent(column);
    return is(column, std::string_view(*expected));
  }
  Comparison& flag(std::string_view column, bool expected) {
    const json::Value* value = row_.find(column);
    return note(column, value != nullptr && value->is_boolean() && value->boolean() == expected,
                [&] { return expected ? "true" : "false"; });
  }
  Comparison& number(std::string_view column, const std::optional<double>& expected) {
    if (!expected) return absent(column);
    const json::Value* value = row_.find(column);
    return note(column, value != nullptr && value->is_number() && value->number() == *expected,
                [&] {
                  std::string shown;
                  json::append_number(shown, *expected);
                  return shown;
                });
  }
  Comparison& integer(std::string_view column, const std::optional<std::int64_t>& expected) {
    return number(column, expected ? std::optional(static_cast<double>(*expected)) : std::nullopt);
  }
  Comparison& list(std::string_view column, const std::vector<std::string>& expected) {
    const json::Value* value = row_.find(column);
    const bool same =
        value != nullptr && value->is_array() &&
        std::ranges::equal(value->items(), expected,
                           [](const json::Value& a, const auto& b) { return is_text(&a, b); });
    return note(column, same, [&] { return "[" + join(expected, ", ") + "]"; });
  }

  std::string take() { return std::move(problem_); }

 private:
  static bool is_text(const json::Value* value, std::string_view expected) {
    return value != nullptr && value->is_string() && value->string() == expected;
  }
  Comparison& absent(std::string_view column) {
    return note(column, is_null(row_, column), [] { return "null"; });
  }
  // `expected` gives what is said of it; most columns are as expected, and nothing is.
  template <class Expected>
  Comparison& note(std::string_view column, bool same, Expected expected) {
    if (same || !problem_.empty()) return *this;
    std::string stored = "absent";
    if (const json::Value* value = row_.find(column)) {
      stored.clear();
      json::append_compact(stored, *value);
    }
    problem_ = stored_as(column, stored, expected());
    return *this;
  }

  const json::Value& row_;
  std::string problem_;
};

std::string first_of(const Issues& issues) {
  return fmt::format("the manifest is not valid: {} {}", issues.front().pointer,
                     issues.front().message);
}

}  // namespace

std::expected<Manifest, std::string> ExportReader::take_manifest(Row row,
                                                                 std::span<const Kind> kinds,
                                                                 std::string_view column) {
  const json::Value* found = row.value.find("manifest");
  if (found == nullptr || !found->is_object()) return Fault("there is no manifest");
  // A copy, which is a third of the row: a whole catalog of them is kept until it is published.
  auto decoded = manifest::decode(json::copy_of(*found), {.text = row.line});
  if (!decoded) return Fault(first_of(decoded.error()));
  if (std::ranges::find(kinds, decoded->kind()) == kinds.end()) {
    return Fault(fmt::format("a {} stands here", manifest::name_of(decoded->kind())));
  }
  if (!column.empty()) {
    auto problem = Comparison(row.value).digest(column, decoded->digest()).take();
    if (!problem.empty()) return Fault(std::move(problem));
  }
  return std::move(*decoded);
}

std::expected<ExportReader::Shared, std::string> ExportReader::share(const json::Value* manifest,
                                                                     Kind kind) {
  if (manifest == nullptr || !manifest->is_object()) {
    return Fault(fmt::format("the {} is missing", manifest::name_of(kind)));
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

std::string check_named(const json::Value& row) {
  if (auto problem = check_identity(row); !problem.empty()) return problem;
  const std::string_view slug = text(row, "slug");
  const manifest::PatternInfo& wanted = manifest::info(manifest::Pattern::slug);
  const bool right = slug.size() <= kSlugMax && wanted.matches(slug);
  if (right) return "";
  return fmt::format("its slug must be {}, at most {} characters, and is '{}'", wanted.says,
                     kSlugMax, excerpt(slug));
}

std::string ExportReader::add_source(Row row) {
  const json::Value& value = row.value;
  if (auto problem = check_named(value); !problem.empty()) return problem;
  publish::SourceEntry source;
  source.slug = text(value, "slug");
  source.kind = text(value, "kind");
  source.name = text(value, "name");
  if (source.slug.empty() || source.name.empty()) return "slug or name is missing";
  if (!is_null(value, "policy")) json::append_compact(source.policy_json, *value.find("policy"));
  source.preset = preset_of(value);
  sources_.emplace(source.preset->id, source.slug);
  bundle_.more_sources.push_back(std::move(source));
  return "";
}

std::string ExportReader::add_project(Row row) {
  if (auto problem = check_named(row.value); !problem.empty()) return problem;
  auto manifest = take_manifest(row, kProject, "");
  if (!manifest) return manifest.error();
  const auto facts = policy::derive_project_facts(manifest->spec());
  auto problem = Comparison(row.value).optional("canonicalUrl", facts.canonical_url).take();
  if (text(row.value, "name") == facts.name && problem.empty()) {
    problem = Comparison(row.value).is("normalizedName", facts.normalized_name).take();
  } else if (problem.empty()) {  // a display name given later; the manifest is the evidence
    ++report_.discovered["renamedProjects"];
    add_once(report_.ambiguities,
             "projects that the exporting catalog shows under another name than their manifest's "
             "(renamedProjects says how many) get the manifest's name here");
  }
  if (!problem.empty()) return problem;
  const std::string slug(text(row.value, "slug"));
  projects_.emplace(text(row.value, "id"), slug);
  bundle_.projects.push_back(
      {.manifest = std::move(*manifest), .slug = slug, .preset = preset_of(row.value)});
  return "";
}

std::string ExportReader::add_operation(Row row) {
  if (auto problem = check_named(row.value); !problem.empty()) return problem;
  if (!is_null(row.value, "supersedesId"))
    return "it supersedes another, which is not carried over";
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
  publish::OperationEntry entry{.manifest = std::move(*manifest), .slug = slug};
  if (const json::Value* tags = row.value.find("tags"); tags != nullptr && tags->is_array()) {
    for (const json::Value& tag : tags->items()) {
      if (tag.is_string()) entry.tags.emplace_back(tag.string());
    }
  }
  entry.preset = preset_of(row.value);
  const auto family = std::string(text(row.value, "family"));
  report_.operations_by_family[family].push_back(slug);
  operations_.emplace(entry.preset->id, bundle_.operations.size());
  bundle_.operations.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_alias(Row row) {
  const auto operation = operations_.find(std::string(text(row.value, "operationId")));
  if (operation == operations_.end()) return "its operation is not here or was not taken";
  if (text(row.value, "alias").empty()) return "alias is missing";
  bundle_.operations[operation->second].aliases.emplace_back(text(row.value, "alias"));
  return "";
}

std::string ExportReader::add_workload(Row row) {
  if (auto problem = check_identity(row.value); !problem.empty()) return problem;
  const auto operation = operations_.find(std::string(text(row.value, "operationId")));
  if (operation == operations_.end()) return "its operation is not here or was not taken";
  auto manifest = take_manifest(row, kWorkload, "workloadDigest");
  if (!manifest) return manifest.error();
  const Manifest& spec = bundle_.operations[operation->second].manifest;
  if (text(manifest->spec(), "operationSpecDigest") != to_string(spec.digest())) {
    return "its manifest names another operation than operationId does";
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
  workloads_.emplace(entry.preset->id, Workload{entry.manifest.digest(), std::move(facts)});
  bundle_.workloads.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_implementation(Row row) {
  const json::Value& value = row.value;
  if (auto problem = check_named(value); !problem.empty()) return problem;
  if (!is_null(value, "supersedesId")) return "it supersedes another, which is not carried over";
  const auto project = projects_.find(text(value, "projectId"));
  if (project == projects_.end()) return "its project is not here or was not taken";
  const auto operation = operations_.find(std::string(text(value, "operationId")));
  if (operation == operations_.end()) return "its operation is not here or was not taken";
  auto manifest = take_manifest(row, kImplementation, "implementationDigest");
  if (!manifest) return manifest.error();
  if (text(*manifest->spec().find("operation"), "specDigest") !=
      to_string(bundle_.operations[operation->second].manifest.digest())) {
    return "its manifest names another operation than operationId does";
  }
  auto facts = policy::derive_implementation_facts(manifest->spec());
  const std::optional<std::string> title =
      manifest->title().empty() ? std::nullopt : std::optional<std::string>(manifest->title());
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
  if (!problem.empty()) return problem;
  publish::ImplementationEntry entry{.manifest = std::move(*manifest)};
  entry.slug = text(value, "slug");
  entry.project_slug = project->second;
  entry.preset = preset_of(value);
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
      .take();
}

}  // namespace

std::string ExportReader::add_run(Row row) {
  const json::Value& value = row.value;
  if (!is_uuid(text(value, "id"))) return "id is no UUID";
  if (!is_null(value, "retractedAt") && !parse_instant(text(value, "retractedAt"))) {
    return "retractedAt is no instant";
  }
  const auto implementation = implementations_.find(std::string(text(value, "implementationId")));
  if (implementation == implementations_.end()) {
    return "its implementation is not here or was not taken";
  }
  const auto workload = workloads_.find(std::string(text(value, "workloadId")));
  if (workload == workloads_.end()) return "its workload is not here or was not taken";
  const json::Value* manifests = value.find("manifest");
  if (manifests == nullptr || !manifests->is_object()) return "there is no manifest";
  const json::Value* body = manifests->find("run");
  if (body == nullptr) return "there is no run manifest";
  const auto protocol = share(manifests->find("protocol"), Kind::benchmark_protocol);
  if (!protocol) return protocol.error();
  const auto environment = share(manifests->find("environment"), Kind::execution_environment);
  if (!environment) return environment.error();
  auto run = manifest::decode(json::copy_of(*body), {.text = row.line});
  if (!run) return first_of(run.error());
  const json::Value& spec = run->spec();
  if (text(spec, "protocolDigest") != to_string(protocol->digest) ||
      text(spec, "environmentDigest") != to_string(environment->digest) ||
      text(spec, "implementationDigest") != to_string(implementation->second.digest) ||
      text(spec, "workloadDigest") != to_string(workload->second.digest)) {
    return "its manifest names other objects than its row does";
  }
  auto facts = policy::derive_run_facts(spec, protocol->spec, environment->spec,
                                        workload->second.facts, implementation->second.facts);
  if (!facts) return to_string(facts.error());
  auto problem = Comparison(value).digest("runDigest", run->digest()).take();
  if (problem.empty()) problem = compare_run(value, *facts);
  if (!problem.empty()) return problem;

  publish::RunEntry entry{.run = std::move(*run)};
  if (const json::Value* native = entry.run.spec().find("sourceNative")) {
    entry.external_id = text(*native, "externalId");
  }
  if (!is_null(value, "sourceId")) {
    const auto source = sources_.find(text(value, "sourceId"));
    if (source == sources_.end()) return "its source is not here or was not taken";
    entry.source_slug = source->second;
  }
  entry.protocol = place(protocol->digest);
  entry.environment = place(environment->digest);
  publish::RunPreset preset;
  preset.row.id = text(value, "id");
  preset.row.created_at = text(value, "publishedAt");
  if (!is_null(value, "publishedAt")) preset.published_at = std::string(text(value, "publishedAt"));
  runs_.emplace(preset.row.id, Run{.index = bundle_.runs.size(),
                                   .cohort = facts->comparison_key,
                                   .measurements = std::move(facts->measurements)});
  note_columns(value, preset.row.id);
  entry.preset = std::move(preset);
  bundle_.runs.push_back(std::move(entry));
  return "";
}

std::string ExportReader::add_measurement(Row row) {
  const json::Value& value = row.value;
  const auto run = runs_.find(std::string(text(value, "runId")));
  if (run == runs_.end()) return "its run is not here or was not taken";
  if (!is_uuid(text(value, "id"))) return "id is no UUID";
  const auto& stated = run->second.measurements;
  const auto found = std::ranges::find_if(stated, [&](const policy::Measurement& measurement) {
    return measurement.metric == text(value, "metric") &&
           measurement.statistic == text(value, "statistic");
  });
  if (found == stated.end()) return "the run's manifest has no such measurement";
  auto problem = Comparison(value)
                     .is("unit", found->unit)
                     .number("value", found->value)
                     .integer("sampleCount", found->sample_count)
                     .take();
  if (!problem.empty()) return problem;
  bundle_.runs[run->second.index].preset->measurements.push_back(
      {.metric = found->metric,
       .statistic = found->statistic,
       .id = std::string(text(value, "id"))});
  return "";
}

std::string ExportReader::add_record_event(Row row) {
  if (auto problem = check_identity(row.value); !problem.empty()) return problem;
  const auto run = runs_.find(std::string(text(row.value, "runId")));
  if (run == runs_.end()) return "its run is not here or was not taken";
  auto problem = Comparison(row.value).digest("comparisonKey", run->second.cohort).take();
  if (!problem.empty()) return problem;
  bundle_.record_events.push_back({.run_id = run->first,
                                   .cause = std::string(text(row.value, "cause")),
                                   .policy_version = std::string(text(row.value, "policyVersion")),
                                   .row = preset_of(row.value)});
  return "";
}

std::string ExportReader::add_artifact(Row row) {
  const json::Value& value = row.value;
  if (auto problem = check_identity(value); !problem.empty()) return problem;
  const auto digest = parse_digest(text(value, "contentDigest"));
  if (!digest) return "contentDigest is no digest";
  publish::ArtifactEntry artifact;
  artifact.kind = text(value, "kind");
  artifact.media_type = text(value, "mediaType");
  artifact.digest = *digest;
  if (const json::Value* size = value.find("sizeBytes"); size != nullptr && size->is_number()) {
    artifact.size_bytes = static_cast<std::int64_t>(size->number());
  }
  artifact.uri = text(value, "uri");
  artifact.license = text(value, "license");
  artifact.storage = text(value, "storage");
  artifact.preset = preset_of(value);
  bundle_.artifacts.push_back(std::move(artifact));
  return "";
}

std::string ExportReader::add_serving(Row row) {
  const json::Value& value = row.value;
  if (auto problem = check_identity(value); !problem.empty()) return problem;
  auto manifest = take_manifest(row, kServing, "");
  if (!manifest) return manifest.error();
  const std::string digest = to_string(manifest->digest());
  const auto states_it = [&](const json::Member& member) {
    return member.value.is_string() && member.value.string() == digest;
  };
  if (std::ranges::none_of(value.members(), states_it)) {
    return fmt::format("no column holds the digest recomputed from its manifest, {}", digest);
  }
  publish::ServingEntry entry{.manifest = std::move(*manifest)};
  entry.preset = preset_of(value);
  if (const auto source = sources_.find(text(value, "sourceId")); source != sources_.end()) {
    entry.source_slug = source->second;
  }
  bundle_.serving.push_back(std::move(entry));
  return "";
}

void ExportReader::add(const std::expected<json::Document, Issues>& document, std::string_view line,
                       std::int64_t number) {
  static constexpr Table kTables[] = {
      {"sources", &ExportReader::add_source},
      {"projects", &ExportReader::add_project},
      {"operations", &ExportReader::add_operation},
      {"operation_aliases", &ExportReader::add_alias},
      {"workloads", &ExportReader::add_workload},
      {"implementations", &ExportReader::add_implementation},
      {"benchmark_runs", &ExportReader::add_run},
      {"measurements", &ExportReader::add_measurement},
      {"corrections", &ExportReader::add_correction},
      {"record_events", &ExportReader::add_record_event},
      {"artifacts", &ExportReader::add_artifact},
      {"model_revisions", &ExportReader::add_serving},
      {"serving_stack_revisions", &ExportReader::add_serving},
      {"serving_configurations", &ExportReader::add_serving},
      {"serving_workloads", &ExportReader::add_serving},
      {"serving_runs", &ExportReader::add_serving},
      {"serving_measurements", nullptr},  // follow from the manifests of the serving runs
  };
  ++report_.discovered["lines"];
  if (!document) {
    return add_issue(report_, file_, 0, number, {}, document.error().front().message);
  }
  const json::Value* row = document->root.find("row");
  const std::string table(text(document->root, "table"));
  if (row == nullptr || !row->is_object() || table.empty()) {
    return add_issue(report_, file_, 0, number, {}, "the line is no {\"table\", \"row\"}");
  }
  ++report_.discovered[table];
  const auto* const known = std::ranges::find(kTables, std::string_view(table), &Table::name);
  if (known == std::end(kTables)) {
    add_once(report_.drift_warnings, fmt::format("unknown table \"{}\"", excerpt(table)));
    return add_issue(report_, file_, 0, number, table, "the table is not known");
  }
  if (known->handler == nullptr) {
    ++report_.skipped["derived"][table];
    return;
  }
  const std::string id(text(*row, row->find("id") != nullptr ? "id" : "alias"));
  const Row given{*row, line};
  if (auto problem = (this->*known->handler)(given); !problem.empty()) {
    add_issue(report_, file_, 0, number, fmt::format("{} {}", table, id), std::move(problem));
  }
}

}  // namespace ki::importer
