#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_operation.h"
#include "catalog/read_run.h"
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
         bundle.serving.empty() && bundle.artifacts.empty() && bundle.carried.settings.empty();
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
  if (report.issues_in_all > 0) {
    plan +=
        fmt::format(", {} problem{}", report.issues_in_all, report.issues_in_all == 1 ? "" : "s");
  }
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

// What says that it was measured later than now, by more than clocks differ: nothing is invented in
// its place, and nothing ranks by it.
void warn_of_the_future(const publish::Bundle& bundle, Instant now, Report& report) {
  constexpr auto kClocksDiffer = std::chrono::hours(24);
  const publish::RunEntry* first = nullptr;
  std::size_t later = 0;
  for (const publish::RunEntry& entry : bundle.runs) {
    const auto observed = parse_instant(entry.run.spec().find("observedAt")->string());
    if (!observed || *observed <= now + kClocksDiffer) continue;
    if (later++ == 0) first = &entry;
  }
  if (later == 0) return;
  report.ambiguities.push_back(fmt::format(
      "warning: {} observed later than now ({}): {}, observedAt {}",
      later == 1 ? "a run says that it was" : fmt::format("{} runs say that they were", later),
      to_iso(now), first->run.name(), first->run.spec().find("observedAt")->string()));
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
    if (entry.manifest.kind() != manifest::Kind::workload_case) {
      add(entry.manifest, nullptr);
      continue;
    }
    const std::string named(entry.manifest.spec().find("operationSpecDigest")->string());
    const auto digest = parse_digest(named);
    const auto in_bundle = digest ? operations.find(*digest) : operations.end();
    if (in_bundle != operations.end()) {
      add(entry.manifest, in_bundle->second);
      continue;
    }
    const auto [found, added] = stored.try_emplace(named);
    if (added) found->second = TRY(stored_operation(catalog.connection(), named));
    add(entry.manifest, found->second ? &*found->second : nullptr);
  }
  return {};
}

}  // namespace

namespace {

// Takes the object out of the bundle; its kind and name, or "" when it is not there.
std::string take_out(publish::Bundle& bundle, const Digest& digest) {
  std::string item;
  const auto from = [&](auto& entries, auto manifest_of) {
    std::erase_if(entries, [&](const auto& entry) {
      const manifest::Manifest& manifest = manifest_of(entry);
      if (manifest.digest() != digest) return false;
      item = fmt::format("{} {}", manifest::name_of(manifest.kind()), manifest.name());
      return true;
    });
  };
  const auto manifest = [](const auto& entry) -> const manifest::Manifest& {
    return entry.manifest;
  };
  from(bundle.projects, manifest);
  from(bundle.operations, manifest);
  from(bundle.workloads, manifest);
  from(bundle.implementations, manifest);
  from(bundle.runs, [](const publish::RunEntry& entry) -> const auto& { return entry.run; });
  return item;
}

// Publishes what can be: an object of a known place that cannot is refused, and the others tried
// again. Every try is a transaction of its own, so their number is bounded.
Result<publish::Report> publish_most(catalog::Catalog& catalog, Prepared& prepared,
                                     const Clock& clock, const ImportOptions& options,
                                     bool& publish) {
  constexpr int kTriesMax = 200;
  for (int tries = 1;; ++tries) {
    publish = options.publish && !all_refused(prepared);
    std::optional<Digest> at_fault;
    auto published =
        publish::publish(catalog, prepared.bundle, clock,
                         {.actor = options.actor, .dry_run = !publish, .at_fault = &at_fault});
    if (published || !at_fault || tries == kTriesMax) return published;
    const auto place = prepared.places.find(*at_fault);
    if (place == prepared.places.end()) return published;
    const std::string item = take_out(prepared.bundle, *at_fault);
    if (item.empty()) return published;
    add_issue(prepared.report, place->second, 0, 0, item, published.error().message);
  }
}

// Evidence that waits for an object, though a run of the bundle restates the same thing of its
// source under another digest: another mapping made it, and this import will not complete it.
Status note_other_mappings(catalog::Catalog& catalog, const publish::Bundle& bundle,
                           Report& report) {
  constexpr std::int64_t kLookedAt = 10'000;
  const auto waiting = TRY(catalog::list_pending_names(catalog.connection(), kLookedAt));
  if (waiting.empty()) return {};
  std::set<std::string_view> names;
  std::set<std::string> digests;
  for (const publish::RunEntry& entry : bundle.runs) {
    names.insert(entry.external_id);
    digests.insert(to_string(entry.run.digest()));
  }
  const auto count = std::ranges::count_if(waiting, [&](const catalog::PendingName& one) {
    return names.contains(one.external_id) && !digests.contains(one.run_digest);
  });
  if (count == 0) return {};
  report.ambiguities.push_back(fmt::format(
      "{} pending run{} the same observation{} as runs of this import under other digests and "
      "still "
      "wait{}: they were made with another mapping (of Liger-Kernel --mapping kernelindex-1 makes "
      "the "
      "public digests)",
      count, count == 1 ? " states" : "s state", count == 1 ? "" : "s", count == 1 ? "s" : ""));
  return {};
}

// What each run that waits waits for. Of a dry run nothing is in the catalog, so the bundle is
// asked first.
Status say_what_is_missing(catalog::Catalog& catalog, const publish::Bundle& bundle,
                           const std::vector<publish::Outcome>& outcomes, Report& report) {
  constexpr std::size_t kListed = 1'000;
  if (bundle.carried.states_links) return {};  // what waited in an exported catalog waits here too
  std::set<std::string> there;
  for (const auto& entry : bundle.workloads) there.insert(to_string(entry.manifest.digest()));
  for (const auto& entry : bundle.implementations) there.insert(to_string(entry.manifest.digest()));
  std::map<std::string, const json::Value*> specs;
  for (const auto& entry : bundle.runs) {
    specs.emplace(to_string(entry.run.digest()), &entry.run.spec());
  }
  std::size_t waiting = 0;
  for (const publish::Outcome& outcome : outcomes) {
    if (outcome.action != publish::Action::pending) continue;
    const auto spec = specs.find(outcome.digest);
    if (spec == specs.end() || ++waiting > kListed) continue;
    std::vector<std::string> missing;
    const std::string workload(spec->second->find("workloadDigest")->string());
    const auto has_workload = TRY(catalog::workload_id(catalog.connection(), workload));
    if (!has_workload && !there.contains(workload)) missing.push_back("workload " + workload);
    const std::string by(spec->second->find("implementationDigest")->string());
    const auto has_by = TRY(catalog::implementation_id(catalog.connection(), by));
    if (!has_by && !there.contains(by)) missing.push_back("implementation " + by);
    report.ambiguities.push_back(fmt::format("pending: run {} ({}) waits for {}", outcome.name,
                                             outcome.digest, join(missing, " and ")));
  }
  if (waiting > kListed) {
    report.ambiguities.push_back(fmt::format("pending: {} more runs wait", waiting - kListed));
  }
  return {};
}

}  // namespace

Result<Report> run_import(catalog::Catalog& catalog, Prepared prepared, const Clock& clock,
                          const ImportOptions& options) {
  TRY(quarantine_serving(catalog, prepared));
  bool publish = false;
  auto published = TRY(publish_most(catalog, prepared, clock, options, publish));
  Report report = std::move(prepared.report);
  warn_of_licences(prepared.bundle, report);
  TRY(warn_of_doubts(catalog, prepared.bundle, report));
  warn_of_the_future(prepared.bundle, clock.now(), report);
  TRY(note_other_mappings(catalog, prepared.bundle, report));
  TRY(say_what_is_missing(catalog, prepared.bundle, published.outcomes, report));
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
  report.skipped_because = skip_reasons(report);
  report.published = publish;
  report.plan = plan_of(report);
  return report;
}

}  // namespace ki::importer
