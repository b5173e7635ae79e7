// Results of serving and what they are about. The columns restate the manifests, and exports of
// other programs may leave some out: those that a row has must be right.

#include <algorithm>

#include <fmt/format.h>

#include "import/export/columns.h"
#include "import/export/comparison.h"
#include "import/export/reader.h"
#include "manifest/manifest.h"

namespace ki::importer {
namespace {

using manifest::Kind;
using manifest::Manifest;

// Compares the columns that a row has.
class Stated {
 public:
  explicit Stated(const json::Value& row) : row_(row), comparison_(row) {}

  Stated& text(std::string_view column, const std::optional<std::string>& expected) {
    if (row_.find(column) != nullptr) comparison_.optional(column, expected);
    return *this;
  }
  Stated& integer(std::string_view column, const std::optional<std::int64_t>& expected) {
    if (row_.find(column) != nullptr) comparison_.integer(column, expected);
    return *this;
  }
  Stated& flag(std::string_view column, bool expected) {
    if (row_.find(column) != nullptr) comparison_.flag(column, expected);
    return *this;
  }
  std::string take() { return comparison_.take(); }

 private:
  const json::Value& row_;
  Comparison comparison_;
};

std::string compare_run(const json::Value& row, const policy::ServingRunFacts& facts) {
  return Stated(row)
      .text("cohortKey", to_string(facts.cohort_key))
      .text("protocolKey", facts.protocol_key)
      .text("topologyKey", facts.topology_key)
      .text("metricSetKey", facts.metric_set_key)
      .text("status", facts.status)
      .text("observedAt", facts.observed_at)
      .text("qualityPolicy", facts.quality_policy)
      .text("scenario", facts.scenario)
      .text("acceleratorVendor", facts.topology.vendor)
      .text("acceleratorModel", facts.topology.model)
      .integer("acceleratorCount", facts.topology.per_node)
      .integer("nodeCount", facts.topology.nodes)
      .integer("totalAccelerators", facts.topology.total)
      .text("externalId", facts.external_id)
      .take();
}

// What a manifest names at a member of its spec.
Kind kind_at(std::string_view member) {
  if (member == "modelDigest") return Kind::model_revision;
  if (member == "stackDigest") return Kind::serving_stack_revision;
  return member == "workloadDigest" ? Kind::serving_workload : Kind::serving_configuration;
}

}  // namespace

std::expected<publish::ServingEntry, std::string> ExportReader::take_serving(
    Row row, Kind kind, std::string_view digest_column) {
  auto manifest = take_manifest(row, {&kind, 1}, digest_column);
  if (!manifest) return std::unexpected(std::move(manifest).error());
  auto problem = Stated(row.value).text("schemaVersion", std::string(manifest::kApiVersion)).take();
  if (!problem.empty()) return std::unexpected(std::move(problem));
  const auto source = source_of(row.value);
  if (!source) return std::unexpected("sourceId: its source is not here or was not taken");
  publish::ServingEntry entry{.manifest = std::move(*manifest), .source_slug = *source};
  entry.slug = text(row.value, "slug");
  entry.name = text(row.value, kind == Kind::serving_configuration ? "summary" : "name");
  entry.preset = publish::Preset{.id = std::string(text(row.value, "id")),
                                 .created_at = std::string(text(row.value, "createdAt"))};
  return entry;
}

void ExportReader::keep_serving(const json::Value& row, publish::ServingEntry entry) {
  const Digest digest = entry.manifest.digest();
  taken_.insert(digest);
  Served& served = served_[digest];
  served.id = text(row, "id");
  served.index = bundle_.serving.size();
  bundle_.serving.push_back(std::move(entry));
}

std::string ExportReader::check_served(const json::Value& row, const Manifest& by,
                                       std::string_view member, std::string_view column) const {
  const auto named = parse_digest(text(by.spec(), member));
  const auto found = named ? served_.find(*named) : served_.end();
  if (found == served_.end() ||
      bundle_.serving[found->second.index].manifest.kind() != kind_at(member)) {
    return fmt::format("manifest: its {} is not here or was not taken", member);
  }
  if (is_null(row, column) || text(row, column) == found->second.id) return "";
  return fmt::format("{}: its manifest names another object", column);
}

std::string ExportReader::add_model(Row row) {
  auto entry = take_serving(row, Kind::model_revision, "modelDigest");
  if (!entry) return entry.error();
  auto facts = policy::derive_model_facts(entry->manifest.spec());
  auto problem = Stated(row.value)
                     .text("tokenizer", facts.tokenizer)
                     .integer("parameterCount", facts.parameter_count)
                     .integer("contextLength", facts.context_length)
                     .text("license", facts.license)
                     .take();
  if (!problem.empty()) return problem;
  const Digest digest = entry->manifest.digest();
  keep_serving(row.value, std::move(*entry));
  served_[digest].model = std::move(facts);
  return "";
}

std::string ExportReader::add_stack(Row row) {
  auto entry = take_serving(row, Kind::serving_stack_revision, "stackDigest");
  if (!entry) return entry.error();
  const auto facts = policy::derive_stack_facts(entry->manifest.spec());
  auto problem =
      Stated(row.value).text("project", facts.project).text("version", facts.version).take();
  if (problem.empty()) keep_serving(row.value, std::move(*entry));
  return problem;
}

std::string ExportReader::add_configuration(Row row) {
  auto entry = take_serving(row, Kind::serving_configuration, "configurationDigest");
  if (!entry) return entry.error();
  const auto facts = policy::derive_configuration_facts(entry->manifest.spec());
  auto problem = Stated(row.value)
                     .text("dtype", facts.dtype)
                     .text("quantization", facts.quantization)
                     .integer("tensorParallel", facts.tensor_parallel)
                     .take();
  if (problem.empty()) {
    problem = check_served(row.value, entry->manifest, "stackDigest", "stackRevisionId");
  }
  if (problem.empty()) keep_serving(row.value, std::move(*entry));
  return problem;
}

std::string ExportReader::add_serving_workload(Row row) {
  auto entry = take_serving(row, Kind::serving_workload, "workloadDigest");
  if (!entry) return entry.error();
  auto facts = policy::derive_serving_workload_facts(entry->manifest.spec());
  auto problem = Stated(row.value)
                     .flag("streaming", facts.streaming)
                     .text("loadGeneration", facts.load_generation)
                     .take();
  if (!problem.empty()) return problem;
  const Digest digest = entry->manifest.digest();
  keep_serving(row.value, std::move(*entry));
  served_[digest].workload = std::move(facts);
  return "";
}

std::string ExportReader::add_serving_run(Row row) {
  const json::Value& value = row.value;
  auto entry = take_serving(row, Kind::serving_run, "runDigest");
  if (!entry) return entry.error();
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"modelDigest", "modelRevisionId"},
      {"configurationDigest", "configurationId"},
      {"workloadDigest", "workloadId"}};
  for (const auto& [member, column] : kNamed) {
    auto problem = check_served(value, entry->manifest, member, column);
    if (!problem.empty()) return problem;
  }
  const json::Value& spec = entry->manifest.spec();
  const auto served = [&](std::string_view member) {
    return served_.find(*parse_digest(text(spec, member)))->second;
  };
  auto facts = policy::derive_serving_run_facts(spec, served("modelDigest").model,
                                                served("workloadDigest").workload);
  if (!facts) return to_string(facts.error());
  auto problem = compare_run(value, *facts);
  if (!problem.empty()) return problem;
  if (is_null(value, "publishedAt") && is_null(value, "createdAt")) {
    return "createdAt: an unpublished run needs it";
  }
  publish::ServingRunPreset& run = entry->run.emplace();
  if (!is_null(value, "publishedAt")) run.published_at = std::string(text(value, "publishedAt"));
  if (!is_null(value, "retractedAt")) run.retracted_at = std::string(text(value, "retractedAt"));
  if (is_null(value, "createdAt")) entry->preset->created_at = *run.published_at;
  const Digest digest = entry->manifest.digest();
  served_runs_.emplace(entry->preset->id, digest);
  keep_serving(value, std::move(*entry));
  served_[digest].measurements = std::move(facts->measurements);
  return "";
}

std::string ExportReader::add_serving_measurement(Row row) {
  const json::Value& value = row.value;
  const auto run = served_runs_.find(std::string(text(value, "runId")));
  if (run == served_runs_.end()) return "runId: its run is not here or was not taken";
  const Served& served = served_[run->second];
  const auto found = std::ranges::find_if(served.measurements, [&](const auto& measurement) {
    return measurement.metric == text(value, "metric") &&
           measurement.statistic == text(value, "statistic");
  });
  if (found == served.measurements.end()) {
    return "metric, statistic: the run's manifest has no such measurement";
  }
  auto problem = Comparison(value)
                     .is("unit", found->unit)
                     .number("value", found->value)
                     .integer("sampleCount", found->sample_count)
                     .take();
  if (!problem.empty()) return problem;
  auto& presets = bundle_.serving[served.index].run->measurements;
  if (std::ranges::any_of(presets, [&](const publish::MeasurementPreset& preset) {
        return preset.metric == found->metric && preset.statistic == found->statistic;
      })) {
    return "metric, statistic: an earlier row has this measurement of the run";
  }
  presets.push_back({.metric = found->metric,
                     .statistic = found->statistic,
                     .id = std::string(text(value, "id"))});
  return "";
}

}  // namespace ki::importer
