// Workloads, settings and ranked cohorts of an OperationSnapshot.
#include <algorithm>
#include <cmath>
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

std::vector<policy::RankedRun> ranked_runs(const std::vector<catalog::RunLine>& lines) {
  std::vector<policy::RankedRun> out;
  out.reserve(lines.size());
  for (const catalog::RunLine& line : lines) {
    out.push_back(
        {.id = line.id,
         .value = line.value,
         .confidence = policy::stated_interval(line.uncertainty_low, line.uncertainty_high),
         .spread = policy::stated_interval(line.spread_low, line.spread_high),
         .sample_count = line.sample_count,
         .evidence = level_of(line),
         .observed_at = line.observed_at,
         .ineligible = {}});
  }
  return out;
}

std::vector<policy::RankedRun> with_providers(std::vector<policy::RankedRun> runs,
                                              const OperationSnapshot& snapshot,
                                              const std::vector<std::uint32_t>& implementations) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].provider = snapshot.implementations[implementations[i]].ref.slug;
  }
  return runs;
}

Why why_of(const policy::Place& place, const std::vector<std::uint32_t>& places) {
  Why out;
  for (const policy::PlaceReason& reason : place.reasons) {
    KI_CHECK(out.count < out.codes.size());
    out.codes.at(out.count) = static_cast<std::uint8_t>(reason.code);
    out.others.at(out.count++) = reason.other ? places[*reason.other] : kNoRun;
  }
  return out;
}

std::unexpected<Error> disagree(std::string_view comparison_key) {
  return fail(Code::internal,
              "the runs of a cohort are not those that its row counts; `ki verify` says more",
              std::string(comparison_key));
}

}  // namespace

void read_protocol_into(Setting& setting, const json::Value& root, TextPool& texts) {
  setting.pass = policy::timed_pass(root);
  const json::Value* spec = root.find("spec");
  if (spec == nullptr) return;
  setting.effect_min = policy::effect_min_of(root);
  setting.timer = texts.share(text_at(*spec, "measurement.timer").value_or(""));
  setting.protocol_text = texts.share(protocol_text(*spec));
}

void read_environment_into(Setting& setting, const json::Value& spec, TextPool& texts) {
  if (const auto count = number_at(spec, "hardware.count")) {
    setting.device_count = static_cast<std::int64_t>(*count);
  }
  if (const auto bytes = number_at(spec, "hardware.memoryBytes")) {
    // Sold in powers of ten or of two: 80 GB is either 80e9 or 80 x 2^30 bytes.
    constexpr double kBinary = 1024.0 * 1024.0 * 1024.0;
    const bool whole = std::fmod(*bytes, kBinary) == 0;
    setting.memory_gb = std::llround(*bytes / (whole ? kBinary : 1e9));
  }
  const auto vendor = ascii_lower(text_at(spec, "hardware.vendor").value_or(""));
  if (!vendor.empty()) setting.vendor = texts.share(vendor);
  setting.compiler = texts.share(text_at(spec, "software.compiler").value_or(""));
  std::vector<std::string> parts;  // "CUDA 12.8, pytorch 2.9.0", as far as stated
  if (const auto cuda = text_at(spec, "software.cudaToolkit")) {
    setting.toolkit_version = texts.share(*cuda);
    parts.push_back("CUDA " + *cuda);
  }
  if (const auto driver = text_at(spec, "software.driver")) {
    setting.driver = texts.share(*driver);
    parts.push_back("driver " + *driver);
  }
  const std::string version = text_at(spec, "software.framework.version").value_or("");
  setting.framework_version = texts.share(version);
  if (const auto name = text_at(spec, "software.framework.name")) {
    setting.framework = texts.share(*name + " " + version);
    parts.emplace_back(setting.framework);
  }
  setting.environment_text = texts.share(join(parts, ", "));
}

void name_hardware(Setting& setting, const catalog::CohortLine& line, std::string_view form_factor,
                   TextPool& texts) {
  const std::string& model = line.hardware_model;
  setting.hardware_model = texts.share(model);
  setting.hardware_names[0] = setting.hardware_model;
  if (!form_factor.empty()) {
    setting.hardware_names[1] = texts.share(model + " " + std::string(form_factor));
  }
  setting.hardware_architecture = texts.share(line.hardware_architecture);
  setting.gpu = policy::find_gpu(model, form_factor);
  // A variant that the form factor tells apart is called by its own name.
  if (setting.gpu != policy::find_gpu(model)) setting.hardware_model = setting.gpu->product;
  setting.architecture = texts.share(policy::architecture_of(model, line.hardware_architecture));
  setting.cuda_major = line.cuda_major;
  if (setting.gpu == nullptr) return;
  // Until the environment says otherwise.
  setting.vendor = setting.gpu->vendor;
  if (setting.gpu->memory_gb > 0) setting.memory_gb = setting.gpu->memory_gb;
}

CohortInfo cohort_of_line(const catalog::CohortLine& line, const Setting& setting,
                          TextPool& texts) {
  CohortInfo cohort;
  cohort.comparison_key = texts.add(line.comparison_key);
  cohort.setting = &setting;
  cohort.metric = texts.share(line.metric);
  cohort.statistic = texts.share(line.statistic);
  cohort.unit = texts.share(line.unit);
  cohort.has_value = !line.metric.empty();
  const auto metric = policy::find_metric(line.metric, line.unit);
  cohort.higher = metric && metric->direction == policy::Direction::higher;
  cohort.best_value = line.best_value;
  if (line.best_value) cohort.order_value = cohort.higher ? -*line.best_value : *line.best_value;
  cohort.source_native = line.native > 0;
  cohort.reproducible = static_cast<std::uint32_t>(line.reproducible);
  if (line.reproducible > 0) cohort.level = policy::EvidenceLevel::reproducible;
  return cohort;
}

Result<RankedRuns> load_runs(db::Connection& connection, const OperationSnapshot& snapshot,
                             std::size_t at) {
  const CohortInfo& cohort = snapshot.cohorts[at];
  const auto lines = TRY(catalog::read_cohort_runs(connection, cohort.comparison_key));
  if (lines.size() != cohort.runs.size()) return disagree(cohort.comparison_key);
  std::vector<std::uint32_t> implementations;
  for (const catalog::RunLine& line : lines) {
    const auto used = snapshot.implementation_at(line.implementation_id);
    if (!used) return disagree(cohort.comparison_key);
    implementations.push_back(static_cast<std::uint32_t>(*used));
  }
  const auto ranked = with_providers(ranked_runs(lines), snapshot, implementations);
  policy::Ranking ranking = policy::rank(ranked, cohort.ranking_options());
  std::vector<std::uint32_t> places(lines.size());
  for (std::uint32_t i = 0; i < ranking.places.size(); ++i) places[ranking.places[i].run] = i;
  RankedRuns out;
  out.runs.reserve(lines.size());
  for (const catalog::RunLine& line : lines) out.ids_bytes += line.id.size();
  out.ids = std::make_unique<char[]>(out.ids_bytes);
  char* free = out.ids.get();
  for (const policy::Place& place : ranking.places) {
    const catalog::RunLine& line = lines[place.run];
    const std::string_view id(free, line.id.size());
    free = std::ranges::copy(line.id, free).out;
    const RunInfo run{.id = id,
                      .value = line.value.value_or(0),
                      .observed = parse_instant(line.observed_at).value_or(Instant{}),
                      .workload = cohort.workload,
                      .implementation = implementations[place.run],
                      .cohort = static_cast<std::uint32_t>(at),
                      .rank = static_cast<std::uint32_t>(place.rank.value_or(0)),
                      .has_value = line.value.has_value(),
                      .tied_with_previous = place.tied_with_previous,
                      .shares_rank = place.shares_rank,
                      .level = ranked[place.run].evidence,
                      .why = why_of(place, places)};
    out.runs.push_back(run);
  }
  out.verdict = ranking.verdict.kind;
  for (const policy::PlaceReason& unclear : ranking.verdict.unclear) {
    out.unclear.push_back({unclear.code, places[*unclear.other]});
  }
  return out;
}

Result<Tallies> load_tallies(db::Connection& connection, const OperationSnapshot& snapshot,
                             std::size_t at) {
  const CohortInfo& cohort = snapshot.cohorts[at];
  const auto lines = TRY(catalog::read_cohort_tallies(connection, cohort.comparison_key));
  Tallies out;
  std::int64_t runs = 0;
  for (const catalog::TallyLine& line : lines) {
    const auto used = snapshot.implementation_at(line.implementation_id);
    if (!used) return disagree(cohort.comparison_key);
    const auto level = level_of(line);
    runs += line.runs;
    const auto same = std::ranges::find_if(
        out, [&](const auto& one) { return one.implementation == *used && one.level == level; });
    if (same != out.end()) {
      same->runs += static_cast<std::uint32_t>(line.runs);
    } else {
      out.push_back({.implementation = static_cast<std::uint32_t>(*used),
                     .runs = static_cast<std::uint32_t>(line.runs),
                     .level = level});
    }
  }
  if (runs != std::ssize(cohort.runs)) return disagree(cohort.comparison_key);
  return out;
}

Cohort cohort_of(const OperationSnapshot& snapshot, const CohortInfo& cohort) {
  const WorkloadInfo& workload = snapshot.workloads[cohort.workload];
  const std::string_view hardware = cohort.setting->hardware_names[0];
  Cohort out;
  out.comparison_key = cohort.comparison_key;
  out.profile = policy::name_of(policy::profile_of(cohort.source_native));
  out.runs = cohort.ranked();
  const auto add = [&](std::string key, std::string_view value) {
    if (!value.empty()) out.facts.push_back({.key = std::move(key), .value = std::string(value)});
  };
  add("GPU", hardware);
  add("Workload", workload.label);
  add("CUDA", cohort.setting->toolkit_version);
  add("Driver", cohort.setting->driver);
  add("Framework", cohort.setting->framework);
  add("Protocol", cohort.setting->protocol_text);
  out.description = workload.label + " on " + std::string(hardware);
  if (cohort.setting->pass) {
    out.pass = std::string(policy::name_of(*cohort.setting->pass));
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

Verdict verdict_of(const OperationSnapshot& snapshot, const RankedRuns& ranked) {
  policy::Verdict verdict{.kind = ranked.verdict, .leaders = {}, .unclear = ranked.unclear};
  std::vector<std::string> names;  // of those that the verdict speaks of
  const auto name = [&](std::size_t place) {
    names.resize(std::max(names.size(), place + 1));
    const RunInfo& run = ranked.runs[place];
    names[place] = snapshot.implementations[run.implementation].ref.name;
    return std::string(run.id);
  };
  Verdict out;
  for (std::size_t i = 0; i < ranked.runs.size() && ranked.runs[i].rank == 1; ++i) {
    verdict.leaders.push_back(i);
    out.run_ids.push_back(name(i));
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
