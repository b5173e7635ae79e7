// Resolver: one serving run, the lists of runs and configurations, the overview.
#include <algorithm>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "catalog/read_run.h"
#include "catalog/read_serving.h"
#include "query/resolver_impl.h"
#include "query/run_name.h"
#include "query/serving_parts.h"
#include "query/stored.h"
#include "query/unnamed.h"

namespace ki::query {
namespace {

using catalog::ServedRunLine;
using catalog::ServedRunRecord;

ServingRunItem item_of(const ServedRunLine& line) {
  return {.id = line.id,
          .digest = line.digest,
          .model = line.model_name,
          .workload = line.workload_name,
          .stack = stack_label(line.stack_name, line.stack_version),
          .configuration = line.configuration_summary,
          .scenario = line.scenario,
          .hardware = line.accelerator_model,
          .total_accelerators = line.total_accelerators,
          .quality_policy = line.quality_policy,
          .observed_at = line.observed_at};
}

void add_objects(ServingRunDossier& out, const ServedRunRecord& record,
                 const json::Value& configuration, const json::Value& workload) {
  out.model = {.name = record.model.name,
               .slug = record.model.slug,
               .license = record.model.license,
               .digest = record.model.digest};
  out.stack = {
      .name = record.stack.name, .version = record.stack.version, .digest = record.stack.digest};
  out.configuration.summary = record.configuration.summary;
  out.configuration.dtype = record.configuration.dtype;
  out.configuration.quantization = record.configuration.quantization;
  out.configuration.digest = record.configuration.digest;
  if (const json::Value* options = at_path(configuration, "spec.options")) {
    for (const json::Member& option : options->members()) {
      out.configuration.facts.push_back(
          {.key = std::string(option.key), .value = std::string(option.value.string())});
    }
  }
  out.workload.name = record.workload.name;
  out.workload.slug = record.workload.slug;
  out.workload.streaming = record.workload.streaming;
  out.workload.load_generation = record.workload.load_generation;
  out.workload.digest = record.workload.digest;
  if (const json::Value* spec = workload.find("spec")) {
    for (const policy::ServingBound& bound : policy::declared_bounds(*spec)) {
      out.workload.slo.push_back({.metric = bound.metric,
                                  .statistic = bound.statistic,
                                  .op = bound.strict ? "<" : "<=",
                                  .value = bound.value,
                                  .unit = bound.unit});
    }
  }
}

// "source · division/category · entry id", or the name of the source.
std::string attribution_line(const std::string& source, const json::Value& run) {
  const auto division = text_at(run, "spec.sourceNative.division");
  const auto category = text_at(run, "spec.sourceNative.category");
  const auto entry = text_at(run, "spec.sourceNative.externalId");
  if (!division || !category || !entry) return source;
  return source + " · " + *division + "/" + *category + " · " + *entry;
}

Status add_source(ServingRunDossier& out, db::Connection& connection, const std::string& run_id,
                  const json::Value& run) {
  const auto detail = TRY(catalog::served_detail(connection, run_id));
  const std::string name =
      detail && detail->source_name ? *detail->source_name : std::string("unknown source");
  out.attribution.line = attribution_line(name, run);
  if (!detail) return {};
  out.attribution.url = policy_text(detail->source_policy, "url");
  out.attribution.license = policy_text(detail->source_policy, "license");
  out.illustrative = detail->source_kind == "illustrative";
  return {};
}

ServingCohort cohort_of(const ServedRunRecord& record) {
  const auto& run = record.run;
  return {
      .key = run.cohort_key,
      .description = description_of(
          {.model = record.model.name,
           .workload = record.workload.name,
           .scenario = run.scenario,
           .topology = topology_text(run.accelerator_model, run.accelerator_count, run.node_count),
           .quality = run.quality_policy}),
      .quality_policy = run.quality_policy,
      .scenario = run.scenario};
}

// A pair of model and load while its runs are counted.
struct Pair {
  ServingPair shown{};
  std::set<std::string> scenarios{};
  std::set<std::string> configurations{};
};

constexpr std::string_view kOutput = "output_token_throughput_tps";

// The run's output tokens a second, in the unit of the metric.
std::optional<ServingBest> output_of(const ServedRunLine& line,
                                     const std::vector<policy::Measurement>& measurements) {
  const std::string statistic = policy::choose_statistic(kOutput, measurements);
  const auto metric = policy::find_serving_metric(kOutput);
  for (const policy::Measurement& one : measurements) {
    if (one.metric != kOutput || one.statistic != statistic) continue;
    const auto value = policy::comparable_value(*metric, one.unit, one.value);
    if (!value) return std::nullopt;
    return ServingBest{.run_id = line.id,
                       .value = *value,
                       .unit = std::string(metric->unit),
                       .statistic = statistic,
                       .stack = stack_label(line.stack_name, line.stack_version),
                       .accelerator_model = line.accelerator_model,
                       .total = line.total_accelerators};
  }
  return std::nullopt;
}

void take_better(std::optional<ServingBest>& best, const ServingBest& other) {
  if (!best || other.value > best->value) best = other;
}

void add_run(Pair& pair, const ServedRunLine& line,
             const std::vector<policy::Measurement>& measurements) {
  pair.shown.model = {.name = line.model_name, .slug = line.model_slug};
  pair.shown.workload = {.name = line.workload_name, .slug = line.workload_slug};
  ++pair.shown.runs;
  pair.scenarios.insert(line.scenario);
  pair.configurations.insert(line.configuration_id);
  auto output = output_of(line, measurements);
  if (!output) return;
  take_better(pair.shown.best, *output);
  output->value /= static_cast<double>(output->total);
  take_better(pair.shown.best_per_accelerator, *output);
}

std::vector<std::string> slugs_of(const std::vector<catalog::ServedName>& served) {
  std::vector<std::string> slugs;
  for (const auto& one : served) slugs.push_back(one.slug);
  return slugs;
}

// What of the filter names nothing that was served.
Result<std::vector<NotApplied>> unnamed_of(db::Connection& connection,
                                           const ServingRunsFilter& filter) {
  std::vector<NotApplied> unnamed;
  if (!filter.model.empty()) {
    const auto models = TRY(catalog::read_served_models(connection));
    const auto known = slugs_of(models);
    if (std::ranges::find(known, filter.model) == known.end()) {
      unnamed.push_back(names_nothing("model", filter.model, "no served model has this name",
                                      near_text(filter.model, known)));
    }
  }
  if (!filter.workload.empty()) {
    const auto workloads = TRY(catalog::read_served_workloads(connection));
    const auto known = slugs_of(workloads);
    if (std::ranges::find(known, filter.workload) == known.end()) {
      unnamed.push_back(names_nothing("workload", filter.workload, "no load has this name",
                                      near_text(filter.workload, known)));
    }
  }
  if (filter.hardware.empty()) return unnamed;
  const auto served_on = TRY(catalog::read_served_on(connection));
  std::vector<std::string> products;
  for (const auto& on : served_on) products.push_back(on.accelerator_model);
  const std::string part = ascii_lower(filter.hardware);
  const auto has_part = [&](const std::string& name) { return ascii_lower(name).contains(part); };
  if (std::ranges::none_of(products, has_part)) {
    unnamed.push_back(names_nothing("hardware", filter.hardware,
                                    "nothing was served on a product with this in its name",
                                    near_text(filter.hardware, products)));
  }
  return unnamed;
}

}  // namespace

Result<ServingRunDossier> Resolver::serving_run(std::string_view name) const {
  TRY(impl_->follow());
  const auto state = TRY(impl_->steady());
  db::Connection& connection = impl_->connection();
  const auto key = TRY(serving_run_name(connection, name));
  if (!key) {
    return fail(
        Code::not_found,
        "no serving run is called '" + excerpt(name) + "'; " + std::string(kHowRunsAreNamed),
        std::string(kServingRunNotFound));
  }
  const auto record = TRY(catalog::find_served_run(connection, *key));
  if (!record || !record->run.published_at) {
    return not_found(kServingRunNotFound, "serving run", name);
  }
  const json::Document run = TRY(parse_stored(record->run.manifest, record->run.digest));
  const json::Document configuration =
      TRY(parse_stored(record->configuration.manifest, record->configuration.digest));
  const json::Document workload =
      TRY(parse_stored(record->workload.manifest, record->workload.digest));
  ServingRunDossier out;
  out.run = {.id = record->run.id,
             .digest = record->run.digest,
             .status = record->run.status,
             .observed_at = record->run.observed_at,
             .published_at = record->run.published_at};
  out.cohort = cohort_of(*record);
  add_objects(out, *record, configuration.root, workload.root);
  out.topology = {.accelerator_model = record->run.accelerator_model,
                  .per_node = record->run.accelerator_count,
                  .nodes = record->run.node_count,
                  .total = record->run.total_accelerators};
  out.harness = harness_of(run.root);
  const auto measurements = TRY(measurements_of(connection, record->run.id));
  out.measurements = figures(measurements);
  out.caveats = list_at(run.root, "spec.caveats");
  if (record->run.retracted_at) {
    out.lifecycle.retracted = ServingRetraction{
        .at = *record->run.retracted_at, .reason = "the catalog it came from gives no reason"};
  }
  TRY(add_source(out, connection, record->run.id, run.root));
  out.manifest.text = record->run.manifest;
  return out;
}

Result<ServingRunsPage> Resolver::serving_runs(const ServingRunsFilter& filter) const {
  TRY(check_limit(filter.limit));
  const auto state = TRY(impl_->steady());  // the page and its version agree
  db::Connection& connection = impl_->connection();
  const CursorScope scope{.list = {"serving-runs", filter.model, filter.workload, filter.hardware},
                          .version = TRY(version())};
  const Position position = TRY(start_of(filter.cursor, scope));
  const std::string part = TRY(product_part(connection, filter.hardware));
  auto lines = TRY(catalog::list_served(connection, {.model_slug = filter.model,
                                                     .workload_slug = filter.workload,
                                                     .hardware_part = part,
                                                     .before_time = position.time,
                                                     .before_id = position.key,
                                                     .limit = filter.limit + 1}));
  const bool more = std::ssize(lines) > filter.limit;
  if (more) lines.pop_back();
  ServingRunsPage out;
  out.generated_at = to_iso(impl_->clock.now());
  for (const ServedRunLine& line : lines) out.runs.push_back(item_of(line));
  if (more) {
    out.next_cursor =
        encode_cursor({.time = lines.back().observed_at, .key = lines.back().id}, scope);
  }
  if (out.runs.empty()) out.not_applied = TRY(unnamed_of(connection, filter));
  return out;
}

Result<std::vector<ServingConfigurationItem>> Resolver::serving_configurations(
    const std::string& after, std::int64_t limit) const {
  if (limit < 1 || limit > kConfigurationsMax) {
    return invalid("limit is 1 to " + std::to_string(kConfigurationsMax));
  }
  TRY(impl_->follow());
  db::Connection& connection = impl_->connection();
  const auto lines = catalog::list_served_configurations(connection, after, limit);
  if (!lines && lines.error().code == Code::not_found) {
    return invalid("after is the id of a configuration, and there is none of '" + excerpt(after) +
                   "'");
  }
  if (!lines) return std::unexpected(lines.error());
  std::vector<ServingConfigurationItem> out;
  for (const auto& line : *lines) {
    out.push_back({.id = line.id,
                   .digest = line.digest,
                   .stack = stack_label(line.stack_name, line.stack_version),
                   .summary = line.summary,
                   .dtype = line.dtype,
                   .runs = line.runs});
  }
  return out;
}

Result<ServingOverview> Resolver::serving_overview() const {
  TRY(impl_->follow());
  const auto state = TRY(impl_->steady());
  db::Connection& connection = impl_->connection();
  const auto lines = TRY(catalog::list_served(connection, {.limit = kServingRunsMax + 1}));
  if (std::ssize(lines) > kServingRunsMax) {
    return invalid("there are more runs than an overview takes: resolve with a model");
  }
  std::map<std::pair<std::string, std::string>, Pair> pairs;
  std::map<std::string, std::int64_t, std::less<>> by_model;
  for (const ServedRunLine& line : lines) {
    const auto measurements = TRY(measurements_of(connection, line.id));
    add_run(pairs[{line.model_slug, line.workload_slug}], line, measurements);
    ++by_model[line.model_slug];
  }
  ServingOverview out{.total_runs = std::ssize(lines),
                      .policy_version = std::string(policy::kServingV1),
                      .generated_at = to_iso(impl_->clock.now())};
  for (auto& [key, pair] : pairs) {
    pair.shown.scenarios.assign(pair.scenarios.begin(), pair.scenarios.end());
    pair.shown.configurations = std::ssize(pair.configurations);
    out.pairs.push_back(std::move(pair.shown));
  }
  std::ranges::stable_sort(out.pairs, {}, [&](const ServingPair& pair) {
    return std::tuple(-by_model.find(pair.model.slug)->second, std::string_view(pair.model.name),
                      std::string_view(pair.workload.name));
  });
  return out;
}

}  // namespace ki::query
