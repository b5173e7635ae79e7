// Workloads, rows and ranked cohorts of an OperationSnapshot.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "policy/ranking.h"
#include "query/describe.h"
#include "query/snapshot_build.h"

namespace ki::query {

std::vector<std::int64_t> shape_of(const json::Value& tensor) {
  std::vector<std::int64_t> out;
  const json::Value* shape = tensor.find("shape");
  if (shape == nullptr || !shape->is_array()) return out;
  for (const json::Value& size : shape->items()) {
    if (size.is_number()) out.push_back(static_cast<std::int64_t>(size.number()));
  }
  return out;
}

namespace {

void read_case(WorkloadInfo& workload, const json::Value& spec) {
  const json::Value* axes = spec.find("axes");
  if (axes != nullptr) {
    for (const json::Member& axis : axes->members()) {
      if (!axis.value.is_number()) continue;
      workload.axes.emplace_back(axis.key, static_cast<std::int64_t>(axis.value.number()));
    }
  }
  const json::Value* tensors = spec.find("tensors");
  if (tensors == nullptr) return;
  for (const json::Member& tensor : tensors->members()) {
    workload.tensors.push_back({.name = std::string(tensor.key),
                                .dtype = text_at(tensor.value, "dtype").value_or(""),
                                .shape = shape_of(tensor.value)});
  }
}

void read_suite(WorkloadInfo& workload, const json::Value& spec) {
  const json::Value* cases = spec.find("cases");
  if (cases == nullptr || !cases->is_array()) return;
  std::set<std::string, std::less<>> names;
  for (const json::Value& one : cases->items()) {
    const json::Value* axes = one.find("axes");
    if (axes == nullptr || !axes->is_object()) continue;
    for (const json::Member& axis : axes->members()) {
      if (!names.contains(axis.key)) names.emplace(axis.key);
    }
  }
  workload.suite_axes.assign(names.begin(), names.end());
}

// Rows name a workload by its dtypes and shape; one without tensors has no shape that could tell it
// from its neighbours, so its axes stand there.
std::string summary_of(const WorkloadInfo& workload) {
  const bool shaped = workload.shape_summary != "[]" && workload.shape_summary != "?";
  if (shaped) return policy::row_summary(workload.dtypes, workload.shape_summary);
  return workload.label.empty() ? "no axes stated" : workload.label;
}

}  // namespace

Result<WorkloadInfo> build_workload(const catalog::WorkloadLine& line,
                                    const std::vector<std::string>& operation_dtypes) {
  WorkloadInfo out;
  out.id = line.id;
  out.digest = line.digest;
  out.suite = line.suite;
  out.shape_summary = line.shape_summary;
  out.dtypes = TRY(parse_list(line.dtypes, "workload " + line.id));
  out.layouts = TRY(parse_list(line.layout_keys, "workload " + line.id));
  out.match_dtypes = out.dtypes.empty() ? operation_dtypes : out.dtypes;
  const json::Document document = TRY(parse_stored(line.manifest, "workload " + line.id));
  const json::Value* spec = document.root.find("spec");
  if (spec == nullptr) return fail(Code::internal, "a stored workload has no spec", line.id);
  out.label = policy::workload_label(*spec);
  out.summary = summary_of(out);
  out.tolerance_summary = policy::tolerance_summary(*spec);
  out.suite ? read_suite(out, *spec) : read_case(out, *spec);
  return out;
}

void read_origins(ImplementationInfo& into, const json::Value& manifest) {
  const auto names = [&](std::string_view list, std::string_view name,
                         std::vector<std::string>& out) {
    const json::Value* items = at_path(manifest, list);
    if (items == nullptr || !items->is_array()) return;
    for (const json::Value& item : items->items()) {
      if (auto found = text_at(item, name)) out.push_back(std::move(*found));
    }
  };
  names("metadata.authors", "name", into.authors);
  names("spec.buildVariants", "install.package", into.packages);
}

void sort_best_first(std::vector<catalog::RunLine>& lines) {
  const auto better_first = [](const catalog::RunLine& run) {
    const auto metric = policy::find_metric(run.metric, run.unit);
    const bool higher = metric && metric->direction == policy::Direction::higher;
    const double value = run.value.value_or(0);
    return higher ? -value : value;
  };
  std::ranges::sort(lines, {}, [&](const catalog::RunLine& run) {
    return std::tuple(!run.value, std::string_view(run.metric), std::string_view(run.unit),
                      better_first(run), std::string_view(run.id));
  });
}

std::string protocol_text(const json::Value& spec) {
  std::vector<std::string> parts;
  std::string harness = text_at(spec, "harness.name").value_or("");
  if (const auto version = text_at(spec, "harness.version")) harness += " " + *version;
  parts.push_back(std::move(harness));
  const std::string statistic = text_at(spec, "measurement.primaryStatistic").value_or("");
  const auto samples = text_at(spec, "measurement.samples");
  if (statistic != "unspecified" && !statistic.empty()) {
    parts.push_back(samples ? statistic + " of " + *samples : statistic);
  }
  if (text_at(spec, "measurement.compileIncluded") == "false")
    parts.emplace_back("compile excluded");
  return join(parts, ", ");
}

namespace {

policy::EvidenceLevel level_of(const catalog::RunLine& line) {
  return policy::evidence_level({.independent_replications = 0,
                                 .rerun_by_operator = false,
                                 .source_available = line.source_available,
                                 .has_raw_evidence = line.has_raw_evidence});
}

std::vector<policy::RankedRun> ranked_runs(const std::vector<catalog::RunLine>& lines) {
  std::vector<policy::RankedRun> out;
  out.reserve(lines.size());
  for (const catalog::RunLine& line : lines) {
    out.push_back({.id = line.id,
                   .value = line.value,
                   .confidence = stated_interval(line.uncertainty_low, line.uncertainty_high),
                   .spread = stated_interval(line.spread_low, line.spread_high),
                   .sample_count = line.sample_count,
                   .evidence = level_of(line),
                   .observed_at = line.observed_at,
                   .ineligible = {}});
  }
  return out;
}

// "CUDA 12.8, pytorch 2.9.0", as far as stated.
std::string environment_text(const Setting& setting) {
  std::vector<std::string> parts;
  if (setting.cuda) parts.push_back("CUDA " + *setting.cuda);
  if (setting.driver) parts.push_back("driver " + *setting.driver);
  if (setting.framework) parts.push_back(*setting.framework);
  return join(parts, ", ");
}

std::uint16_t measure_of(OperationSnapshot& snapshot, const catalog::RunLine& line) {
  const auto metric = policy::find_metric(line.metric, line.unit);
  const Measure measure{.metric = snapshot.texts.share(line.metric),
                        .statistic = snapshot.texts.share(line.statistic),
                        .unit = snapshot.texts.share(line.unit),
                        .higher = metric && metric->direction == policy::Direction::higher};
  auto& measures = snapshot.measures;
  const auto known = std::ranges::find(measures, measure);
  const auto at = static_cast<std::size_t>(known - measures.begin());
  // Nobody has as many; if so, those left over are called like the last.
  if (known == measures.end() && at < kMeasuresMax) measures.push_back(measure);
  return static_cast<std::uint16_t>(std::min(at, kMeasuresMax - 1));
}

Why why_of(const policy::Place& place, const std::vector<std::uint32_t>& position) {
  Why out;
  for (const policy::PlaceReason& reason : place.reasons) {
    KI_CHECK(out.count < out.codes.size());
    out.codes.at(out.count) = static_cast<std::uint8_t>(reason.code);
    out.others.at(out.count++) = reason.other ? position[*reason.other] : kNoRun;
  }
  return out;
}

// What the protocol and the environment say.
void describe_setting(TextPool& texts, CohortInfo& cohort, const Setting& setting) {
  cohort.device_count = setting.device_count;
  const policy::Gpu* gpu = cohort.gpu;
  cohort.vendor = texts.share(setting.vendor);
  if (cohort.vendor.empty() && gpu != nullptr) cohort.vendor = gpu->vendor;
  cohort.memory_gb = setting.memory_gb;
  if (!cohort.memory_gb && gpu != nullptr && gpu->memory_gb > 0) cohort.memory_gb = gpu->memory_gb;
  cohort.driver = texts.share(setting.driver.value_or(""));
  cohort.compiler = texts.share(setting.compiler.value_or(""));
  cohort.toolkit_version = texts.share(setting.cuda.value_or(""));
  cohort.framework = texts.share(setting.framework.value_or(""));
  cohort.framework_version = texts.share(setting.framework_version);
  cohort.pass = setting.pass;
  cohort.protocol_text = texts.share(setting.protocol_text);
  cohort.environment_text = texts.share(environment_text(setting));
}

}  // namespace

void add_cohort(OperationSnapshot& into, CohortInfo cohort, const CohortRuns& given,
                const Setting& setting) {
  const catalog::RunLine& first = given.lines.front();
  auto ranked = ranked_runs(given.lines);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i].provider = into.implementations[given.implementations[i]].ref.slug;
  }
  cohort.resolution = policy::resolution_of(setting.timer, first.unit);
  const policy::Ranking ranking = policy::rank(
      ranked, {.metric = first.metric, .unit = first.unit, .resolution = cohort.resolution});
  const Measure& measure = into.measures[measure_of(into, first)];
  cohort.metric = measure.metric;
  cohort.statistic = measure.statistic;
  cohort.unit = measure.unit;
  cohort.has_value = first.value.has_value();
  describe_setting(into.texts, cohort, setting);
  const auto begin = static_cast<std::uint32_t>(into.runs.size());
  const auto end = begin + static_cast<std::uint32_t>(ranking.places.size());
  cohort.runs = RunRange(begin, end);
  std::vector<std::uint32_t> position(given.lines.size());
  for (std::uint32_t i = begin; i < end; ++i) position[ranking.places[i - begin].run] = i;
  for (const policy::Place& place : ranking.places) {
    const catalog::RunLine& line = given.lines[place.run];
    RunInfo run{.id = into.texts.add(line.id),
                .value = line.value.value_or(0),
                .observed = parse_instant(line.observed_at).value_or(Instant{}),
                .workload = static_cast<std::uint32_t>(cohort.workload),
                .implementation = given.implementations[place.run],
                .cohort = 0,  // as soon as they are in order
                .rank = static_cast<std::uint32_t>(place.rank.value_or(0)),
                .measure = measure_of(into, line),
                .has_value = line.value.has_value(),
                .tied_with_previous = place.tied_with_previous,
                .shares_rank = place.shares_rank,
                .level = ranked[place.run].evidence,
                .why = why_of(place, position)};
    ++into.workloads[run.workload].runs;
    ImplementationInfo& implementation = into.implementations[run.implementation];
    ++implementation.runs;
    const policy::EvidenceLevel level = run.level;
    implementation.level = std::max(implementation.level.value_or(level), level);
    cohort.level = std::max(cohort.level, level);
    cohort.source_native = cohort.source_native || line.source_native;
    into.runs.push_back(run);
  }
  cohort.ranked = ranking.ranked;
  cohort.verdict = ranking.verdict.kind;
  for (const policy::PlaceReason& unclear : ranking.verdict.unclear) {
    cohort.unclear.push_back({unclear.code, position[*unclear.other] - begin});
  }
  if (ranking.ranked > 0) {
    cohort.head = begin;
    const RunInfo& head = into.runs[begin];
    cohort.order_value = into.measures[head.measure].higher ? -head.value : head.value;
  }
  into.cohorts.push_back(std::move(cohort));
}

Cohort cohort_of(const OperationSnapshot& snapshot, const CohortInfo& cohort) {
  const WorkloadInfo& workload = snapshot.workloads[cohort.workload];
  const std::string_view hardware = cohort.hardware_names[0];
  Cohort out;
  out.comparison_key = cohort.comparison_key;
  out.profile = policy::name_of(policy::profile_of(cohort.source_native));
  out.runs = cohort.ranked;
  const auto add = [&](std::string key, std::string_view value) {
    if (!value.empty()) out.facts.push_back({.key = std::move(key), .value = std::string(value)});
  };
  add("GPU", hardware);
  add("Workload", workload.label);
  add("CUDA", cohort.toolkit_version);
  add("Driver", cohort.driver);
  add("Framework", cohort.framework);
  add("Protocol", cohort.protocol_text);
  out.description = workload.label + " on " + std::string(hardware);
  if (cohort.pass) {
    out.pass = std::string(policy::name_of(*cohort.pass));
    add("Pass", *out.pass);
    out.description += ", " + *out.pass + " pass";
  }
  if (cohort.has_value) {
    out.metric = std::string(cohort.metric);
    out.unit = std::string(cohort.unit);
    out.description +=
        ", " + std::string(cohort.statistic) + " " + *out.metric + " in " + *out.unit;
  }
  return out;
}

Verdict verdict_of(const OperationSnapshot& snapshot, const CohortInfo& cohort) {
  const auto leads = [&](std::uint32_t run) { return snapshot.runs[run].rank == 1; };
  policy::Verdict verdict{.kind = cohort.verdict, .leaders = {}, .unclear = cohort.unclear};
  std::vector<std::string> names;  // of those that the verdict speaks of
  const auto name = [&](std::size_t position) {
    names.resize(std::max(names.size(), position + 1));
    const RunInfo& run = snapshot.runs[cohort.runs[static_cast<std::uint32_t>(position)]];
    names[position] = snapshot.implementations[run.implementation].ref.name;
    return std::string(run.id);
  };
  Verdict out;
  for (const auto run : cohort.runs | std::views::take_while(leads)) {
    verdict.leaders.push_back(run - cohort.runs.front());
    out.run_ids.push_back(name(verdict.leaders.back()));
  }
  for (const auto& unclear : verdict.unclear) {
    std::string id = name(*unclear.other);
    if (std::ranges::find(out.run_ids, id) == out.run_ids.end())
      out.run_ids.push_back(std::move(id));
  }
  out.code = policy::name_of(verdict.kind);
  out.text = policy::explain(verdict, names);
  return out;
}

}  // namespace ki::query
