// Resolver's overviews of the whole catalog: hardware, models, sources, coverage.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "catalog/read_coverage.h"
#include "policy/names.h"
#include "policy/taxonomy.h"
#include "query/resolver_impl.h"
#include "query/serving_counts.h"
#include "query/stored.h"
#include "query/tags.h"

namespace ki::query {
namespace {

constexpr std::array kHeroGpus = {"NVIDIA H100", "NVIDIA B200"};
constexpr std::array kHeroFamilies = {"gqa-paged-attention",
                                      "gqa-ragged-attention",
                                      "mla-paged-attention",
                                      "gemm",
                                      "moe",
                                      "rmsnorm",
                                      "layernorm",
                                      "softmax",
                                      "rope",
                                      "mlp"};

std::string_view family_of(const OperationIndex& index, std::string_view operation_id) {
  const auto at = index.by_id(operation_id);
  return at ? std::string_view(index.entries()[*at].family) : std::string_view();
}

std::optional<std::string> stated(std::string_view text) {
  if (text.empty() || text == "unknown") return std::nullopt;
  return std::string(text);
}

// Products with eligible runs; `lines` are by product.
std::vector<HardwareItem> measured_products(const std::vector<catalog::CoverageLine>& lines,
                                            const OperationIndex& index) {
  std::vector<HardwareItem> out;
  std::set<std::string_view> families;
  for (const auto& line : lines) {
    if (out.empty() || out.back().model != line.hardware_model) {
      families.clear();
      out.emplace_back().model = line.hardware_model;
    }
    HardwareItem& item = out.back();
    item.kernel_runs += line.runs;
    ++item.operations;
    families.insert(family_of(index, line.operation_id));
    item.families = std::ssize(families);
    if (!item.last_observed_at || *item.last_observed_at < line.last_observed_at) {
      item.last_observed_at = line.last_observed_at;
    }
  }
  return out;
}

Result<SourceItem> item_of(const catalog::SourceCoverage& source, Instant now) {
  SourceItem item;
  item.slug = source.slug;
  item.name = source.name;
  item.kind = source.published == 0 && source.serving_published > 0 ? "serving" : "kernel";
  item.runs = source.runs + source.serving_runs;
  item.indexed = source.published + source.serving_published;
  item.breadth = source.operations + source.models;
  item.hardware = source.products;
  item.last_fetched = source.last_fetched_at;
  item.last_published_at = source.last_published_at;
  if (source.policy.empty()) return item;
  const json::Document policy = TRY(parse_stored(source.policy, "source " + source.slug));
  item.url = text_at(policy.root, "url");
  item.license = text_at(policy.root, "license");
  constexpr double kDaysMax = 36'500;
  const auto days = number_at(policy.root, "freshnessDays");
  if (!days || *days < 0 || *days > kDaysMax) return item;
  item.freshness_days = static_cast<std::int64_t>(*days);
  const auto newest = std::max(item.last_fetched, item.last_published_at);
  const auto at = newest ? parse_instant(*newest) : std::nullopt;
  if (at) item.stale = now - *at > std::chrono::days(*item.freshness_days);
  return item;
}

Result<std::vector<SourceItem>> source_items(const std::vector<catalog::SourceCoverage>& sources,
                                             Instant now) {
  std::vector<SourceItem> out;
  for (const auto& source : sources) {
    SourceItem item = TRY(item_of(source, now));
    out.push_back(std::move(item));
  }
  return out;
}

Hero hero_of(const std::vector<catalog::CoverageLine>& lines, const OperationIndex& index) {
  std::map<std::string_view, std::vector<std::int64_t>> runs;  // by family, the last is the total
  std::array<std::optional<policy::GpuReading>, kHeroGpus.size()> gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i] = policy::read_gpu(kHeroGpus[i]);
  for (const auto& line : lines) {
    auto& row = runs[family_of(index, line.operation_id)];
    row.resize(gpus.size() + 1);
    row.back() += line.runs;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i] && policy::gpu_matches(*gpus[i], line.hardware_model)) row[i] += line.runs;
    }
  }
  Hero out;
  out.gpus.assign(kHeroGpus.begin(), kHeroGpus.end());
  for (const std::string_view family : kHeroFamilies) {
    auto row = runs[family];
    row.resize(gpus.size() + 1);
    const std::int64_t total = row.back();
    row.pop_back();
    out.rows.push_back({.family = std::string(family), .runs = std::move(row), .total = total});
  }
  return out;
}

}  // namespace

Result<HardwareList> Resolver::hardware_list() const {
  db::Connection& connection = impl_->connection();
  const auto index = TRY(impl_->index());
  HardwareList out;
  out.generated_at = to_iso(impl_->clock.now());
  const auto lines = TRY(catalog::read_coverage(connection));
  out.hardware = measured_products(lines, *index);
  auto serving = TRY(count_serving(connection));
  for (HardwareItem& item : out.hardware) {
    const auto facts = TRY(catalog::read_hardware_facts(connection, item.model));
    item.vendor = stated(facts.vendor);
    item.architecture = stated(policy::architecture_of(item.model, facts.architecture));
    if (const auto served = serving.runs_on.extract(item.model))
      item.serving_runs = served.mapped();
  }
  for (const auto& [model, runs] : serving.runs_on) {
    HardwareItem& item = out.hardware.emplace_back();
    item.model = model;
    item.serving_runs = runs;
    item.architecture = stated(policy::architecture_of(model, ""));
    if (const policy::Gpu* gpu = policy::find_gpu(model)) item.vendor = std::string(gpu->vendor);
  }
  for (HardwareItem& item : out.hardware) item.slug = policy::hardware_slug(item.model);
  std::ranges::sort(out.hardware, {}, [](const HardwareItem& item) {
    return std::tuple(-item.kernel_runs, -item.serving_runs, std::string_view(item.model));
  });
  return out;
}

Result<ModelsList> Resolver::models() const {
  const auto index = TRY(impl_->index());
  ModelsList out;
  out.generated_at = to_iso(impl_->clock.now());
  std::map<std::string_view, ModelItem> tagged;
  std::set<std::pair<std::string_view, std::size_t>> seen;  // equivalent operations count once
  for (std::size_t at = 0; at < index->entries().size(); ++at) {
    for (const std::string& tag : index->entries()[at].tags) {
      const std::string_view model = model_of_tag(tag);
      if (model.empty() || !seen.emplace(model, index->listed(at)).second) continue;
      ModelItem& item = tagged[model];
      ++item.operations;
      item.runs += index->runs_of_group(at);
    }
  }
  for (auto& [model, item] : tagged) {
    item.model = model;
    out.kernel.push_back(std::move(item));
  }
  std::ranges::stable_sort(out.kernel, std::greater{}, &ModelItem::operations);
  const auto serving = TRY(count_serving(impl_->connection()));
  for (const auto& [slug, model] : serving.models) {
    out.serving.push_back({.slug = slug,
                           .name = model.name,
                           .parameter_count = model.parameter_count,
                           .runs = model.runs});
  }
  std::ranges::stable_sort(out.serving, std::greater{}, &ServingModelItem::runs);
  return out;
}

Result<SourcesList> Resolver::sources() const {
  SourcesList out;
  const Instant now = impl_->clock.now();
  out.generated_at = to_iso(now);
  const auto sources = TRY(catalog::read_source_coverage(impl_->connection()));
  out.sources = TRY(source_items(sources, now));
  return out;
}

Result<SourcesList> Resolver::sources_in_brief() const {
  SourcesList out;
  const Instant now = impl_->clock.now();
  out.generated_at = to_iso(now);
  const auto sources = TRY(catalog::read_source_state(impl_->connection()));
  out.sources = TRY(source_items(sources, now));
  for (SourceItem& item : out.sources) {
    item.kind.clear();
    item.indexed = item.breadth = item.hardware = 0;
  }
  return out;
}

Result<CoverageReport> Resolver::coverage() const {
  CoverageReport out;
  const auto index = TRY(impl_->index());
  const auto sources = TRY(catalog::read_source_coverage(impl_->connection()));
  out.illustrative = std::ranges::any_of(sources, [](const auto& source) {
    return source.kind == "illustrative" && source.runs + source.serving_runs > 0;
  });
  out.sources = TRY(source_items(sources, impl_->clock.now()));
  const auto lines = TRY(catalog::read_coverage(impl_->connection()));
  out.hero = hero_of(lines, *index);
  return out;
}

}  // namespace ki::query
