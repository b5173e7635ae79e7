// Resolver::implementation: how to use an implementation, what it supports, where it stands.
#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_listing.h"
#include "catalog/read_run.h"
#include "policy/names.h"
#include "query/answer.h"
#include "query/describe.h"
#include "query/resolver_impl.h"
#include "query/source_code.h"
#include "query/stored.h"

namespace ki::query {
namespace {

using catalog::ImplementationRow;

// Served by implementation_by_slug (slug, created_at, id), the unique digest and the primary key.
constexpr db::Sql kBySlug{"newest_implementation_of_slug",
                          "WHERE slug = $1 ORDER BY created_at DESC, id DESC LIMIT 1"};
constexpr db::Sql kByDigest{"implementation_by_digest", "WHERE implementation_digest = $1"};
constexpr db::Sql kById{"implementation_by_id", "WHERE id = $1"};
constexpr db::Sql kProject{"project_by_id", "WHERE id = $1"};

Result<std::optional<ImplementationRow>> find_row(db::Connection& connection,
                                                  std::string_view name) {
  const db::Sql* sql = &kBySlug;
  if (is_uuid(name)) sql = &kById;
  if (name.starts_with("sha256:")) sql = &kByDigest;
  return catalog::find<ImplementationRow>(connection, *sql, name);
}

void add_manifest_facts(ImplementationDossier& out, const json::Value& root) {
  const json::Value* spec = root.find("spec");
  if (spec == nullptr) return;
  out.callable.symbol = text_at(*spec, "callable.symbol");
  out.callable.source_path = text_at(*spec, "callable.path");
  out.support = {.hardware = list_at(*spec, "support.productsTested"),
                 .architectures = list_at(*spec, "support.hardwareArchitectures"),
                 .dtypes = list_at(*spec, "support.dtypes"),
                 .layouts = list_at(*spec, "support.layouts"),
                 .axes = list_at(*spec, "support.axes")};
  out.limitations = out.support.axes;
  out.source.url = text_at(*spec, "projectRevision.repository");
  out.source.commit = text_at(*spec, "projectRevision.commit");
  out.source.tree_digest = text_at(*spec, "projectRevision.treeDigest");
  out.license.evidence_path = text_at(*spec, "licensing.evidence.path");
  policy::Licence licence = policy::stated_licence(*spec);
  out.license.verdict = policy::name_of(licence.verdict);
  out.license.why = std::move(licence.why);
  const json::Value* variants = spec->find("buildVariants");
  if (variants != nullptr && variants->is_array() && !variants->items().empty()) {
    const json::Value& first = variants->items()[0];
    if (const auto kind = text_at(first, "install.kind")) {
      out.usage.recipe = InstallRecipe{.kind = *kind,
                                       .package = text_at(first, "install.package"),
                                       .version = text_at(first, "install.version"),
                                       .repository = text_at(first, "install.repository"),
                                       .commit = text_at(first, "install.commit")};
    }
    const json::Value* requirements = variants->items()[0].find("requirements");
    if (requirements != nullptr && requirements->is_object()) {
      for (const json::Member& one : requirements->members()) {
        out.usage.requirements.push_back(
            {.name = std::string(one.key),
             .constraint = text_at(*requirements, one.key).value_or("")});
      }
    }
  }
  const json::Value* authors = at_path(root, "metadata.authors");
  if (authors == nullptr || !authors->is_array()) return;
  for (const json::Value& author : authors->items()) {
    if (const auto name = text_at(author, "name")) out.provenance.authors.push_back(*name);
  }
}

Status add_provenance(ImplementationDossier& out, const catalog::Origin& origin,
                      const ImplementationRow& row) {
  out.provenance.imported_at = row.created_at;
  if (!origin.source) return {};
  auto facts = TRY(provenance_of(origin, json::Value()));
  out.provenance.source = std::move(facts.source);
  out.illustrative = origin.source->kind == "illustrative";
  return {};
}

// The implementation's eligible runs on workloads of one operation, best first within a metric.
void add_results(ImplementationDossier& out, const RowSource& rows,
                 const std::vector<catalog::PlacedRun>& placed,
                 std::optional<policy::EvidenceLevel>& level) {
  const OperationSnapshot& snapshot = rows.snapshot;
  std::vector<std::size_t> own;
  for (const catalog::PlacedRun& one : placed) {
    const auto at = rows.run_at(one.comparison_key, one.run_id);
    if (!at) continue;
    const policy::EvidenceLevel found = rows.run(*at).level;
    own.push_back(*at);
    level = std::max(level.value_or(found), found);
  }
  std::ranges::sort(own, [&](std::size_t a, std::size_t b) {
    return before(snapshot, rows.run(a), rows.run(b));
  });
  for (const std::size_t at : own) out.best_results.push_back(rows.finished(at));
}

void add_trust(ImplementationDossier& out, std::optional<policy::EvidenceLevel> level) {
  if (level) out.trust.evidence = std::string(policy::name_of(*level));
  out.trust.summary = level ? std::string(policy::meaning_of(*level))
                            : std::string("Nothing was measured; only its support is declared");
}

void add_row_facts(ImplementationDossier& out, const ImplementationRow& row,
                   const OperationSnapshot& snapshot, const OperationEntry& entry) {
  out.operation = snapshot.ref;
  out.implementation.id = row.id;
  out.implementation.slug = row.slug;
  out.implementation.digest = row.implementation_digest;
  out.implementation.name = policy::implementation_display_name(
      {.title = row.title ? std::string_view(*row.title) : std::string_view{},
       .slug = row.slug,
       .operation_name = entry.name,
       .operation_slug = entry.slug});
  if (row.source_revision) {
    out.implementation.revision = std::string(policy::short_revision(*row.source_revision));
  }
  if (row.install_command) {
    out.usage.install =
        Install{.kind = row.install_kind.value_or("source"), .command = *row.install_command};
  }
  out.callable.language = row.language;
  out.callable.framework = row.framework;
  out.source.available = row.source_available;
  out.license.declared = row.license_declared;
  out.license.concluded = row.license_expression;
  for (const auto& code :
       policy::deployability({.source_available = row.source_available,
                              .installable = row.installable,
                              .licence_known = row.license_expression.has_value()})) {
    out.deployability.push_back({.code = code, .text = policy::deployability_text(code)});
  }
}

// Slugs that hold the name; else, of those that share its longest part, the one it may be a slip
// of.
Result<std::vector<std::string>> implementations_near(db::Connection& connection,
                                                      std::string_view name) {
  constexpr std::int64_t kCompared = 1'000;
  constexpr std::size_t kPartMin = 3;
  auto near = TRY(catalog::implementations_like(connection, name));
  if (!near.empty()) return near;
  const std::string lower = ascii_lower(excerpt(name));
  auto parts = split(lower, '-');
  std::ranges::stable_sort(parts, std::greater{}, &std::string_view::size);
  constexpr std::size_t kPartsMax = 3;
  for (std::size_t i = 0; i < std::min(parts.size(), kPartsMax) && near.empty(); ++i) {
    if (parts[i].size() < kPartMin) break;
    const auto alike = TRY(catalog::implementations_like(connection, parts[i], kCompared));
    const std::string_view found = nearest(lower, {alike.begin(), alike.end()});
    if (!found.empty()) near.emplace_back(found);
  }
  return near;
}

}  // namespace

Result<ImplementationDossier> Resolver::implementation(std::string_view name,
                                                       bool include_source) const {
  const auto state = TRY(impl_->steady());
  db::Connection& connection = impl_->connection();
  const auto row = TRY(find_row(connection, name));
  if (!row) {
    const auto near = TRY(implementations_near(connection, name));
    return not_found(kImplementationNotFound, "implementation", name, near);
  }
  const auto index = TRY(impl_->index());
  const auto at = index->by_id(row->operation_id);
  if (!at) return fail(Code::unavailable, "the catalog is being changed; try again");
  const auto snapshot = TRY(impl_->snapshot(index, *at));
  if (!snapshot) return fail(Code::unavailable, "the catalog is being changed; try again");
  ImplementationDossier out;
  add_row_facts(out, *row, *snapshot, index->entries()[*at]);
  const json::Document document = TRY(parse_stored(row->manifest, row->id));
  add_manifest_facts(out, document.root);
  const auto project =
      TRY(catalog::find<catalog::ProjectRow>(connection, kProject, row->project_id));
  if (project) {
    out.project = {
        .name = project->name, .slug = project->slug, .repository_url = project->canonical_url};
  }
  out.standing.records = TRY(catalog::count_holders_of(connection, row->id));
  std::optional<policy::EvidenceLevel> level;
  const auto operations = TRY(catalog::list_operations_of(connection, row->id));
  for (const auto& operation_id : operations) {
    const auto measured = TRY(impl_->snapshot_of(operation_id));
    if (!measured) continue;
    RowReader reader = impl_->reader(measured);
    const auto placed =
        TRY(catalog::read_runs_of_implementation(connection, row->id, operation_id));
    add_results(out, reader.source(impl_->clock.now()), placed, level);
    TRY(reader.status());
  }
  add_trust(out, level);
  const auto origin =
      TRY(catalog::read_origin(connection, "implementation", row->id, std::nullopt));
  out.source_code =
      TRY(source_code_of(connection, *row, document.root, origin.source, include_source));
  TRY(add_provenance(out, origin, *row));
  return out;
}

}  // namespace ki::query
