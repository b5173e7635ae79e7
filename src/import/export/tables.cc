#include "import/export/tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "catalog/rows_trust.h"
#include "catalog/update.h"
#include "manifest/kinds.h"
#include "manifest/manifest.h"
#include "manifest/scalars.h"
#include "manifest/schema.h"
#include "policy/ranking.h"
#include "policy/record_events.h"
#include "publish/attestations.h"
#include "publish/corrections.h"

namespace ki::importer {
namespace {

constexpr std::size_t kTokenMax = 100;
// A name given later; no manifest bounds it. A name of a manifest has at most 200 characters.
constexpr std::size_t kShownNameMax = 800;
constexpr std::string_view kSourceKinds[] = {"leaderboard", "benchmark", "submission",
                                             "illustrative"};
constexpr std::string_view kActions[] = {catalog::kRetract, catalog::kRestore, catalog::kSupersede,
                                         catalog::kHold, catalog::kRelease};
constexpr std::string_view kDecisions[] = {catalog::kApprove, catalog::kRevoke};
constexpr std::string_view kCauses[] = {"new_run", "retraction", "supersession", "restore"};
constexpr std::string_view kPolicies[] = {policy::kRankingV1, policy::kRankingV2};
constexpr std::string_view kLinked[] = {"operation", "workload", "implementation", "run"};
constexpr std::string_view kRelationKinds[] = {"exactly_equivalent"};
constexpr std::string_view kWithArtifacts[] = {"implementation", "run"};

constexpr Column kId{"id", Form::uuid};
constexpr Column kCreatedAt{"createdAt", Form::instant};
constexpr Column kManifest{"manifest", Form::object};
constexpr Column kSlug{"slug", Form::slug, Need::value, kSlugMax};
constexpr Column kSchemaVersion{"schemaVersion"};

constexpr Column reference(std::string_view name, Need need = Need::value) {
  return {name, Form::uuid, need};
}
constexpr Column digest(std::string_view name) { return {name, Form::digest}; }
constexpr Column maybe(std::string_view name, Form form = Form::line) {
  return {name, form, Need::nullable};
}
constexpr Column one_of(std::string_view name, std::span<const std::string_view> values) {
  return {name, Form::token, Need::value, kTokenMax, values};
}

constexpr Column kSources[] = {
    kId, kSlug, one_of("kind", kSourceKinds), {"name"}, maybe("policy", Form::object), kCreatedAt};
constexpr Column kSnapshots[] = {kId,
                                 reference("sourceId"),
                                 {"locator", Form::line, Need::value, 4096},
                                 digest("contentDigest"),
                                 {"mediaType"},
                                 {"sizeBytes", Form::count},
                                 {"parserName"},
                                 {"parserVersion"},
                                 {"fetchedAt", Form::instant}};
// What restates a manifest is any text that a manifest may have.
constexpr Column kProjects[] = {kId,
                                kSlug,
                                {"name", Form::text, Need::value, kShownNameMax},
                                {"normalizedName", Form::text},
                                {"canonicalUrl", Form::text, Need::nullable, 2000},
                                maybe("licenseExpression", Form::text),
                                kManifest,
                                kCreatedAt};
constexpr Column kOperations[] = {kId,
                                  kSlug,
                                  {"family", Form::text},
                                  {"name", Form::text},
                                  kSchemaVersion,
                                  digest("semanticDigest"),
                                  kManifest,
                                  {"tags", Form::lines, Need::value, kTokenMax},
                                  kCreatedAt,
                                  reference("supersedesId", Need::nullable)};
constexpr Column kAliases[] = {reference("operationId"), {"alias", Form::text}};
constexpr Column kRelations[] = {reference("operationId"),
                                 reference("relatedId"),
                                 one_of("relation", kRelationKinds),
                                 {"rationale"}};
constexpr Column kWorkloads[] = {
    kId,       reference("operationId"),     digest("workloadDigest"), kSchemaVersion,
    kManifest, {"shapeSummary", Form::text}, {"dtypes", Form::lines},  {"layoutKeys", Form::lines},
    kCreatedAt};
constexpr Column kImplementations[] = {kId,
                                       reference("projectId"),
                                       reference("operationId"),
                                       kSlug,
                                       digest("implementationDigest"),
                                       maybe("sourceRevision", Form::text),
                                       {"language", Form::text},
                                       maybe("framework", Form::text),
                                       {"targetArchitectures", Form::lines},
                                       maybe("licenseExpression", Form::text),
                                       {"sourceAvailable", Form::flag},
                                       {"installable", Form::flag},
                                       maybe("title", Form::text),
                                       maybe("installKind", Form::text),
                                       maybe("installCommand", Form::text),
                                       maybe("licenseDeclared", Form::text),
                                       kManifest,
                                       kCreatedAt,
                                       reference("supersedesId", Need::nullable),
                                       {"role", Form::text, Need::optional}};
constexpr Column kSettings[] = {digest("digest"), kManifest, kCreatedAt};
constexpr Column kRuns[] = {
    kId,
    digest("runDigest"),
    reference("implementationId"),
    reference("workloadId"),
    reference("sourceId", Need::nullable),
    one_of("status", manifest::kRunStatuses),
    {"observedAt", Form::instant},
    maybe("publishedAt", Form::instant),
    {"hardwareVendor", Form::text},
    {"hardwareModel", Form::text},
    {"hardwareArchitecture", Form::text},
    maybe("driverMajor", Form::number),
    maybe("cudaMajor", Form::number),
    digest("protocolKey"),
    digest("environmentKey"),
    digest("correctnessKey"),
    digest("comparisonKey"),
    {"primaryMetric", Form::text},
    maybe("primaryValue", Form::number),
    maybe("primaryUnit", Form::text),
    maybe("sampleCount", Form::count),
    maybe("uncertaintyLow", Form::number),
    maybe("uncertaintyHigh", Form::number),
    {"reported", Form::flag},
    {"reproducedByKernelindex", Form::flag},
    {"independentReplicationCount", Form::count},
    {"sourceAvailable", Form::flag},
    {"installable", Form::flag},
    maybe("licenseExpression", Form::text),
    maybe("primaryStatistic", Form::text),
    {"hasRawEvidence", Form::flag},
    {"sourceNative", Form::flag},
    maybe("environmentSummary", Form::text),
    kManifest,
    reference("supersedesId", Need::nullable),
    maybe("retractedAt", Form::instant),
    {"retractionReason", Form::text, Need::nullable, publish::kReasonBytesMax},
    {"createdAt", Form::instant, Need::optional},
    {"solScore", Form::number, Need::optional}};
constexpr Column kMeasurements[] = {kId,
                                    reference("runId"),
                                    {"metric", Form::text},
                                    {"statistic", Form::text},
                                    {"unit", Form::text},
                                    {"value", Form::number},
                                    maybe("sampleCount", Form::count)};
constexpr Column kPending[] = {kId,
                               digest("runDigest"),
                               reference("sourceId", Need::nullable),
                               reference("snapshotId", Need::nullable),
                               maybe("sourceRow", Form::count),
                               maybe("sourceLine", Form::count),
                               maybe("externalId", Form::text),
                               kManifest,
                               kCreatedAt};
constexpr Column kCorrections[] = {kId,
                                   one_of("action", kActions),
                                   reference("runId"),
                                   {"supersededRunId", Form::uuid, Need::optional},
                                   {"actor", Form::text, Need::value, publish::kActorMax},
                                   {"reason", Form::text, Need::value, publish::kReasonBytesMax},
                                   {"at", Form::instant}};
constexpr Column kAttestations[] = {
    kId,
    reference("runId"),
    one_of("type", publish::kAttestationTypes),
    {"body", Form::text, Need::value, publish::kAttestationBytesMax},
    {"evidenceUrl", Form::url, Need::nullable, publish::kAttestationBytesMax},
    maybe("observedNs", Form::number),
    {"environmentSummary", Form::text, Need::nullable, publish::kAttestationSummaryMax},
    {"author", Form::text, Need::value, publish::kActorMax},
    {"at", Form::instant}};
constexpr Column kStatements[] = {digest("digest"), {"envelope", Form::object}, kCreatedAt};
constexpr Column kRunnerEvents[] = {kId,
                                    one_of("action", kDecisions),
                                    digest("keyId"),
                                    {"actor", Form::text, Need::value, publish::kActorMax},
                                    {"reason", Form::text, Need::value, publish::kReasonBytesMax},
                                    {"at", Form::instant}};
constexpr Column kEvents[] = {kId,
                              digest("comparisonKey"),
                              reference("runId"),
                              reference("previousRunId", Need::nullable),
                              one_of("policyVersion", kPolicies),
                              one_of("cause", kCauses),
                              {"at", Form::instant},
                              kCreatedAt};
constexpr Column kArtifacts[] = {kId,
                                 digest("contentDigest"),
                                 {"kind", Form::token, Need::value, kTokenMax},
                                 {"mediaType"},
                                 maybe("sizeBytes", Form::count),
                                 {"storage", Form::token, Need::value, kTokenMax},
                                 maybe("uri", Form::url),
                                 maybe("license"),
                                 kCreatedAt,
                                 {"content", Form::text, Need::optional, kTextBytesMax}};
constexpr Column kArtifactLinks[] = {one_of("entityKind", kWithArtifacts),
                                     reference("entityId"),
                                     {"role", Form::token, Need::value, kTokenMax},
                                     reference("artifactId")};
constexpr Column kSourceLinks[] = {reference("sourceId"),
                                   one_of("entityKind", kLinked),
                                   {"externalId", Form::text},
                                   reference("entityId"),
                                   reference("snapshotId", Need::nullable),
                                   maybe("sourceRow", Form::count),
                                   maybe("sourceLine", Form::count),
                                   kCreatedAt};
// What restates the manifest is compared with it where the row states it: exports of other programs
// may leave it out.
constexpr Column kOtherSlug{"slug", Form::slug, Need::optional, kSlugMax};
constexpr Column kOtherSource = reference("sourceId", Need::optional);
constexpr Column kOtherVersion{"schemaVersion", Form::line, Need::optional};
constexpr Column other(std::string_view name, Form form = Form::text) {
  return {name, form, Need::optional};
}
constexpr Column kModels[] = {kId,
                              kOtherSlug,
                              digest("modelDigest"),
                              other("name"),
                              other("tokenizer"),
                              other("parameterCount", Form::count),
                              other("contextLength", Form::count),
                              other("license"),
                              kOtherSource,
                              kOtherVersion,
                              kManifest,
                              kCreatedAt};
constexpr Column kStacks[] = {
    kId,           kOtherSlug,       digest("stackDigest"), other("project"),
    other("name"), other("version"), kOtherSource,          kOtherVersion,
    kManifest,     kCreatedAt};
constexpr Column kConfigurations[] = {kId,
                                      other("stackRevisionId", Form::uuid),
                                      digest("configurationDigest"),
                                      other("dtype"),
                                      other("quantization"),
                                      other("tensorParallel", Form::count),
                                      other("summary"),
                                      kOtherSource,
                                      kOtherVersion,
                                      kManifest,
                                      kCreatedAt};
constexpr Column kServingWorkloads[] = {kId,
                                        kOtherSlug,
                                        digest("workloadDigest"),
                                        other("name"),
                                        other("streaming", Form::flag),
                                        other("loadGeneration"),
                                        kOtherSource,
                                        kOtherVersion,
                                        kManifest,
                                        kCreatedAt};
constexpr Column kServingRuns[] = {kId,
                                   digest("runDigest"),
                                   other("modelRevisionId", Form::uuid),
                                   other("configurationId", Form::uuid),
                                   other("workloadId", Form::uuid),
                                   kOtherSource,
                                   other("status"),
                                   other("observedAt", Form::instant),
                                   maybe("publishedAt", Form::instant),
                                   other("retractedAt", Form::instant),
                                   other("protocolKey"),
                                   other("topologyKey"),
                                   other("metricSetKey"),
                                   digest("cohortKey"),
                                   other("qualityPolicy"),
                                   other("scenario"),
                                   other("acceleratorVendor"),
                                   other("acceleratorModel"),
                                   other("acceleratorCount", Form::count),
                                   other("nodeCount", Form::count),
                                   other("totalAccelerators", Form::count),
                                   other("externalId"),
                                   kOtherVersion,
                                   kManifest,
                                   other("createdAt", Form::instant)};
constexpr Column kAudit[] = {{"sequence", Form::count},
                             kId,
                             {"at", Form::instant},
                             {"actor", Form::text, Need::value, publish::kActorMax},
                             {"action", Form::token, Need::value, kTokenMax},
                             {"entityKind", Form::token, Need::value, kTokenMax},
                             {"entityId", Form::text},
                             {"detail", Form::object},
                             {"tally", Form::object},
                             digest("digest")};

constexpr TableColumns kTables[] = {
    {"sources", kSources},
    {"source_snapshots", kSnapshots, true},
    {"projects", kProjects},
    {"operations", kOperations},
    {"operation_aliases", kAliases},
    {"operation_relations", kRelations, true},
    {"workloads", kWorkloads},
    {"implementations", kImplementations},
    {"protocols", kSettings, true},
    {"environments", kSettings, true},
    {"benchmark_runs", kRuns},
    {"measurements", kMeasurements},
    {"pending_runs", kPending, true},
    {"corrections", kCorrections, true},
    {"attestations", kAttestations, true},
    {"signed_statements", kStatements, true},
    {"runner_events", kRunnerEvents, true},
    {"record_events", kEvents},
    {"artifacts", kArtifacts},
    {"artifact_links", kArtifactLinks, true},
    {"source_links", kSourceLinks, true},
    {"model_revisions", kModels},
    {"serving_stack_revisions", kStacks},
    {"serving_configurations", kConfigurations},
    {"serving_workloads", kServingWorkloads},
    {"serving_runs", kServingRuns},
    {"serving_measurements", kMeasurements},
    {"audit", kAudit, true},
};

bool is_line(std::string_view text) {
  return !text.empty() && trim(text) == text &&
         std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; });
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._/+-").contains(c);
  });
}

bool is_lower_uuid(std::string_view text) {
  return is_uuid(text) && std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Whether to_iso() would write it so, without writing it: there are several in every row.
bool is_instant(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-ddTdd:dd:dd.dddZ";
  const auto fits = [](char c, char wanted) {
    return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted;
  };
  return std::ranges::equal(text, kPattern, fits) && text.substr(11, 2) < "24" &&
         text.substr(17, 2) < "60" && parse_instant(text);
}

bool is_slug(std::string_view text) {
  return manifest::info(manifest::Pattern::slug).matches(text);
}

std::string list(std::span<const std::string_view> values) {
  return join({values.begin(), values.end()}, ", ");
}

// What a text is not, "" = nothing.
std::string check_text(const Column& column, std::string_view text) {
  if (text.size() > column.bytes_max) {
    return fmt::format("has {} bytes, at most {} are taken", text.size(), column.bytes_max);
  }
  if (!column.values.empty() && std::ranges::find(column.values, text) == column.values.end()) {
    return fmt::format("is none of {}", list(column.values));
  }
  switch (column.form) {
    case Form::uuid:
      return is_lower_uuid(text) ? "" : "is no UUID in lower case";
    case Form::instant:
      return is_instant(text) ? "" : "is no instant in UTC, such as 2026-01-02T03:04:05.678Z";
    case Form::digest:
      return parse_digest(text) ? "" : "is no digest, \"sha256:\" and 64 hex digits";
    case Form::slug:
      return is_slug(text) ? ""
                           : fmt::format("its slug must be {}, at most {} characters",
                                         manifest::info(manifest::Pattern::slug).says, kSlugMax);
    case Form::token:
      return is_token(text) ? "" : "is no word of letters, digits and ._/+-";
    case Form::line:
    case Form::lines:
      return is_line(text) ? "" : "is empty, or has blanks at its ends or a control character";
    case Form::url:
      return manifest::is_https_url(text) ? "" : "is no https URL";
    case Form::text:
      return "";
    case Form::flag:
    case Form::count:
    case Form::number:
    case Form::object:
      break;
  }
  KI_UNREACHABLE();
}

std::string check_list(const Column& column, const json::Value& value) {
  if (!value.is_array()) return "is no list";
  const auto items = value.items();
  if (items.size() > kListMax) return fmt::format("has more than {} elements", kListMax);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_string()) return "has an element that is no text";
    if (auto problem = check_text(column, items[i].string()); !problem.empty()) {
      return "has an element that " + problem;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (items[j].string() == items[i].string()) return "says the same twice";
    }
  }
  return "";
}

std::string check_value(const Column& column, const json::Value& value) {
  constexpr double kWholeMax = 9007199254740991;  // 2^53 - 1
  switch (column.form) {
    case Form::flag:
      return value.is_boolean() ? "" : "is neither true nor false";
    case Form::number:
      return value.is_number() && !value.underflowed() ? "" : "is no number";
    case Form::count:
      return value.is_number() && value.number() >= 0 && value.number() <= kWholeMax &&
                     std::trunc(value.number()) == value.number()
                 ? ""
                 : "is no whole number from 0";
    case Form::object:
      return value.is_object() ? "" : "is no object";
    case Form::lines:
      return check_list(column, value);
    case Form::uuid:
    case Form::instant:
    case Form::digest:
    case Form::slug:
    case Form::token:
    case Form::line:
    case Form::text:
    case Form::url:
      return value.is_string() ? check_text(column, value.string()) : "is no text";
  }
  KI_UNREACHABLE();
}

}  // namespace

std::span<const TableColumns> known_tables() { return kTables; }

std::string check_columns(const TableColumns& table, const json::Value& row,
                          std::vector<std::string_view>& unknown) {
  const auto members = row.members();
  std::size_t described = 0;
  std::size_t next = 0;  // rows mostly have their columns in the order of the description
  for (const Column& column : table.columns) {
    const json::Value* value = nullptr;
    if (next < members.size() && members[next].key == column.name) {
      value = &members[next++].value;
    } else if ((value = row.find(column.name)) != nullptr) {
      next = static_cast<std::size_t>(std::ranges::find(members, column.name, &json::Member::key) -
                                      members.begin()) +
             1;
    }
    if (value == nullptr) {
      if (column.need == Need::optional) continue;
      return fmt::format("{}: is missing", column.name);
    }
    ++described;
    if (value->is_null()) {
      if (column.need != Need::value) continue;
      return fmt::format("{}: is null", column.name);
    }
    if (auto problem = check_value(column, *value); !problem.empty()) {
      return fmt::format("{}: {}", column.name, problem);
    }
  }
  if (described == members.size()) return "";
  for (const json::Member& member : members) {
    if (std::ranges::find(table.columns, member.key, &Column::name) == table.columns.end()) {
      unknown.push_back(member.key);
    }
  }
  return "";
}

}  // namespace ki::importer
