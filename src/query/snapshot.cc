#include "query/snapshot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "query/describe.h"
#include "query/snapshot_build.h"

namespace ki::query {

std::optional<std::int64_t> WorkloadInfo::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &std::pair<std::string, std::int64_t>::first);
  return found == axes.end() ? std::nullopt : std::optional(found->second);
}

Excluded excluded_of(const OperationSnapshot& snapshot, std::string_view comparison_key) {
  Excluded out;
  for (const auto& line : snapshot.excluded) {
    if (!comparison_key.empty() && line.comparison_key != comparison_key) continue;
    if (++out.total > static_cast<std::int64_t>(kExcludedListed)) continue;
    out.runs.push_back({.run_id = line.id,
                        .run_digest = line.digest,
                        .implementation = line.implementation_slug,
                        .code = line.retracted ? "RETRACTED" : "SUPERSEDED",
                        .reason = line.reason});
  }
  return out;
}

namespace {

class Builder {
 public:
  Builder(db::Connection& connection, const OperationEntry& entry, catalog::OperationLines lines)
      : connection_(connection),
        lines_(std::move(lines)),
        out_(std::make_shared<OperationSnapshot>()) {
    out_->id = entry.id;
    out_->ref = {.name = entry.display_name, .slug = entry.slug};
    out_->stored_name = entry.name;
    out_->family = entry.family;
    out_->pending_runs = lines_.pending_runs;
  }

  Result<std::shared_ptr<const OperationSnapshot>> build() {
    TRY(add_operation());
    TRY(add_workloads());
    TRY(add_implementations());
    out_->source_lines = std::move(lines_.sources);
    out_->excluded = std::move(lines_.excluded);
    TRY(add_runs());
    TRY(add_cohorts());
    TRY(add_unmeasured());
    TRY(add_sources());
    return std::shared_ptr<const OperationSnapshot>(std::move(out_));
  }

 private:
  Status add_operation() {
    const json::Document document = TRY(parse_stored(lines_.manifest, "operation " + out_->id));
    const json::Value* spec = document.root.find("spec");
    if (spec != nullptr) out_->dtypes = policy::derive_operation_facts(*spec).dtypes;
    out_->manifest = std::move(lines_.manifest);
    return {};
  }

  Status add_workloads() {
    for (const auto& line : lines_.workloads) {
      out_->workload_at.emplace(line.id, out_->workloads.size());
      WorkloadInfo workload = TRY(build_workload(line, out_->dtypes));
      out_->workloads.push_back(std::move(workload));
    }
    return {};
  }

  Status add_implementations() {
    for (auto& line : lines_.implementations) {
      implementation_at_.emplace(line.id, out_->implementations.size());
      ImplementationInfo info;
      info.ref = {.name = policy::implementation_display_name(
                      {.title = line.title ? std::string_view(*line.title) : std::string_view{},
                       .slug = line.slug,
                       .operation_name = out_->stored_name,
                       .operation_slug = out_->ref.slug}),
                  .slug = line.slug};
      info.project = {.name = line.project_name, .slug = line.project_slug};
      info.line = std::move(line);
      const auto manifest = TRY(catalog::read_implementation_manifest(connection_, info.line.id));
      if (manifest) {
        const json::Document document = TRY(parse_stored(*manifest, info.line.id));
        read_origins(info, document.root);
      }
      out_->implementations.push_back(std::move(info));
    }
    return {};
  }

  // Values of one metric ascend by how good they are, so that the first of a cohort is its best.
  void sort_runs() {
    const auto better_first = [](const catalog::RunLine& run) {
      const auto metric = policy::find_metric(run.metric, run.unit);
      const bool higher = metric && metric->direction == policy::Direction::higher;
      const double value = run.value.value_or(0);
      return higher ? -value : value;
    };
    std::ranges::stable_sort(lines_.runs, [&](const auto& a, const auto& b) {
      return std::tuple(!a.value, std::string_view(a.metric), std::string_view(a.unit),
                        better_first(a), std::string_view(a.id)) <
             std::tuple(!b.value, std::string_view(b.metric), std::string_view(b.unit),
                        better_first(b), std::string_view(b.id));
    });
  }

  Status add_runs() {
    sort_runs();
    for (const auto& line : lines_.runs) {
      RunInfo run = build_run(line);
      const auto workload = out_->workload_at.find(line.workload_id);
      const auto used = implementation_at_.find(line.implementation_id);
      if (workload == out_->workload_at.end() || used == implementation_at_.end()) {
        return fail(Code::internal, "a run names a workload or implementation that is not there",
                    "run " + line.id);
      }
      run.workload = workload->second;
      run.implementation = used->second;
      ImplementationInfo& implementation = out_->implementations[run.implementation];
      ++out_->workloads[run.workload].runs;
      ++implementation.runs;
      implementation.level = std::max(implementation.level.value_or(run.level), run.level);
      finish_row(run, line, implementation);
      out_->run_at.emplace(line.id, out_->runs.size());
      out_->runs.push_back(std::move(run));
    }
    return {};
  }

  void finish_row(RunInfo& run, const catalog::RunLine& line,
                  const ImplementationInfo& implementation) {
    Row measured = std::move(run.row);
    run.row = row_of(*out_, implementation);
    run.row.run_id = std::move(measured.run_id);
    run.row.run_digest = std::move(measured.run_digest);
    run.row.workload_summary = out_->workloads[run.workload].summary;
    run.row.hardware = std::move(measured.hardware);
    run.row.primary = std::move(measured.primary);
    run.row.sol_score = measured.sol_score;
    run.row.evidence = std::move(measured.evidence);
    run.row.last_tested_at = std::move(measured.last_tested_at);
    run.row.indexed_at = std::move(measured.indexed_at);
    run.row.comparison_key = line.comparison_key;
    run.row.match = "exact";
    const auto source =
        std::ranges::find(out_->source_lines, line.source_id, &catalog::SourceLine::id);
    run.licence_known = run.row.license.concluded.has_value();
    run.row.caveats = policy::caveats(
        {.source_kind = source == out_->source_lines.end() ? std::string_view{}
                                                           : std::string_view(source->kind),
         .role = implementation.line.role ? std::string_view(*implementation.line.role)
                                          : std::string_view{},
         .level = run.level,
         .source_available = run.row.source_available,
         .licence_known = run.licence_known});
  }

  Status add_cohorts() {
    for (std::size_t i = 0; i < lines_.runs.size(); ++i) {
      const auto& line = lines_.runs[i];
      const auto [found, added] =
          out_->cohort_at.try_emplace(line.comparison_key, out_->cohorts.size());
      if (added) start_cohort(line, out_->runs[i]);
      CohortInfo& cohort = out_->cohorts[found->second];
      cohort.runs.push_back(i);
      cohort.level = std::max(cohort.level, out_->runs[i].level);
    }
    for (std::size_t i = 0; i < out_->cohorts.size(); ++i) {
      const auto& line = lines_.runs[out_->cohorts[i].runs.front()];
      const Setting* setting = TRY(setting_of(line));
      rank_cohort(*out_, i, lines_.runs, *setting);
    }
    mark_secondary();
    order_cohorts();
    return {};
  }

  // Time is what is asked for unless something else is named.
  void mark_secondary() {
    constexpr std::string_view kLatency = "latency";
    std::vector<bool> timed(out_->workloads.size());
    for (const CohortInfo& cohort : out_->cohorts) {
      if (cohort.metric == kLatency) timed[cohort.workload] = true;
    }
    for (CohortInfo& cohort : out_->cohorts) {
      cohort.secondary = timed[cohort.workload] && cohort.metric != kLatency;
    }
  }

  void start_cohort(const catalog::RunLine& line, const RunInfo& run) {
    CohortInfo cohort;
    cohort.model.comparison_key = line.comparison_key;
    cohort.workload = run.workload;
    cohort.hardware_model = line.hardware_model;
    cohort.hardware_names = {line.hardware_model};
    if (!line.hardware_form_factor.empty()) {
      cohort.hardware_names.push_back(line.hardware_model + " " + line.hardware_form_factor);
    }
    cohort.hardware_architecture = line.hardware_architecture;
    cohort.gpu = policy::find_gpu(line.hardware_model, line.hardware_form_factor);
    // A variant that the form factor tells apart is called by its own name.
    if (cohort.gpu != policy::find_gpu(line.hardware_model))
      cohort.hardware_model = cohort.gpu->product;
    cohort.architecture = policy::architecture_of(line.hardware_model, line.hardware_architecture);
    cohort.cuda_major = line.cuda_major;
    cohort.metric = line.metric;
    cohort.protocol_key = line.protocol_key;
    cohort.environment_key = line.environment_key;
    out_->cohorts.push_back(std::move(cohort));
  }

  void order_cohorts() {
    std::ranges::stable_sort(out_->cohorts, [](const CohortInfo& a, const CohortInfo& b) {
      return std::tuple(-std::ssize(a.runs), !a.head, a.order_value,
                        std::string_view(a.model.comparison_key)) <
             std::tuple(-std::ssize(b.runs), !b.head, b.order_value,
                        std::string_view(b.model.comparison_key));
    });
    for (std::size_t i = 0; i < out_->cohorts.size(); ++i) {
      out_->cohort_at[out_->cohorts[i].model.comparison_key] = i;
      for (const auto run : out_->cohorts[i].runs) out_->runs[run].cohort = i;
    }
  }

  Result<const Setting*> setting_of(const catalog::RunLine& line) {
    const auto key = std::pair(line.protocol_key, line.environment_key);
    if (const auto found = settings_.find(key); found != settings_.end()) return &found->second;
    Setting setting;
    const auto protocol = TRY(catalog::read_protocol(connection_, line.protocol_key));
    if (protocol) {
      const json::Document document = TRY(parse_stored(*protocol, line.protocol_key));
      setting.pass = policy::timed_pass(document.root);
      if (const json::Value* spec = document.root.find("spec")) {
        setting.timer = text_at(*spec, "measurement.timer").value_or("");
        setting.protocol_text = protocol_text(*spec);
      }
    }
    const auto environment = TRY(catalog::read_environment(connection_, line.environment_key));
    if (environment) {
      const json::Document document = TRY(parse_stored(*environment, line.environment_key));
      if (const json::Value* spec = document.root.find("spec")) {
        read_environment_into(setting, *spec);
      }
    }
    return &settings_.emplace(key, std::move(setting)).first->second;
  }

  static void read_environment_into(Setting& setting, const json::Value& spec) {
    if (const auto count = number_at(spec, "hardware.count")) {
      setting.device_count = static_cast<std::int64_t>(*count);
    }
    if (const auto bytes = number_at(spec, "hardware.memoryBytes")) {
      // Sold in powers of ten or of two: 80 GB is either 80e9 or 80 x 2^30 bytes.
      constexpr double kBinary = 1024.0 * 1024.0 * 1024.0;
      const bool whole = std::fmod(*bytes, kBinary) == 0;
      setting.memory_gb = std::llround(*bytes / (whole ? kBinary : 1e9));
    }
    setting.vendor = ascii_lower(text_at(spec, "hardware.vendor").value_or(""));
    setting.compiler = text_at(spec, "software.compiler");
    setting.cuda = text_at(spec, "software.cudaToolkit");
    setting.driver = text_at(spec, "software.driver");
    const auto name = text_at(spec, "software.framework.name");
    setting.framework_version = text_at(spec, "software.framework.version").value_or("");
    if (name) setting.framework = *name + " " + setting.framework_version;
  }

  Status add_unmeasured() {
    for (const auto& implementation : out_->implementations) {
      if (implementation.runs > 0 || !implementation.line.own) continue;
      Support support;
      Row row = row_of(*out_, implementation);
      row.match = "supported_unobserved";
      row.hardware.model = "declared support only";
      const auto manifest =
          TRY(catalog::read_implementation_manifest(connection_, implementation.line.id));
      if (manifest) {
        const json::Document document = TRY(parse_stored(*manifest, implementation.line.id));
        const json::Value* spec = document.root.find("spec");
        if (spec != nullptr) {
          support = support_of(*spec);
          if (!support.products.empty()) row.hardware.model = support.products[0];
          row.workload_summary = policy::dtype_label(support.dtypes);
        }
      }
      row.caveats = policy::caveats({.source_kind = {},
                                     .role = implementation.line.role
                                                 ? std::string_view(*implementation.line.role)
                                                 : std::string_view{},
                                     .level = std::nullopt,
                                     .source_available = row.source_available,
                                     .licence_known = row.license.concluded.has_value()});
      row.caveats.emplace_back("Declared support only; nothing was measured");
      out_->unmeasured.push_back({.row = std::move(row), .support = std::move(support)});
    }
    return {};
  }

  Status add_sources() {
    std::map<std::string, std::string> newest;
    for (const auto& run : lines_.runs) {
      std::string& at = newest[run.source_id];
      at = std::max(at, run.observed_at);
    }
    for (const auto& line : out_->source_lines) {
      Source source = TRY(source_of(line, newest[line.id]));
      out_->sources.push_back(std::move(source));
    }
    return {};
  }

  db::Connection& connection_;
  catalog::OperationLines lines_;
  std::shared_ptr<OperationSnapshot> out_;
  std::unordered_map<std::string, std::size_t> implementation_at_;
  std::map<std::pair<std::string, std::string>, Setting> settings_;
};

}  // namespace

Result<std::shared_ptr<const OperationSnapshot>> load_snapshot(db::Connection& connection,
                                                               const OperationEntry& entry) {
  const auto snapshot = TRY(connection.snapshot());
  auto lines = TRY(catalog::read_operation(connection, entry.id));
  if (!lines) return std::shared_ptr<const OperationSnapshot>();
  return Builder(connection, entry, std::move(*lines)).build();
}

}  // namespace ki::query
