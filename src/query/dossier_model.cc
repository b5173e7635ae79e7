// Resolver::model: the best of each of a model's operations on one product, and what is missing.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "catalog/read_coverage.h"
#include "policy/names.h"
#include "policy/taxonomy.h"
#include "query/answer.h"
#include "query/resolver_impl.h"
#include "query/serving_counts.h"
#include "query/tags.h"

namespace ki::query {
namespace {

constexpr std::size_t kEntriesMax = 200;  // each loads an operation

// An operation of the model with its groups, and those of what is equivalent to it.
struct Tagged {
  const OperationEntry* entry = nullptr;
  std::int64_t all_runs = 0;  // eligible ones
  std::vector<catalog::CohortSize> cohorts;

  std::int64_t runs_on(std::string_view product) const {
    std::int64_t runs = 0;
    for (const auto& line : cohorts) runs += line.hardware_model == product ? line.runs : 0;
    return runs;
  }
};

Ref ref_of(const OperationEntry& entry) { return {.name = entry.display_name, .slug = entry.slug}; }

// The other models whose name extends this one or is extended by it.
std::vector<std::string> related_models(const OperationIndex& index, std::string_view slug) {
  std::set<std::string> out;
  for (const OperationEntry& entry : index.entries()) {
    for (const std::string& tag : entry.tags) {
      const std::string_view model = model_of_tag(tag);
      if (!model.empty() && related(model, slug)) out.emplace(model);
    }
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> models_near(const OperationIndex& index, std::string_view slug) {
  constexpr std::size_t kNear = 4;
  std::set<std::string_view> models;
  for (const OperationEntry& entry : index.entries()) {
    for (const std::string& tag : entry.tags) {
      if (const auto model = model_of_tag(tag); !model.empty()) models.insert(model);
    }
  }
  const std::string lower = ascii_lower(slug);
  std::vector<std::string> near;
  for (const std::string_view model : models) {
    if (near.size() < kNear && !lower.empty() && model.contains(lower)) near.emplace_back(model);
  }
  const std::string_view meant = nearest(lower, {models.begin(), models.end()});
  if (near.empty() && !meant.empty()) near.emplace_back(meant);
  return near;
}

// The product asked for by its exact name, in another case, by its slug, or by a name that only one
// of the measured products bears; nullopt when it is none of them.
std::optional<std::string> gpu_named(const std::vector<ModelGpu>& gpus, const std::string& name) {
  for (const ModelGpu& gpu : gpus) {
    if (gpu.model == name) return gpu.model;
  }
  const auto reading = policy::read_gpu(name);
  std::vector<std::string> meant;
  for (const ModelGpu& gpu : gpus) {
    if (equals_ignoring_case(gpu.model, name)) return gpu.model;
    if (policy::hardware_slug(gpu.model) == name) return gpu.model;
    if (reading && policy::gpu_matches(*reading, gpu.model)) meant.push_back(gpu.model);
  }
  return meant.size() == 1 ? std::optional(meant.front()) : std::nullopt;
}

void select_gpu(ModelDossier& out, const std::string& asked) {
  if (!out.gpus.empty()) out.selected_gpu = out.gpus.front().model;
  if (asked.empty()) return;
  if (auto named = gpu_named(out.gpus, asked)) {
    out.selected_gpu = std::move(named);
    return;
  }
  out.not_applied.push_back(
      {.parameter = "gpu",
       .value = asked,
       .text =
           "no operation of this model was measured on one product of that name; " +
           (out.selected_gpu ? "shown is " + *out.selected_gpu : "nothing was measured at all")});
}

// The group to show: latency before other metrics, most ranked runs, most runs.
const CohortInfo* best_cohort(const OperationSnapshot& snapshot, const Tagged& tagged,
                              std::string_view product) {
  const CohortInfo* best = nullptr;
  const auto key = [](const CohortInfo& cohort) {
    return std::tuple(cohort.precedence, -cohort.ranked(), -std::ssize(cohort.runs),
                      cohort.comparison_key);
  };
  for (const auto& line : tagged.cohorts) {
    if (line.hardware_model != product) continue;
    const auto at = snapshot.cohort_at(line.comparison_key);
    if (!at) continue;
    const CohortInfo& cohort = snapshot.cohorts[*at];
    if (cohort.is_ranked() && (best == nullptr || key(cohort) < key(*best))) best = &cohort;
  }
  return best;
}

ModelEntry entry_of(const RowSource& rows, const CohortInfo& cohort) {
  const OperationSnapshot& snapshot = rows.snapshot;
  ModelEntry out;
  out.operation = snapshot.ref;
  out.family = snapshot.family;
  out.fastest = rows.finished(cohort.runs.front());
  const std::vector<RunInfo>& runs = rows.runs(cohort).runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunInfo& run = runs[i];
    if (run.rank == 0 || !snapshot.implementations[run.implementation].deployable) continue;
    out.deployable = rows.finished(cohort.runs.front() + i);
    break;
  }
  out.verdict = rows.verdict(cohort);
  out.cohort = cohort_of(snapshot, cohort);
  out.workload_id = snapshot.workloads[cohort.workload].id;
  out.alternatives = cohort.ranked() - 1;
  return out;
}

ModelGap gap_of(const Tagged& tagged) {
  ModelGap out{
      .operation = ref_of(*tagged.entry), .family = tagged.entry->family, .measured_on = {}};
  std::set<std::string> products;
  for (const auto& line : tagged.cohorts) products.insert(line.hardware_model);
  out.measured_on.assign(products.begin(), products.end());
  return out;
}

std::vector<ModelGpu> gpus_of(const std::vector<Tagged>& operations) {
  std::map<std::string, std::int64_t> runs;
  for (const Tagged& tagged : operations) {
    for (const auto& line : tagged.cohorts) runs[line.hardware_model] += line.runs;
  }
  std::vector<ModelGpu> out;
  for (const auto& [model, count] : runs) out.push_back({.model = model, .runs = count});
  std::ranges::stable_sort(out, std::greater{}, &ModelGpu::runs);
  return out;
}

void add_sources(ModelDossier& out, const OperationSnapshot& snapshot) {
  for (const Source& source : snapshot.sources) {
    const auto known = std::ranges::find(out.sources, source.name, &Source::name);
    if (known == out.sources.end()) {
      out.sources.push_back(source);
    } else {
      known->observed_at = std::max(known->observed_at, source.observed_at);
    }
    out.illustrative = out.illustrative || source.kind == "illustrative";
  }
}

Result<std::vector<Tagged>> tagged_operations(db::Connection& connection,
                                              const OperationIndex& index, std::string_view slug) {
  const std::string tag = std::string(kModelTag) + std::string(slug);
  std::vector<Tagged> out;
  std::set<std::size_t> seen;  // by what lists show of a group
  for (std::size_t at = 0; at < index.entries().size(); ++at) {
    const OperationEntry& entry = index.entries()[at];
    if (std::ranges::find(entry.tags, tag) == entry.tags.end()) continue;
    if (!seen.insert(index.listed(at)).second) continue;
    Tagged& one = out.emplace_back();
    one.entry = &entry;
    one.all_runs = index.runs_of_group(at);
    for (const std::uint32_t member : index.group(at)) {
      auto cohorts = TRY(catalog::read_cohort_sizes(connection, index.entries()[member].id));
      std::ranges::move(cohorts, std::back_inserter(one.cohorts));
    }
  }
  return out;
}

void add_stats(ModelDossier& out, const std::vector<Tagged>& operations) {
  std::set<std::string_view> families;
  for (const Tagged& tagged : operations) {
    families.insert(tagged.entry->family);
    out.stats.runs += tagged.all_runs;
  }
  out.stats.operations = std::ssize(operations);
  out.stats.families = std::ssize(families);
}

void add_entry(ModelDossier& out, ModelEntry entry) {
  auto group = std::ranges::find(out.groups, entry.family, &ModelGroup::family);
  if (group == out.groups.end()) {
    out.groups.push_back({.family = entry.family, .entries = {}});
    group = out.groups.end() - 1;
  }
  group->entries.push_back(std::move(entry));
}

// The family with most runs on the product first.
void order_groups(ModelDossier& out, const std::vector<Tagged>& operations,
                  std::string_view product) {
  std::map<std::string_view, std::int64_t> runs;
  for (const Tagged& tagged : operations) runs[tagged.entry->family] += tagged.runs_on(product);
  std::ranges::stable_sort(out.groups, std::greater{},
                           [&](const ModelGroup& group) { return runs[group.family]; });
}

}  // namespace

Result<ModelDossier> Resolver::model(std::string_view name, const std::string& gpu) const {
  const auto state = TRY(impl_->steady());
  db::Connection& connection = impl_->connection();
  const auto index = TRY(impl_->index());
  const Instant now = impl_->clock.now();
  ModelDossier out;
  out.generated_at = to_iso(now);
  out.model = {.slug = std::string(name), .related_tags = related_models(*index, name)};
  auto operations = TRY(tagged_operations(connection, *index, name));
  const auto serving = TRY(count_serving(connection));
  if (const auto served = serving.models.find(out.model.slug); served != serving.models.end()) {
    out.serving = ModelServing{
        .slug = served->first, .name = served->second.name, .runs = served->second.runs};
  }
  if (operations.empty() && out.model.related_tags.empty() && !out.serving) {
    return not_found(kModelNotFound, "model", name, models_near(*index, name));
  }
  out.resolved = !operations.empty();
  add_stats(out, operations);
  out.gpus = gpus_of(operations);
  select_gpu(out, gpu);
  const std::string product = out.selected_gpu.value_or("");
  std::ranges::stable_sort(operations, std::greater{},
                           [&](const Tagged& tagged) { return tagged.runs_on(product); });
  std::size_t shown = 0;
  for (const Tagged& tagged : operations) {
    Shared::Snapshot snapshot;
    const CohortInfo* cohort = nullptr;
    if (tagged.runs_on(product) > 0) {
      if (shown == kEntriesMax) {
        ++out.left_out;
        continue;
      }
      snapshot = TRY(impl_->snapshot_of(tagged.entry->id));
      if (snapshot) cohort = best_cohort(*snapshot, tagged, product);
    }
    if (cohort == nullptr) {
      out.gaps.push_back(gap_of(tagged));
      continue;
    }
    RowReader reader = impl_->reader(snapshot);
    add_entry(out, entry_of(reader.source(now), *cohort));
    TRY(reader.status());
    add_sources(out, *snapshot);
    ++shown;
  }
  order_groups(out, operations, product);
  return out;
}

}  // namespace ki::query
