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

Row row_of(const OperationSnapshot& snapshot, const ImplementationInfo& implementation) {
  const catalog::ImplementationLine& line = implementation.line;
  Row row;
  row.implementation = implementation.ref;
  row.project = implementation.project;
  row.operation = snapshot.ref;
  if (line.install_command) {
    row.install =
        Install{.kind = line.install_kind.value_or("source"), .command = *line.install_command};
  }
  if (line.source_revision)
    row.revision = std::string(policy::short_revision(*line.source_revision));
  row.framework = line.framework;
  row.language = line.language;
  row.baseline = line.role == "baseline";
  row.source_available = line.source_available;
  row.installable = line.installable;
  row.license = {.declared = line.license_declared, .concluded = line.license_expression};
  row.deployability_reasons =
      policy::deployability({.source_available = line.source_available,
                             .installable = line.installable,
                             .licence_known = line.license_expression.has_value()});
  return row;
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

RunInfo build_run(const catalog::RunLine& line) {
  RunInfo run;
  run.observed = parse_instant(line.observed_at).value_or(Instant{});
  run.level = policy::evidence_level({.independent_replications = 0,
                                      .rerun_by_operator = false,
                                      .source_available = line.source_available,
                                      .has_raw_evidence = line.has_raw_evidence});
  Row& row = run.row;
  row.run_id = line.id;
  row.run_digest = line.digest;
  row.hardware = {.model = line.hardware_model, .architecture = line.hardware_architecture};
  row.primary = figure_of(line);
  row.sol_score = line.sol_score;
  row.evidence = std::string(policy::name_of(run.level));
  row.last_tested_at = line.observed_at;
  if (!line.published_at.empty()) row.indexed_at = line.published_at;
  return run;
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

std::vector<policy::RankedRun> ranked_runs(const OperationSnapshot& snapshot,
                                           const CohortInfo& cohort,
                                           const std::vector<catalog::RunLine>& lines) {
  std::vector<policy::RankedRun> out;
  out.reserve(cohort.runs.size());
  for (const auto at : cohort.runs) {
    const catalog::RunLine& line = lines[at];
    out.push_back({.id = line.id,
                   .value = line.value,
                   .confidence = stated_interval(line.uncertainty_low, line.uncertainty_high),
                   .spread = stated_interval(line.spread_low, line.spread_high),
                   .sample_count = line.sample_count,
                   .evidence = snapshot.runs[at].level,
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

void describe_cohort(CohortInfo& cohort, const catalog::RunLine& line, const WorkloadInfo& workload,
                     const Setting& setting) {
  Cohort& model = cohort.model;
  const auto add = [&](std::string key, const std::optional<std::string>& value) {
    if (value && !value->empty()) model.facts.push_back({.key = std::move(key), .value = *value});
  };
  add("GPU", line.hardware_model);
  add("Workload", workload.label);
  add("CUDA", setting.cuda);
  add("Driver", setting.driver);
  add("Framework", setting.framework);
  add("Protocol", setting.protocol_text);
  model.description = workload.label + " on " + line.hardware_model;
  if (setting.pass) {
    model.pass = std::string(policy::name_of(*setting.pass));
    add("Pass", model.pass);
    model.description += ", " + *model.pass + " pass";
  }
  if (line.value) {
    model.metric = line.metric;
    model.unit = line.unit;
    model.description += ", " + line.statistic + " " + line.metric + " in " + line.unit;
  }
}

Verdict verdict_of(const policy::Verdict& verdict, const std::vector<policy::RankedRun>& runs,
                   const std::vector<std::string>& names) {
  Verdict out{.code = std::string(policy::name_of(verdict.kind)),
              .text = policy::explain(verdict, names),
              .run_ids = {}};
  for (const auto leader : verdict.leaders) out.run_ids.emplace_back(runs[leader].id);
  for (const auto& unclear : verdict.unclear) {
    if (!unclear.other) continue;
    std::string id(runs[*unclear.other].id);
    if (std::ranges::find(out.run_ids, id) == out.run_ids.end())
      out.run_ids.push_back(std::move(id));
  }
  return out;
}

// Runs of one implementation that share the first rank leave no doubt which implementation leads.
void settle_tie(Verdict& verdict, const policy::Ranking& ranking, const OperationSnapshot& snapshot,
                const CohortInfo& cohort) {
  if (ranking.verdict.kind != policy::VerdictKind::tie) return;
  const auto slug_of = [&](std::size_t run) {
    return std::string_view(snapshot.runs[cohort.runs[run]].row.implementation.slug);
  };
  const auto& leaders = ranking.verdict.leaders;
  const std::string_view first = slug_of(leaders.front());
  const auto is_first = [&](std::size_t run) { return slug_of(run) == first; };
  if (!std::ranges::all_of(leaders, is_first)) return;
  bool alone = true;
  for (std::size_t i = 0; i < cohort.runs.size(); ++i) alone = alone && is_first(i);
  const std::string& name = snapshot.runs[cohort.runs[leaders.front()]].row.implementation.name;
  verdict.code =
      policy::name_of(alone ? policy::VerdictKind::only_run : policy::VerdictKind::winner);
  verdict.text = name + (alone ? " is the only implementation: its " : " leads: its ") +
                 std::to_string(leaders.size()) + " runs share the first rank";
}

// Finishes the rows of a ranked cohort and puts its runs in display order.
void apply(OperationSnapshot& snapshot, CohortInfo& cohort, const policy::Ranking& ranking,
           const std::vector<policy::RankedRun>& runs, const policy::RankingOptions& options) {
  std::vector<std::size_t> order;
  std::optional<double> best;
  for (const policy::Place& place : ranking.places) {
    const std::size_t at = cohort.runs[place.run];
    order.push_back(at);
    Row& row = snapshot.runs[at].row;
    row.rank = place.rank;
    row.tied_with_previous = place.tied_with_previous;
    row.shares_rank = place.shares_rank;
    for (auto& reason : policy::explain(place, runs, options)) {
      row.rank_reasons.push_back({.code = std::move(reason.code), .text = std::move(reason.text)});
    }
    row.pass = cohort.model.pass;
    if (!place.rank) continue;
    row.cohort_size = ranking.ranked;
    if (!best) {
      best = row.primary->value;
      cohort.head = Head{
          .run_id = *row.run_id, .implementation = row.implementation, .primary = *row.primary};
    }
    if (*best != 0) row.relative = row.primary->value / *best;
  }
  cohort.runs = std::move(order);
}

}  // namespace

void rank_cohort(OperationSnapshot& snapshot, std::size_t cohort_at,
                 const std::vector<catalog::RunLine>& lines, const Setting& setting) {
  CohortInfo& cohort = snapshot.cohorts[cohort_at];
  const catalog::RunLine& first = lines[cohort.runs.front()];
  const auto runs = ranked_runs(snapshot, cohort, lines);
  const policy::RankingOptions options{
      .metric = first.metric,
      .unit = first.unit,
      .resolution = policy::resolution_of(setting.timer, first.unit)};
  const policy::Ranking ranking = policy::rank(runs, options);
  std::vector<std::string> names;
  bool native = false;
  for (const auto at : cohort.runs) {
    names.push_back(snapshot.runs[at].row.implementation.name);
    native = native || lines[at].source_native;
  }
  cohort.verdict = verdict_of(ranking.verdict, runs, names);
  settle_tie(cohort.verdict, ranking, snapshot, cohort);
  cohort.model.profile = std::string(policy::name_of(policy::profile_of(native)));
  cohort.model.runs = ranking.ranked;
  cohort.device_count = setting.device_count;
  const policy::Gpu* gpu = cohort.gpu;
  cohort.vendor = setting.vendor;
  if (cohort.vendor.empty() && gpu != nullptr) cohort.vendor = gpu->vendor;
  cohort.memory_gb = setting.memory_gb;
  if (!cohort.memory_gb && gpu != nullptr && gpu->memory_gb > 0) cohort.memory_gb = gpu->memory_gb;
  cohort.driver = setting.driver.value_or("");
  cohort.compiler = setting.compiler.value_or("");
  cohort.toolkit_version = setting.cuda.value_or("");
  cohort.framework_version = setting.framework_version;
  cohort.statistic = first.statistic;
  cohort.pass = setting.pass;
  cohort.protocol_text = setting.protocol_text;
  cohort.environment_text = environment_text(setting);
  describe_cohort(cohort, first, snapshot.workloads[cohort.workload], setting);
  apply(snapshot, cohort, ranking, runs, options);
  if (cohort.head) {
    const auto metric = policy::find_metric(first.metric, first.unit);
    const bool higher = metric && metric->direction == policy::Direction::higher;
    cohort.order_value = higher ? -cohort.head->primary.value : cohort.head->primary.value;
  }
}

}  // namespace ki::query
