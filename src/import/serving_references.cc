#include "import/serving_references.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "catalog/rows_serving.h"
#include "policy/serving.h"

namespace ki::importer {
namespace {

using manifest::Kind;
using manifest::Manifest;

struct Reference {
  std::string_view member;  // of the spec
  Kind kind;
};

std::vector<Reference> references_of(Kind kind) {
  if (kind == Kind::serving_configuration) return {{"stackDigest", Kind::serving_stack_revision}};
  if (kind != Kind::serving_run) return {};
  return {{"modelDigest", Kind::model_revision},
          {"configurationDigest", Kind::serving_configuration},
          {"workloadDigest", Kind::serving_workload}};
}

template <class Row>
Result<bool> is_stored(db::Connection& connection, std::string_view digest) {
  const auto row = TRY(catalog::find_served<Row>(connection, digest));
  return row.has_value();
}

Result<bool> is_stored(db::Connection& connection, Kind kind, std::string_view digest) {
  if (kind == Kind::model_revision) {
    return is_stored<catalog::ModelRevisionRow>(connection, digest);
  }
  if (kind == Kind::serving_stack_revision) {
    return is_stored<catalog::ServingStackRow>(connection, digest);
  }
  if (kind == Kind::serving_configuration) {
    return is_stored<catalog::ServingConfigurationRow>(connection, digest);
  }
  KI_CHECK(kind == Kind::serving_workload);
  return is_stored<catalog::ServingWorkloadRow>(connection, digest);
}

// Of the bundle. By kind too: a run that names a stack as its model names no model.
using There = std::set<std::pair<Kind, std::string>>;

// "" when the object can go in.
Result<std::string> problem_of(db::Connection& connection, const Manifest& manifest,
                               const There& there) {
  for (const Reference& reference : references_of(manifest.kind())) {
    const std::string digest(manifest.spec().find(reference.member)->string());
    if (there.contains({reference.kind, digest})) continue;
    const bool stored = TRY(is_stored(connection, reference.kind, digest));
    if (stored) continue;
    return fmt::format(
        "/spec/{}: {} is neither here nor in the catalog; import it first or with it",
        reference.member, digest);
  }
  if (manifest.kind() != Kind::serving_run) return std::string();
  const auto facts = policy::derive_serving_run_facts(manifest.spec(), {}, {});
  return facts ? std::string() : to_string(facts.error());
}

}  // namespace

Status quarantine_serving(catalog::Catalog& catalog, Prepared& prepared) {
  std::vector<publish::ServingEntry>& entries = prepared.bundle.serving;
  // The kinds stand in the order in which they refer to each other.
  std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.manifest.kind(); });
  There there;
  std::vector<publish::ServingEntry> kept;
  for (publish::ServingEntry& entry : entries) {
    std::string problem = TRY(problem_of(catalog.connection(), entry.manifest, there));
    if (problem.empty()) {
      there.emplace(entry.manifest.kind(), to_string(entry.manifest.digest()));
      kept.push_back(std::move(entry));
      continue;
    }
    const auto& files = prepared.bundle.snapshots;
    add_issue(prepared.report, files.size() == 1 ? files.front().locator : "", 0, 0,
              fmt::format("{} {}", manifest::name_of(entry.manifest.kind()), entry.manifest.name()),
              std::move(problem));
  }
  entries = std::move(kept);
  return {};
}

}  // namespace ki::importer
