#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/digest.h"
#include "catalog/lookup.h"
#include "catalog/read_operation.h"
#include "import/importer.h"
#include "import/serving_references.h"
#include "manifest/doubts.h"
#include "policy/facts.h"
#include "publish/publish.h"

namespace ki::importer {

namespace {

std::string_view name_of(publish::Action action) {
  switch (action) {
    case publish::Action::insert:
      return "insert";
    case publish::Action::exists:
      return "exists";
    case publish::Action::pending:
      return "pending";
  }
  KI_UNREACHABLE();
}

// Whether every item of the input was refused: then there is nothing to keep, its snapshot
// included.
bool all_refused(const Prepared& prepared) {
  const publish::Bundle& bundle = prepared.bundle;
  return !prepared.report.issues.empty() && bundle.projects.empty() && bundle.operations.empty() &&
         bundle.workloads.empty() && bundle.implementations.empty() && bundle.runs.empty() &&
         bundle.serving.empty() && bundle.artifacts.empty();
}

std::string plan_of(const Report& report) {
  const auto count = [&](const char* name) {
    const auto found = report.actions.find(name);
    return found == report.actions.end() ? 0 : found->second;
  };
  if (report.accepted() == Accepted::nothing) {
    return fmt::format("nothing is written: everything was refused ({})", report.issues_in_all);
  }
  std::string plan = fmt::format("{}: {} new, {} known already, {} pending",
                                 report.published ? "published" : "dry run, nothing is written",
                                 count("insert"), count("exists"), count("pending"));
  if (count("completed") > 0) plan += fmt::format(", {} completed", count("completed"));
  if (count("superseded") > 0) plan += fmt::format(", {} superseded", count("superseded"));
  if (count("corrections") > 0) plan += fmt::format(", {} corrections", count("corrections"));
  if (report.issues_in_all > 0) plan += fmt::format(", {} not imported", report.issues_in_all);
  return plan;
}

Result<std::optional<manifest::Manifest>> stored_operation(db::Connection& connection,
                                                           std::string_view digest) {
  const auto id = TRY(catalog::operation_id(connection, digest));
  if (!id) return std::optional<manifest::Manifest>();
  const auto text = TRY(catalog::read_operation_manifest(connection, *id));
  if (!text) return std::optional<manifest::Manifest>();
  auto decoded = manifest::decode_json(*text, digest);
  if (!decoded) return std::optional<manifest::Manifest>();  // ki verify says so
  return std::optional(std::move(*decoded));
}

// Licences that say something and still leave it unknown, or are spelled in a way of the past.
void warn_of_licences(const publish::Bundle& bundle, Report& report) {
  for (const publish::ImplementationEntry& entry : bundle.implementations) {
    const policy::Licence licence = policy::stated_licence(entry.manifest.spec());
    if (licence.verdict != policy::LicenceVerdict::invalid &&
        licence.verdict != policy::LicenceVerdict::valid_deprecated) {
      continue;
    }
    add_once(report.license_warnings, fmt::format("implementation {}: licence {}: {}", entry.slug,
                                                  policy::name_of(licence.verdict), licence.why));
  }
}

// What is valid and contradicts itself. An operation is looked for in the bundle, then in the
// catalog.
Status warn_of_doubts(catalog::Catalog& catalog, const publish::Bundle& bundle, Report& report) {
  constexpr std::size_t kDoubtsMax = 1'000;
  std::size_t doubts = 0;
  const auto add = [&](const manifest::Manifest& of, const manifest::Manifest* operation) {
    for (const auto& doubt : manifest::doubts_of(of, operation)) {
      if (++doubts > kDoubtsMax) return;
      report.ambiguities.push_back(
          fmt::format("warning: {}: {}", of.name(), manifest::to_string(doubt)));
    }
  };
  for (const publish::RunEntry& entry : bundle.runs) add(entry.run, nullptr);
  std::map<Digest, const manifest::Manifest*> operations;
  for (const publish::OperationEntry& entry : bundle.operations) {
    operations.emplace(entry.manifest.digest(), &entry.manifest);
  }
  std::map<std::string, std::optional<manifest::Manifest>, std::less<>> stored;
  for (const publish::WorkloadEntry& entry : bundle.workloads) {
    if (entry.manifest.kind() != manifest::Kind::workload_case) continue;
    const std::string named(entry.manifest.spec().find("operationSpecDigest")->string());
    const auto digest = parse_digest(named);
    const auto in_bundle = digest ? operations.find(*digest) : operations.end();
    if (in_bundle != operations.end()) {
      add(entry.manifest, in_bundle->second);
      continue;
    }
    const auto [found, added] = stored.try_emplace(named);
    if (added) found->second = TRY(stored_operation(catalog.connection(), named));
    if (found->second) add(entry.manifest, &*found->second);
  }
  return {};
}

}  // namespace

Result<Report> run_import(catalog::Catalog& catalog, Prepared prepared, const Clock& clock,
                          const ImportOptions& options) {
  TRY(quarantine_serving(catalog, prepared));
  const bool publish = options.publish && !all_refused(prepared);
  Report report = std::move(prepared.report);
  warn_of_licences(prepared.bundle, report);
  TRY(warn_of_doubts(catalog, prepared.bundle, report));
  auto published = TRY(publish::publish(catalog, prepared.bundle, clock,
                                        {.actor = options.actor, .dry_run = !publish}));
  for (publish::Outcome& outcome : published.outcomes) {
    report.proposed.push_back({std::move(outcome.entity), std::move(outcome.name),
                               std::move(outcome.digest), std::string(name_of(outcome.action))});
  }
  report.actions = {
      {"insert", published.inserted},           {"exists", published.existing},
      {"pending", published.pending},           {"completed", published.completed},
      {"superseded", published.superseded},     {"corrections", published.corrections},
      {"recordEvents", published.record_events}};
  for (auto& ambiguity : published.ambiguities) add_once(report.ambiguities, std::move(ambiguity));
  report.published = publish;
  report.plan = plan_of(report);
  return report;
}

}  // namespace ki::importer
