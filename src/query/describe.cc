#include "query/describe.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "json/write.h"
#include "policy/names.h"
#include "query/select.h"
#include "query/snapshot_build.h"
#include "query/stored.h"

namespace ki::query {
namespace {

// A value with the unit that the member's name ends in: "25.0 ms" of warmupDuration, "80.0 GiB" of
// memoryBytes, "350 W" of powerLimitWatts.
std::optional<std::string> shown(std::string_view name, std::optional<std::string> value) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"Duration", "ns"}, {"Bytes", "bytes"}, {"Watts", "W"}};
  if (!value) return value;
  for (const auto& [ending, unit] : kUnits) {
    double number = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    const bool whole = error == std::errc{} && end == value->data() + value->size();
    if (name.ends_with(ending) && whole) return policy::measured_text(number, unit);
  }
  return value;
}

class Facts {
 public:
  explicit Facts(const json::Value& spec) : spec_(spec) {}
  void add(std::string key, const std::optional<std::string>& value) {
    if (value && !value->empty()) out.push_back({.key = std::move(key), .value = *value});
  }
  // The value at `path`, when there is one.
  void take(std::string key, std::string_view path) {
    add(std::move(key), shown(path, text_at(spec_, path)));
  }
  // "<name> <version>"
  void take_versioned(std::string key, std::string_view name, std::string_view version) {
    auto text = text_at(spec_, name);
    if (const auto number = text_at(spec_, version); text && number) *text += " " + *number;
    add(std::move(key), text);
  }
  // Every member of a map, its name after `prefix`.
  void take_map(const std::string& prefix, std::string_view path) {
    const json::Value* map = at_path(spec_, path);
    if (map == nullptr || !map->is_object()) return;
    for (const json::Member& member : map->members()) {
      add(prefix + std::string(member.key), shown(member.key, text_at(*map, member.key)));
    }
  }
  std::vector<KeyValue> out;

 private:
  const json::Value& spec_;
};

std::string compact(const json::Value& value) {
  std::string out;
  json::append_compact(out, value);
  return out;
}

}  // namespace

std::optional<Interval> interval_of(const std::optional<double>& low,
                                    const std::optional<double>& high) {
  if (!low || !high || *low >= *high) return std::nullopt;
  return Interval{.low = *low, .high = *high};
}

Primary primary_of(const catalog::RunRow& run) {
  return Primary{.metric = run.primary_metric.value_or("none"),
                 .unit = run.primary_unit.value_or(""),
                 .statistic = run.primary_statistic.value_or("value"),
                 .value = run.primary_value.value_or(0),
                 .sample_count = run.sample_count,
                 .uncertainty = interval_of(run.uncertainty_low, run.uncertainty_high),
                 .spread = interval_of(run.spread_low, run.spread_high)};
}

policy::EvidenceLevel level_of(const catalog::RunRecord& record) {
  return policy::evidence_level({.approved_runners = record.trust ? record.trust->runners : 0,
                                 .source_available = record.run.source_available,
                                 .has_raw_evidence = record.run.has_raw_evidence});
}

std::vector<KeyValue> protocol_facts(const json::Value& spec) {
  Facts facts(spec);
  facts.take_versioned("harness", "harness.name", "harness.version");
  facts.take("harnessRepository", "harness.repository");
  facts.take("harnessCommit", "harness.commit");
  facts.take_map("", "measurement");
  facts.take("correctnessReference", "correctness.reference");
  facts.take("correctnessComparator", "correctness.comparator");
  facts.take_map("device ", "devicePolicy");
  facts.take("comparabilityFamily", "comparability.family");
  facts.take("comparabilityNotes", "comparability.notes");
  return std::move(facts.out);
}

std::vector<KeyValue> environment_facts(const json::Value& spec) {
  Facts facts(spec);
  auto gpu = text_at(spec, "hardware.product");
  const auto architecture = text_at(spec, "hardware.architecture");
  if (gpu && architecture) *gpu += " (" + *architecture + ")";
  facts.add("gpu", gpu);
  facts.take("formFactor", "hardware.formFactor");
  facts.take("interconnect", "hardware.interconnect");
  facts.take("memoryBytes", "hardware.memoryBytes");
  facts.take("count", "hardware.count");
  facts.take("operatingSystem", "software.operatingSystem");
  facts.take("kernel", "software.kernel");
  facts.take("driver", "software.driver");
  facts.take("cudaToolkit", "software.cudaToolkit");
  facts.take("compiler", "software.compiler");
  facts.take_versioned("framework", "software.framework.name", "software.framework.version");
  facts.take_map("", "software.libraries");
  facts.take("clocksLocked", "settings.clocksLocked");
  facts.take("persistenceMode", "settings.persistenceMode");
  facts.take("eccEnabled", "settings.eccEnabled");
  facts.take("powerLimitWatts", "settings.powerLimitWatts");
  facts.take_map("", "settings.environmentVariables");
  facts.take("imageDigest", "imageDigest");
  return std::move(facts.out);
}

std::vector<KeyValue> tensor_facts(const json::Value& workload) {
  std::vector<KeyValue> out;
  const json::Value* tensors = workload.find("tensors");
  if (tensors == nullptr || !tensors->is_object()) return out;
  for (const json::Member& tensor : tensors->members()) {
    std::string text =
        text_at(tensor.value, "dtype").value_or("") + " " + shape_text(shape_of(tensor.value));
    if (const auto strides = text_at(tensor.value, "strides")) text += " strides " + *strides;
    out.push_back({.key = std::string(tensor.key), .value = std::move(text)});
  }
  return out;
}

std::vector<KeyValue> tolerance_facts(const json::Value& workload) {
  Facts facts(workload);
  facts.take("definition comparator", "correctness.comparator");
  facts.take("max absolute error", "correctness.maxAbsoluteError");
  facts.take("max relative error", "correctness.maxRelativeError");
  facts.take("required matched ratio", "correctness.requiredMatchedRatio");
  facts.take("NaN policy", "correctness.nanPolicy");
  facts.take("infinity policy", "correctness.infinityPolicy");
  facts.take("description", "correctness.description");
  return std::move(facts.out);
}

std::map<std::string, json::Raw> axes_of(const json::Value& workload) {
  std::map<std::string, json::Raw> out;
  const json::Value* axes = workload.find("axes");
  if (axes == nullptr || !axes->is_object()) return out;
  for (const json::Member& axis : axes->members()) {
    out[std::string(axis.key)] = {.text = compact(axis.value)};
  }
  return out;
}

std::vector<KeyValue> axis_facts(const json::Value& workload) {
  Facts facts(workload);
  facts.take_map("", "axes");
  return std::move(facts.out);
}

std::vector<KeyValue> label_facts(const json::Value& manifest) {
  std::vector<KeyValue> facts;
  const json::Value* metadata = manifest.find("metadata");
  const json::Value* labels = metadata == nullptr ? nullptr : metadata->find("labels");
  if (labels == nullptr || !labels->is_object()) return facts;
  for (const json::Member& label : labels->members()) {
    if (!label.value.is_string()) continue;
    facts.push_back({.key = std::string(label.key), .value = std::string(label.value.string())});
  }
  std::ranges::sort(facts, {}, &KeyValue::key);
  return facts;
}

std::optional<Correctness> correctness_of(const json::Value& run) {
  const json::Value* correctness = run.find("correctness");
  if (correctness == nullptr) return std::nullopt;
  return Correctness{.comparator = text_at(*correctness, "comparator").value_or(""),
                     .max_absolute_error = number_at(*correctness, "maximumAbsoluteError"),
                     .max_relative_error = number_at(*correctness, "maximumRelativeError"),
                     .matched_ratio = number_at(*correctness, "matchedRatio"),
                     .passed = text_at(run, "status") == "passed"};
}

std::optional<std::map<std::string, double>> native_metrics_of(const json::Value& run) {
  const json::Value* metrics = at_path(run, "sourceNative.metrics");
  if (metrics == nullptr || !metrics->is_object()) return std::nullopt;
  std::map<std::string, double> out;
  for (const json::Member& metric : metrics->members()) {
    if (metric.value.is_number()) out[std::string(metric.key)] = metric.value.number();
  }
  return out;
}

Result<Source> source_of(const catalog::SourceLine& line, std::string observed_at) {
  Source out{.name = line.name,
             .kind = line.kind,
             .url = {},
             .license = {},
             .external_id = {},
             .observed_at = {}};
  if (!observed_at.empty()) out.observed_at = std::move(observed_at);
  if (line.policy.empty()) return out;
  const json::Document document = TRY(parse_stored(line.policy, "source " + line.slug));
  out.url = text_at(document.root, "url");
  out.license = text_at(document.root, "license");
  return out;
}

std::vector<ArtifactItem> artifact_items(const std::vector<catalog::LinkedArtifact>& artifacts) {
  std::vector<ArtifactItem> out;
  for (const auto& linked : artifacts) {
    const catalog::ArtifactRow& artifact = linked.artifact;
    std::string availability = artifact.storage == "upstream" ? "upstream" : "public";
    if (!artifact.uri && artifact.storage != "inline") availability = "unavailable";
    out.push_back({.role = linked.role,
                   .digest = artifact.content_digest,
                   .media_type = artifact.media_type,
                   .size_bytes = artifact.size_bytes,
                   .uri = artifact.uri,
                   .availability = std::move(availability)});
  }
  return out;
}

Result<RunProvenance> provenance_of(const catalog::Origin& origin, const json::Value& run) {
  RunProvenance out;
  out.external_id = text_at(run, "sourceNative.externalId");
  if (origin.link) {
    out.external_id = origin.link->external_id;
    out.source_row = origin.link->source_row;
    out.source_line = origin.link->source_line;
  }
  if (origin.snapshot) {
    out.parser_version = origin.snapshot->parser_version;
    out.snapshot_digest = origin.snapshot->content_digest;
    out.snapshot_locator = origin.snapshot->locator;
  }
  out.source.external_id = out.external_id;
  if (!origin.source) {
    out.source.name = text_at(run, "sourceNative.source").value_or("unknown");
    out.source.kind = "unknown";
    return out;
  }
  out.source.name = origin.source->name;
  out.source.kind = origin.source->kind;
  if (origin.source->policy) {
    const json::Document policy =
        TRY(parse_stored(*origin.source->policy, "source " + origin.source->slug));
    out.source.url = text_at(policy.root, "url");
    out.source.license = text_at(policy.root, "license");
  }
  return out;
}

std::optional<KnownInterval> known_interval(const Primary& primary) {
  const auto of = [](const std::optional<Interval>& stated) {
    return stated ? std::optional(policy::Interval{.low = stated->low, .high = stated->high})
                  : std::nullopt;
  };
  policy::RankedRun run{.id = {},
                        .value = primary.value,
                        .confidence = of(primary.uncertainty),
                        .spread = std::nullopt,
                        .sample_count = primary.sample_count,
                        .observed_at = {},
                        .ineligible = {}};
  const bool confidence = policy::usable_interval(run).has_value();
  run.spread = of(primary.spread);
  const auto usable = policy::usable_interval(run);
  if (!usable) return std::nullopt;
  return KnownInterval{.interval = {.low = usable->low, .high = usable->high},
                       .confidence = confidence};
}

std::string recipe_text(const InstallRecipe& recipe) {
  std::string out = recipe.kind;
  if (recipe.package) out += (recipe.kind == "package" ? " " : " package ") + *recipe.package;
  if (recipe.version) out += " " + *recipe.version;
  if (recipe.repository) out += " from " + *recipe.repository;
  if (recipe.commit) out += " at " + *recipe.commit;
  return out;
}

}  // namespace ki::query
