// Stored manifests as lists of facts for people: protocol, environment, tensors, tolerance. Pure;
// each takes the `spec` of a manifest and leaves out what it does not state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/read_cohort.h"
#include "catalog/read_operation.h"
#include "catalog/read_run.h"
#include "json/value.h"
#include "json/wire.h"
#include "policy/ranking.h"
#include "query/model_common.h"
#include "query/model_implementation_parts.h"
#include "query/model_run_parts.h"

namespace ki::query {

// An interval as it is shown. One end unknown, or no width at all (as of a single timed call),
// tells nothing of the spread: nullopt, as the ranking has it too.
std::optional<Interval> interval_of(const std::optional<double>& low,
                                    const std::optional<double>& high);

// The figure of a stored run; one without a value has the metric "none" and the value 0.
Primary primary_of(const catalog::RunRow& run);

// The figure of a line of a listing (catalog::RunLine, catalog::RunListing); nullopt without a
// value.
inline constexpr std::string_view kNoStatistic = "value";  // what one that is not stated is called

template <class Line>
std::optional<Primary> figure_of(const Line& line) {
  if (!line.value) return std::nullopt;
  return Primary{.metric = line.metric,
                 .unit = line.unit,
                 .statistic = line.statistic.empty() ? std::string(kNoStatistic) : line.statistic,
                 .value = *line.value,
                 .sample_count = line.sample_count,
                 .uncertainty = interval_of(line.uncertainty_low, line.uncertainty_high),
                 .spread = interval_of(line.spread_low, line.spread_high)};
}

// The level that stored evidence has: of a run, or of several that are alike in it.
template <class Line>
policy::EvidenceLevel level_of(const Line& line) {
  return policy::evidence_level({.approved_runners = line.approved_runners,
                                 .source_available = line.source_available,
                                 .has_raw_evidence = line.has_raw_evidence});
}

policy::EvidenceLevel level_of(const catalog::RunRecord& record);

std::vector<KeyValue> protocol_facts(const json::Value& spec);
std::vector<KeyValue> environment_facts(const json::Value& spec);
// "fp32 [768, 768]" by tensor name, in stored order.
std::vector<KeyValue> tensor_facts(const json::Value& workload);
std::vector<KeyValue> tolerance_facts(const json::Value& workload);
// The axes of a case: by name, and in stored order.
std::map<std::string, json::Raw> axes_of(const json::Value& workload);
std::vector<KeyValue> axis_facts(const json::Value& workload);

// The labels of a whole manifest's metadata, by name.
std::vector<KeyValue> label_facts(const json::Value& manifest);

std::optional<Correctness> correctness_of(const json::Value& run);
std::optional<std::map<std::string, double>> native_metrics_of(const json::Value& run);

// A source with the newest observation that an answer draws from it; "" = none.
Result<Source> source_of(const catalog::SourceLine& line, std::string observed_at);

std::vector<ArtifactItem> artifact_items(const std::vector<catalog::LinkedArtifact>& artifacts);

// Source and, where it is known, the file and line the object was read from.
Result<RunProvenance> provenance_of(const catalog::Origin& origin, const json::Value& run);

// The interval that ranks and pictures use: as stated, around the value, and of some width.
struct KnownInterval {
  Interval interval;
  bool confidence = false;  // the declared 95 % interval, else p20 to p80
};
std::optional<KnownInterval> known_interval(const Primary& primary);

// "pip package liger-kernel 0.5.0": what a recipe states, in words.
std::string recipe_text(const InstallRecipe& recipe);

}  // namespace ki::query
