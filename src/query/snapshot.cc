#include "query/snapshot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "query/describe.h"
#include "query/rows.h"
#include "query/snapshot_build.h"

namespace ki::query {

std::optional<std::int64_t> WorkloadInfo::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &std::pair<std::string, std::int64_t>::first);
  return found == axes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> OperationSnapshot::cohort_at(std::string_view comparison_key) const {
  const auto key_of = [&](std::uint32_t at) { return cohorts[at].comparison_key; };
  const auto found = std::ranges::lower_bound(cohorts_by_key, comparison_key, {}, key_of);
  if (found == cohorts_by_key.end() || key_of(*found) != comparison_key) return std::nullopt;
  return *found;
}

std::optional<std::size_t> OperationSnapshot::run_at(std::string_view comparison_key,
                                                     std::string_view run_id) const {
  const auto cohort = cohort_at(comparison_key);
  if (!cohort) return std::nullopt;
  for (const auto run : cohorts[*cohort].runs) {
    if (runs[run].id == run_id) return run;
  }
  return std::nullopt;
}

bool OperationSnapshot::before(std::size_t run, std::size_t other) const {
  const auto key = [&](const RunInfo& one) {
    const Measure& measure = measures[one.measure];
    return std::tuple(!one.has_value, measure.metric, measure.unit,
                      measure.higher ? -one.value : one.value, one.id);
  };
  return key(runs[run]) < key(runs[other]);
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
  Builder(db::Connection& connection, const OperationEntry& entry, catalog::OperationLines lines,
          catalog::OperationStamp stamp)
      : connection_(connection),
        lines_(std::move(lines)),
        out_(std::make_shared<OperationSnapshot>()) {
    out_->id = entry.id;
    out_->ref = {.name = entry.display_name, .slug = entry.slug};
    out_->stored_name = entry.name;
    out_->family = entry.family;
    out_->pending_runs = lines_.pending_runs;
    out_->stamp = std::move(stamp);
    out_->rows = std::make_shared<RowCache>();
  }

  Result<std::shared_ptr<const OperationSnapshot>> build() {
    TRY(add_operation());
    TRY(add_workloads());
    TRY(add_implementations());
    out_->excluded = std::move(lines_.excluded);
    TRY(add_cohorts());
    TRY(add_unmeasured());
    TRY(add_sources());
    out_->runs.shrink_to_fit();
    out_->cohorts.shrink_to_fit();
    out_->bytes = bytes_of(*out_);
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
      info.deployable =
          policy::deployability({.source_available = line.source_available,
                                 .installable = line.installable,
                                 .licence_known = line.license_expression.has_value()})
              .empty();
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

  Status add_cohorts() {
    for (const catalog::CohortKey& key : lines_.cohorts) {
      CohortRuns runs;
      runs.lines = TRY(catalog::read_cohort_runs(connection_, key.comparison_key));
      if (runs.lines.empty()) continue;
      sort_best_first(runs.lines);
      const auto workload = out_->workload_at.find(key.workload_id);
      if (workload == out_->workload_at.end()) return gone(runs.lines.front());
      for (const catalog::RunLine& line : runs.lines) {
        const auto used = implementation_at_.find(line.implementation_id);
        if (used == implementation_at_.end()) return gone(line);
        runs.implementations.push_back(static_cast<std::uint32_t>(used->second));
        std::string& newest = newest_[line.source_id];
        newest = std::max(newest, line.observed_at);
        out_->last_observed_at = std::max(out_->last_observed_at, line.observed_at);
      }
      const auto group = TRY(catalog::read_group(connection_, runs.lines.front().id));
      if (!group) return gone(runs.lines.front());
      const Setting* setting = TRY(setting_of(*group));
      CohortInfo cohort = start_cohort(key, *group);
      cohort.workload = workload->second;
      query::add_cohort(*out_, std::move(cohort), runs, *setting);
    }
    mark_secondary();
    order_cohorts();
    for (std::size_t i = 0; i < out_->runs.size(); ++i) {
      auto& best = out_->implementations[out_->runs[i].implementation].best;
      if (out_->runs[i].has_value && (!best || out_->before(i, *best))) best = i;
    }
    return {};
  }

  static std::unexpected<Error> gone(const catalog::RunLine& line) {
    return fail(Code::internal, "a run names a workload or implementation that is not there",
                "run " + line.id);
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

  CohortInfo start_cohort(const catalog::CohortKey& key, const catalog::GroupLine& group) {
    TextPool& texts = out_->texts;
    CohortInfo cohort;
    cohort.comparison_key = texts.add(key.comparison_key);
    cohort.hardware_model = texts.share(group.hardware_model);
    cohort.hardware_names[0] = cohort.hardware_model;
    if (!group.hardware_form_factor.empty()) {
      cohort.hardware_names[1] =
          texts.share(group.hardware_model + " " + group.hardware_form_factor);
    }
    cohort.hardware_architecture = texts.share(group.hardware_architecture);
    cohort.gpu = policy::find_gpu(group.hardware_model, group.hardware_form_factor);
    // A variant that the form factor tells apart is called by its own name.
    if (cohort.gpu != policy::find_gpu(group.hardware_model))
      cohort.hardware_model = cohort.gpu->product;
    cohort.architecture =
        texts.share(policy::architecture_of(group.hardware_model, group.hardware_architecture));
    cohort.cuda_major = group.cuda_major;
    cohort.protocol_key = texts.share(group.protocol_key);
    cohort.environment_key = texts.share(group.environment_key);
    return cohort;
  }

  void order_cohorts() {
    auto& cohorts = out_->cohorts;
    std::ranges::sort(cohorts, {}, [](const CohortInfo& cohort) {
      return std::tuple(-std::ssize(cohort.runs), !cohort.head, cohort.order_value,
                        cohort.comparison_key);
    });
    for (std::size_t i = 0; i < cohorts.size(); ++i) {
      for (const auto run : cohorts[i].runs) out_->runs[run].cohort = static_cast<std::uint32_t>(i);
      out_->cohorts_by_key.push_back(static_cast<std::uint32_t>(i));
    }
    std::ranges::sort(out_->cohorts_by_key, {},
                      [&](std::uint32_t at) { return cohorts[at].comparison_key; });
  }

  Result<const Setting*> setting_of(const catalog::GroupLine& line) {
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

  // Those of its runs.
  Status add_sources() {
    for (auto& line : lines_.sources) {
      const auto newest = newest_.find(line.id);
      if (newest == newest_.end()) continue;
      Source source = TRY(source_of(line, newest->second));
      out_->sources.push_back(std::move(source));
      out_->source_lines.push_back(std::move(line));
    }
    return {};
  }

  db::Connection& connection_;
  catalog::OperationLines lines_;
  std::shared_ptr<OperationSnapshot> out_;
  std::unordered_map<std::string, std::size_t> implementation_at_;
  std::map<std::pair<std::string, std::string>, Setting> settings_;
  std::map<std::string, std::string> newest_;  // observation by source id
};

}  // namespace

Result<std::shared_ptr<const OperationSnapshot>> load_snapshot(db::Connection& connection,
                                                               const OperationEntry& entry) {
  const auto snapshot = TRY(connection.snapshot());
  auto lines = TRY(catalog::read_operation(connection, entry.id));
  if (!lines) return std::shared_ptr<const OperationSnapshot>();
  auto stamp = TRY(catalog::read_operation_stamp(connection, entry.id));
  return Builder(connection, entry, std::move(*lines), std::move(stamp)).build();
}

}  // namespace ki::query
