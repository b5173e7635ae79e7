#include "query/snapshot.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

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

const CohortInfo& OperationSnapshot::cohort_of_run(std::size_t run) const {
  const auto past = [](const CohortInfo& cohort) {
    return cohort.runs.empty() ? 0 : cohort.runs.back() + 1;
  };
  const auto found = std::ranges::upper_bound(cohorts, run, {}, past);
  KI_CHECK(found != cohorts.end());
  return *found;
}

std::optional<std::size_t> OperationSnapshot::implementation_at(std::string_view wanted) const {
  const auto id_of = [](const ImplementationInfo& one) { return std::string_view(one.line.id); };
  const auto found = std::ranges::lower_bound(implementations, wanted, {}, id_of);
  if (found == implementations.end() || found->line.id != wanted) return std::nullopt;
  return static_cast<std::size_t>(found - implementations.begin());
}

policy::RankingOptions CohortInfo::ranking_options() const {
  return {.metric = metric,
          .unit = unit,
          .resolution = policy::resolution_of(setting->timer, unit),
          .effect_min = setting->effect_min};
}

bool before(const OperationSnapshot& snapshot, const RunInfo& run, const RunInfo& other) {
  const auto key = [&](const RunInfo& one) {
    const CohortInfo& cohort = snapshot.cohorts[one.cohort];
    return std::tuple(!one.has_value, cohort.metric, cohort.unit,
                      cohort.higher ? -one.value : one.value, one.id);
  };
  return key(run) < key(other);
}

Excluded excluded_of(const OperationSnapshot& snapshot, std::string_view comparison_key) {
  Excluded out;
  for (const auto& line : snapshot.excluded) {
    if (!comparison_key.empty() && line.comparison_key != comparison_key) continue;
    if (++out.total > static_cast<std::int64_t>(kExcludedListed)) continue;
    out.runs.push_back({.run_id = line.id,
                        .run_digest = line.digest,
                        .implementation = line.implementation_slug,
                        .code = line.retracted                ? "RETRACTED"
                                : !line.superseded_by.empty() ? "SUPERSEDED"
                                                              : "HELD_FOR_REVIEW",
                        .reason = line.reason});
  }
  return out;
}

namespace {

class Builder {
 public:
  Builder(db::Connection& connection, Members members, catalog::OperationLines lines,
          catalog::OperationStamp stamp, const LoadOptions& options)
      : connection_(connection),
        lines_(std::move(lines)),
        out_(std::make_shared<OperationSnapshot>()) {
    out_->id = members.front()->id;
    out_->family = members.front()->family;
    for (const OperationEntry* entry : members) {
      out_->operations.push_back(
          {.ref = {.name = entry->display_name, .slug = entry->slug}, .stored_name = entry->name});
    }
    out_->ref = out_->operations.front().ref;
    out_->pending_runs = lines_.pending_runs;
    out_->stamp = std::move(stamp);
    out_->held = std::make_shared<Held>();
    out_->has_origins = options.origins;
  }

  Result<std::shared_ptr<const OperationSnapshot>> build() {
    TRY(add_operation());
    TRY(add_workloads());
    TRY(add_implementations());
    out_->excluded = std::move(lines_.excluded);
    TRY(add_cohorts());
    TRY(add_unmeasured());
    TRY(add_sources());
    out_->cohorts.shrink_to_fit();
    out_->bytes = bytes_of(*out_);
    return std::shared_ptr<const OperationSnapshot>(std::move(out_));
  }

 private:
  Status add_operation() {
    const json::Document document = TRY(parse_stored(lines_.manifest, "operation " + out_->id));
    const json::Value* spec = document.root.find("spec");
    if (spec != nullptr) {
      out_->dtypes = policy::derive_operation_facts(*spec).dtypes;
      out_->axes = declared_axes(*spec);
    }
    out_->manifest = std::move(lines_.manifest);
    return {};
  }

  Status add_workloads() {
    for (const auto& line : lines_.workloads) {
      out_->workload_at.emplace(line.id, out_->workloads.size());
      WorkloadInfo workload = TRY(build_workload(line, out_->dtypes));
      workload.operation = static_cast<std::uint32_t>(line.operation);
      out_->workloads.push_back(std::move(workload));
    }
    return {};
  }

  Status add_implementations() {
    for (auto& line : lines_.implementations) {
      ImplementationInfo info;
      const MemberOperation& operation = out_->operations[line.operation];
      info.ref = {.name = policy::implementation_display_name(
                      {.title = line.title ? std::string_view(*line.title) : std::string_view{},
                       .slug = line.slug,
                       .operation_name = operation.stored_name,
                       .operation_slug = operation.ref.slug}),
                  .slug = line.slug};
      info.deployable =
          policy::deployability({.source_available = line.source_available,
                                 .installable = line.installable,
                                 .licence_known = line.license_expression.has_value()})
              .empty();
      info.project = {.name = line.project_name, .slug = line.project_slug};
      info.line = std::move(line);
      if (out_->has_origins) {
        TRY(add_origins(info));
      }
      out_->implementations.push_back(std::move(info));
    }
    return {};
  }

  Status add_origins(ImplementationInfo& info) {
    const auto manifest = TRY(catalog::read_implementation_manifest(connection_, info.line.id));
    if (!manifest) return {};
    const json::Document document = TRY(parse_stored(*manifest, info.line.id));
    read_origins(info, document.root);
    return {};
  }

  Status add_cohorts() {
    out_->cohorts.reserve(lines_.cohorts.size());
    for (const catalog::CohortLine& line : lines_.cohorts) {
      const auto workload = out_->workload_at.find(line.workload_id);
      if (workload == out_->workload_at.end()) {
        return fail(Code::internal, "a cohort names a workload that is not there",
                    line.comparison_key);
      }
      const Setting* setting = TRY(setting_of(line));
      CohortInfo& cohort = out_->cohorts.emplace_back(cohort_of_line(line, *setting, out_->texts));
      cohort.workload = static_cast<std::uint32_t>(workload->second);
      cohort.runs = RunRange(0, static_cast<std::uint32_t>(line.runs));  // placed by their order
      out_->workloads[workload->second].runs += line.runs;
      out_->last_observed_at = std::max(out_->last_observed_at, line.last_observed_at);
      TRY(note_sources(line));
    }
    set_precedence();
    order_cohorts();
    return {};
  }

  // Most cohorts draw from one source and many were observed together: equal texts are read once.
  Status note_sources(const catalog::CohortLine& line) {
    if (!seen_sources_.insert(line.sources).second) return {};
    const json::Document document = TRY(parse_stored(line.sources, line.comparison_key));
    if (!document.root.is_object()) {
      return fail(Code::internal, "no list of sources", line.comparison_key);
    }
    for (const json::Member& one : document.root.members()) {
      std::string& newest = newest_[std::string(one.key)];
      if (one.value.is_string()) newest = std::max(newest, std::string(one.value.string()));
    }
    return {};
  }

  // Time, and of the forward pass, is what is asked for unless something else is named: values of
  // different groups never decide it.
  void set_precedence() {
    constexpr std::string_view kLatency = "latency";
    std::vector<bool> timed(out_->workloads.size());
    for (const CohortInfo& cohort : out_->cohorts) {
      if (cohort.metric == kLatency) timed[cohort.workload] = true;
    }
    for (CohortInfo& cohort : out_->cohorts) {
      const int pass = static_cast<int>(cohort.setting->pass.value_or(policy::Pass::forward));
      cohort.precedence = timed[cohort.workload] && cohort.metric != kLatency ? 10 + pass : pass;
    }
  }

  void order_cohorts() {
    auto& cohorts = out_->cohorts;
    std::ranges::sort(cohorts, {}, [](const CohortInfo& cohort) {
      return std::tuple(-std::ssize(cohort.runs), !cohort.is_ranked(), cohort.order_value,
                        cohort.comparison_key);
    });
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < cohorts.size(); ++i) {
      const std::uint32_t end = begin + static_cast<std::uint32_t>(cohorts[i].runs.size());
      cohorts[i].runs = RunRange(begin, end);
      begin = end;
      out_->cohorts_by_key.push_back(static_cast<std::uint32_t>(i));
    }
    std::ranges::sort(out_->cohorts_by_key, {},
                      [&](std::uint32_t at) { return cohorts[at].comparison_key; });
  }

  Result<const Setting*> setting_of(const catalog::CohortLine& line) {
    auto key = std::pair(line.protocol_key, line.environment_key);
    if (const auto found = settings_.find(key); found != settings_.end()) return found->second;
    TextPool& texts = out_->texts;
    Setting setting;
    setting.protocol_key = texts.share(line.protocol_key);
    setting.environment_key = texts.share(line.environment_key);
    const auto protocol = TRY(catalog::read_protocol(connection_, line.protocol_key));
    if (protocol) {
      const json::Document document = TRY(parse_stored(*protocol, line.protocol_key));
      read_protocol_into(setting, document.root, texts);
    }
    const auto environment = TRY(catalog::read_environment_line(connection_, line.environment_key));
    name_hardware(setting, line,
                  environment ? std::string_view(environment->hardware_form_factor) : "", texts);
    if (environment) {
      const json::Document document =
          TRY(parse_stored(environment->manifest, line.environment_key));
      if (const json::Value* spec = document.root.find("spec")) {
        read_environment_into(setting, *spec, texts);
      }
    }
    out_->settings.push_back(setting);
    return settings_.emplace(std::move(key), &out_->settings.back()).first->second;
  }

  Status add_unmeasured() {
    for (const auto& implementation : out_->implementations) {
      if (implementation.line.measured || !implementation.line.own) continue;
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
      row.caveats.emplace_back("Declared support only; no run of it passed");
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
  std::map<std::pair<std::string, std::string>, const Setting*> settings_;
  std::unordered_set<std::string> seen_sources_;
  std::map<std::string, std::string> newest_;  // observation by source id
};

}  // namespace

std::vector<std::string> ids_of(Members members) {
  std::vector<std::string> out;
  for (const OperationEntry* member : members) out.push_back(member->id);
  return out;
}

Result<std::shared_ptr<const OperationSnapshot>> load_snapshot(db::Connection& connection,
                                                               Members members,
                                                               const LoadOptions& options) {
  const auto snapshot = TRY(connection.snapshot());
  const auto ids = ids_of(members);
  auto lines = TRY(catalog::read_operations(connection, ids));
  if (!lines) return std::shared_ptr<const OperationSnapshot>();
  auto stamp = TRY(catalog::read_operations_stamp(connection, ids));
  return Builder(connection, members, std::move(*lines), std::move(stamp), options).build();
}

}  // namespace ki::query
