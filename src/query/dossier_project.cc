// Resolver::project: what a project has published and which records it holds.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_project.h"
#include "policy/assessment.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "query/describe.h"
#include "query/resolver_impl.h"
#include "query/stored.h"

namespace ki::query {
namespace {

constexpr std::int64_t kImplementationsMax = 2'000;

constexpr db::Sql kBySlug{"project_by_slug", "WHERE slug = $1"};
constexpr db::Sql kSourceById{"source_line", "WHERE id = $1"};

// What the eligible runs of the project come to.
struct Figures {
  struct Best {
    std::optional<Primary> primary;
    policy::EvidenceLevel level = policy::EvidenceLevel::reported;
  };
  std::unordered_map<std::string, Best> best;  // by implementation
  std::set<std::string> hardware;
  std::map<std::string, std::string> sources;  // newest observation by id
  std::string last_observed_at;
  std::int64_t runs = 0;
};

// Of two figures the better one; of two metrics latency, else the first by name.
bool replaces(const Primary& candidate, const Primary& held) {
  static constexpr std::string_view kLatency = "latency";
  const auto order = [](const Primary& figure) {
    return std::tuple(figure.metric != kLatency, std::string_view(figure.metric),
                      std::string_view(figure.unit));
  };
  if (order(candidate) != order(held)) return order(candidate) < order(held);
  const auto metric = policy::find_metric(candidate.metric, candidate.unit);
  return policy::better(metric ? metric->direction : policy::Direction::lower, candidate.value,
                        held.value);
}

void add(Figures& into, const catalog::ProjectRun& run) {
  ++into.runs;
  into.hardware.insert(run.hardware_model);
  into.last_observed_at = std::max(into.last_observed_at, run.observed_at);
  if (!run.source_id.empty()) {
    std::string& newest = into.sources[run.source_id];
    newest = std::max(newest, run.observed_at);
  }
  Figures::Best& best = into.best[run.implementation_id];
  best.level = std::max(best.level, level_of(run));
  auto figure = figure_of(run);
  if (figure && (!best.primary || replaces(*figure, *best.primary))) {
    best.primary = std::move(figure);
  }
}

ProjectImplementationItem item_of(const catalog::ProjectImplementation& line,
                                  const OperationEntry& operation, const Ref& project,
                                  const Figures& measured) {
  ProjectImplementationItem item;
  item.slug = line.slug;
  item.name = policy::implementation_display_name(
      {.title = line.title ? std::string_view(*line.title) : std::string_view{},
       .slug = line.slug,
       .operation_name = operation.name,
       .operation_slug = operation.slug});
  item.project = project;
  item.operation = {.name = operation.display_name, .slug = operation.slug};
  item.language = line.language;
  item.framework = line.framework;
  if (const auto best = measured.best.find(line.id); best != measured.best.end()) {
    item.evidence = std::string(policy::name_of(best->second.level));
    item.best_primary = best->second.primary;
  }
  item.source_available = line.source_available;
  item.installable = line.installable;
  item.license = {.declared = line.license_declared, .concluded = line.license_expression};
  return item;
}

bool listed_before(const ProjectImplementationItem& a, const ProjectImplementationItem& b) {
  if (a.best_primary.has_value() != b.best_primary.has_value()) return a.best_primary.has_value();
  if (a.best_primary && replaces(*a.best_primary, *b.best_primary)) return true;
  if (a.best_primary && replaces(*b.best_primary, *a.best_primary)) return false;
  return std::tie(a.slug, a.operation.slug) < std::tie(b.slug, b.operation.slug);
}

Status add_identity(ProjectDossier& out, const catalog::ProjectRow& row) {
  out.project.slug = row.slug;
  out.project.name = row.name;
  out.project.kind = row.kind;
  out.project.repository_url = row.canonical_url;
  const json::Document document = TRY(parse_stored(row.manifest, "project " + row.slug));
  const auto kind = text_at(document.root, "spec.host.kind");
  const auto id = text_at(document.root, "spec.host.id");
  if (kind && id) out.project.host = ProjectHost{.kind = *kind, .id = *id};
  out.claim.state = "unclaimed";
  return {};
}

Status add_sources(ProjectDossier& out, db::Connection& connection, const Figures& measured) {
  for (const auto& [id, newest] : measured.sources) {
    const auto row = TRY(catalog::find<catalog::SourceRow>(connection, kSourceById, id));
    if (!row) continue;
    Source source = TRY(source_of({.id = row->id,
                                   .slug = row->slug,
                                   .kind = row->kind,
                                   .name = row->name,
                                   .policy = row->policy.value_or("")},
                                  newest));
    out.illustrative = out.illustrative || source.kind == "illustrative";
    out.sources.push_back(std::move(source));
  }
  return {};
}

}  // namespace

Result<ProjectDossier> Resolver::project(std::string_view slug,
                                         const RecordsOptions& records) const {
  TRY(check_limit(records.limit));
  const auto state = TRY(impl_->steady());  // the page and its version agree
  db::Connection& connection = impl_->connection();
  const std::string catalog_version = TRY(version());
  const CursorScope scope{.list = {"project", std::string(slug)}, .version = catalog_version};
  const catalog::HolderPosition after = TRY(holder_position_of(records.cursor, scope));
  const auto row = TRY(catalog::find<catalog::ProjectRow>(connection, kBySlug, slug));
  if (!row) {
    const auto near = TRY(catalog::projects_like(connection, slug));
    return not_found(kProjectNotFound, "project", slug, near);
  }
  const auto index = TRY(impl_->index());
  const Instant now = impl_->clock.now();
  ProjectDossier out;
  out.generated_at = to_iso(now);
  TRY(add_identity(out, *row));
  Figures measured;
  TRY(catalog::each_project_run(connection, row->id,
                                [&](const catalog::ProjectRun& run) { add(measured, run); }));
  std::set<std::string> licenses;
  if (row->license_expression) licenses.insert(*row->license_expression);
  const Ref project{.name = row->name, .slug = row->slug};
  const auto lines = TRY(catalog::list_implementations(connection, row->id, kImplementationsMax));
  for (const auto& line : lines) {
    if (line.license_expression) licenses.insert(*line.license_expression);
    const auto at = index->by_id(line.operation_id);
    if (!at) continue;
    out.implementations.push_back(item_of(line, index->entries()[*at], project, measured));
  }
  std::ranges::sort(out.implementations, listed_before);
  out.project.licenses.assign(licenses.begin(), licenses.end());
  out.stats.implementations = TRY(catalog::count_implementations(connection, row->id));
  out.stats.runs = measured.runs;
  out.stats.hardware.assign(measured.hardware.begin(), measured.hardware.end());
  if (measured.runs > 0) out.stats.last_observed_at = measured.last_observed_at;
  TRY(add_sources(out, connection, measured));
  auto held = TRY(catalog::list_project_holders(connection, row->id, after, records.limit + 1));
  const bool more = std::ssize(held) > records.limit;
  if (more) held.pop_back();
  for (const auto& line : held) {
    auto record = TRY(impl_->holder(line, now, records.history));
    if (record) out.records.push_back(std::move(*record));
  }
  if (more) out.next_cursor = cursor_after(held.back(), scope);
  out.records_total = TRY(catalog::count_project_holders(connection, row->id));
  return out;
}

}  // namespace ki::query
