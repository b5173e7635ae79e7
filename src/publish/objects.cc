#include <algorithm>

#include "base/text.h"
#include "catalog/update.h"
#include "publish/rows.h"
#include "publish/session.h"

namespace ki::publish {
namespace {

using manifest::Kind;
using manifest::Manifest;

Status require_kind(const Manifest& manifest, Kind kind) {
  if (manifest.kind() == kind) return {};
  return fail(Code::invalid,
              "is a " + std::string(manifest::name_of(manifest.kind())) + ", but a " +
                  std::string(manifest::name_of(kind)) + " belongs here",
              std::string(manifest.name()));
}

Status require_slug(std::string_view slug, const Manifest& manifest) {
  if (!slug.empty() && slug.size() <= kSlugMax) return {};
  return fail(Code::invalid,
              slug.empty() ? "needs a slug" : "has a slug of more than 100 characters",
              std::string(manifest.name()));
}

}  // namespace

Status Session::insert_project(const ProjectEntry& entry) {
  TRY(require_kind(entry.manifest, Kind::software_project));
  TRY(require_slug(entry.slug, entry.manifest));
  const auto known = TRY(catalog::project_id(connection_, entry.slug));
  note("project", entry.slug, "", known ? Action::exists : Action::insert);
  if (known) return note_other_manifest(*known, entry);
  catalog::ProjectRow row = project_row(entry.manifest, entry.slug, entry.name);
  row.id = id_of(entry.preset);
  row.created_at = time_of(entry.preset);
  TRY(ledger_.insert(row));
  changed = true;
  return {};
}

// A project is known by its slug, and what was stated first stays: implementations refer to it.
Status Session::note_other_manifest(const std::string& id, const ProjectEntry& entry) {
  const auto stored = TRY(catalog::find<catalog::ProjectRow>(
      connection_, {.name = "project_by_id", .text = "WHERE id = $1"}, id));
  const std::string digest = to_string(entry.manifest.digest());
  if (stored && stored->manifest_digest != digest) {
    report.ambiguities.push_back("project " + entry.slug + " is known by its manifest " +
                                 stored->manifest_digest + " and keeps it; " + digest +
                                 " says something else and is not taken over");
  }
  return {};
}

Status Session::insert_operation(const OperationEntry& entry) {
  TRY(require_kind(entry.manifest, Kind::operation_spec));
  TRY(require_slug(entry.slug, entry.manifest));
  const std::string digest = to_string(entry.manifest.digest());
  const auto known = TRY(catalog::operation_id(connection_, digest));
  note("operation", entry.slug, digest, known ? Action::exists : Action::insert);
  std::string id = known.value_or("");
  if (!known) {
    const auto taken = TRY(catalog::find_operation_by_slug(connection_, entry.slug));
    if (taken) {
      return fail(Code::conflict,
                  "the operation slug \"" + entry.slug + "\" belongs to " + taken->semantic_digest +
                      " and cannot name " + digest + " too",
                  entry.slug);
    }
    catalog::OperationRow row = operation_row(entry.manifest, entry.slug);
    row.id = id = id_of(entry.preset);
    row.created_at = time_of(entry.preset);
    TRY(ledger_.insert(row));
    operations.insert(id);
    changed = true;
  }
  operations_.try_emplace(entry.manifest.digest(),
                          KnownOperation{.id = id, .spec = &entry.manifest.spec(), .stored = {}});
  TRY(insert_names(id, entry));
  return link_object("operation", id, entry.external_id);
}

// Aliases are merged; tags are replaced when there are some and they differ.
Status Session::insert_names(const std::string& id, const OperationEntry& entry) {
  bool differs = false;
  for (const std::string& alias : entry.aliases) {
    const catalog::OperationAliasRow row{.operation_id = id, .alias = ascii_lower(alias)};
    const bool added = TRY(catalog::add_alias(connection_, row));
    if (added) ledger_.add(row);
    differs = differs || added;
  }
  const auto wanted = catalog::tag_rows(id, entry.tags);
  const auto stored = TRY(catalog::tag_rows(connection_, id));
  const auto tag = [](const catalog::OperationTagRow& row) { return row.tag; };
  if (!wanted.empty() && !std::ranges::equal(wanted, stored, {}, tag, tag)) {
    for (const auto& row : stored) ledger_.remove(row);
    TRY(catalog::drop_tags(connection_, id));
    for (const auto& row : wanted) {
      TRY(ledger_.insert(row));
    }
    differs = true;
  }
  if (!differs) return {};
  operations.insert(id);
  changed = true;
  return {};
}

Status Session::insert_workload(const WorkloadEntry& entry) {
  const Manifest& manifest = entry.manifest;
  if (manifest.kind() != Kind::workload_suite) {
    TRY(require_kind(manifest, Kind::workload_case));
  }
  const std::string digest = to_string(manifest.digest());
  auto id = TRY(catalog::workload_id(connection_, digest));
  note("workload", manifest.name(), digest, id ? Action::exists : Action::insert);
  if (!id) {
    const Digest operation_digest = digest_at(manifest.spec(), "operationSpecDigest");
    const KnownOperation* known = TRY(operation(operation_digest));
    if (known == nullptr) return unknown("operation", to_string(operation_digest), manifest);
    KnownWorkload added{.id = id_of(entry.preset),
                        .operation_id = known->id,
                        .facts = policy::derive_workload_facts(manifest.spec(), *known->spec)};
    catalog::WorkloadRow row = workload_row(manifest, added.facts);
    row.id = added.id;
    row.operation_id = added.operation_id;
    row.created_at = time_of(entry.preset);
    TRY(ledger_.insert(row));
    for (catalog::WorkloadAxisRow& axis : workload_axis_rows(added.facts)) {
      axis.workload_id = row.id;
      axis.operation_id = row.operation_id;
      TRY(catalog::insert(connection_, axis));
    }
    id = row.id;
    workloads_.try_emplace(manifest.digest(), std::move(added));
    new_workloads_.push_back(manifest.digest());
    changed = true;
  }
  return link_object("workload", *id, entry.external_id);
}

Status Session::insert_implementation(const ImplementationEntry& entry) {
  const Manifest& manifest = entry.manifest;
  TRY(require_kind(manifest, Kind::implementation_revision));
  TRY(require_slug(entry.slug, manifest));
  const std::string digest = to_string(manifest.digest());
  auto id = TRY(catalog::implementation_id(connection_, digest));
  note("implementation", entry.slug, digest, id ? Action::exists : Action::insert);
  if (!id) {
    const auto project = TRY(catalog::project_id(connection_, entry.project_slug));
    if (!project) return unknown("project", "\"" + entry.project_slug + "\"", manifest);
    const Digest operation_digest = digest_at(manifest.spec(), "operation/specDigest");
    const KnownOperation* known = TRY(operation(operation_digest));
    if (known == nullptr) return unknown("operation", to_string(operation_digest), manifest);
    KnownImplementation added{.id = id_of(entry.preset),
                              .operation_id = known->id,
                              .facts = policy::derive_implementation_facts(manifest.spec())};
    catalog::ImplementationRow row = implementation_row(manifest, added.facts, entry.slug);
    row.id = added.id;
    row.project_id = *project;
    row.operation_id = added.operation_id;
    row.created_at = time_of(entry.preset);
    TRY(ledger_.insert(row));
    id = row.id;
    implementations_.try_emplace(manifest.digest(), std::move(added));
    new_implementations_.push_back(manifest.digest());
    changed = true;
    TRY(link_artifacts("implementation", *id, entry.artifacts));
  }
  return link_object("implementation", *id, entry.external_id);
}

Result<KnownOperation*> Session::operation(const Digest& digest) {
  const auto found = operations_.find(digest);
  if (found != operations_.end()) return &found->second;
  const auto row = TRY(catalog::find_operation(connection_, to_string(digest)));
  if (!row) return nullptr;
  KnownOperation& known = operations_[digest];
  known.id = row->id;
  known.stored = TRY(decode_stored(row->manifest, row->semantic_digest));
  known.spec = &known.stored->spec();
  return &known;
}

Result<KnownWorkload*> Session::workload(const Digest& digest) {
  const auto found = workloads_.find(digest);
  if (found != workloads_.end()) return &found->second;
  const auto row = TRY(catalog::find_workload(connection_, to_string(digest)));
  if (!row) return nullptr;
  const auto operation_row = TRY(catalog::find_operation_by_id(connection_, row->operation_id));
  const auto operation_digest =
      operation_row ? parse_digest(operation_row->semantic_digest) : std::nullopt;
  if (!operation_digest) {
    return fail(Code::invalid, "the operation of a stored workload is damaged (run `ki verify`)",
                row->workload_digest);
  }
  KnownWorkload& known = workloads_[digest];
  known = {.id = row->id,
           .operation_id = row->operation_id,
           .facts = facts_for_runs(*row, *operation_digest)};
  return &known;
}

Result<KnownImplementation*> Session::implementation(const Digest& digest) {
  const auto found = implementations_.find(digest);
  if (found != implementations_.end()) return &found->second;
  const auto row = TRY(catalog::find_implementation(connection_, to_string(digest)));
  if (!row) return nullptr;
  KnownImplementation& known = implementations_[digest];
  known = {.id = row->id, .operation_id = row->operation_id, .facts = facts_for_runs(*row)};
  return &known;
}

Result<const json::Value*> Session::protocol(const Digest& digest) {
  const auto found = protocols_.find(digest);
  if (found != protocols_.end()) return found->second.spec;
  const auto row = TRY(catalog::find_protocol(connection_, to_string(digest)));
  if (!row) return nullptr;
  KnownSetting& known = protocols_[digest];
  known.stored = TRY(decode_stored(row->manifest, row->digest));
  known.spec = &known.stored->spec();
  return known.spec;
}

Result<const json::Value*> Session::environment(const Digest& digest) {
  const auto found = environments_.find(digest);
  if (found != environments_.end()) return found->second.spec;
  const auto row = TRY(catalog::find_environment(connection_, to_string(digest)));
  if (!row) return nullptr;
  KnownSetting& known = environments_[digest];
  known.stored = TRY(decode_stored(row->manifest, row->digest));
  known.spec = &known.stored->spec();
  return known.spec;
}

}  // namespace ki::publish
