// Resolver::cases: every exact question about an operation that has an answer.
#include <set>
#include <tuple>

#include "query/answer.h"
#include "query/parse.h"
#include "query/resolver_impl.h"
#include "query/select.h"

namespace ki::query {
namespace {

// The words that a request about this workload can add, "" for none: dtypes, hardware, passes.
struct Choices {
  std::set<std::string> dtypes{""};
  std::set<std::string> hardware{""};
  std::set<std::optional<policy::Pass>> passes{std::nullopt};
};

Choices choices_of(const OperationSnapshot& snapshot, std::size_t workload) {
  Choices out;
  const auto& dtypes = snapshot.workloads[workload].match_dtypes;
  out.dtypes.insert(dtypes.begin(), dtypes.end());
  for (const CohortInfo& cohort : snapshot.cohorts) {
    if (cohort.workload != workload) continue;
    out.hardware.emplace(cohort.setting->hardware_model);
    // As answers show it: a name that environments of several products may share, so that only the
    // resolver knows which of them it means here.
    for (const std::string_view name : cohort.setting->hardware_names) {
      if (!name.empty()) out.hardware.emplace(name);
    }
    if (cohort.setting->gpu != nullptr) out.hardware.emplace(cohort.setting->gpu->product);
    out.passes.insert(cohort.setting->pass);
  }
  return out;
}

Facets facets_of(const ExactCase& one, std::optional<policy::Pass> pass,
                 const std::string& operation) {
  KernelRequest request;
  request.operation.emplace().name = operation;
  auto& axes = request.operation->axes.emplace();
  for (const auto& [name, value] : one.axes) axes[name] = static_cast<double>(value);
  auto& environment = request.environment.emplace();
  if (!one.hardware.empty()) environment.hardware_product = one.hardware;
  if (!one.dtype.empty()) environment.dtype = one.dtype;
  Facets facets = read_request(request).facets;
  if (pass) facets.pass = PassFacet{.pass = *pass};
  return facets;
}

class Collector {
 public:
  explicit Collector(const RowSource& rows) : rows_(rows), snapshot_(rows.snapshot) {}

  void add(std::size_t workload) {
    const Choices choices = choices_of(snapshot_, workload);
    ExactCase one;
    one.axes = axes_of(snapshot_.workloads[workload]);
    for (const auto& hardware : choices.hardware) {
      one.hardware = hardware;
      for (const auto& dtype : choices.dtypes) {
        one.dtype = dtype;
        for (const auto& pass : choices.passes) {
          one.pass = pass ? policy::name_of(*pass) : "";
          add(one, pass);
        }
      }
    }
  }

  ExactAnswers take() { return std::move(out_); }

 private:
  // What tells a workload apart from others in a request: of a suite nothing.
  static std::map<std::string, std::int64_t> axes_of(const WorkloadInfo& workload) {
    if (workload.suite) return {};
    return {workload.axes.begin(), workload.axes.end()};
  }

  void add(ExactCase one, std::optional<policy::Pass> pass) {
    const Selection selection = select(facets_of(one, pass, snapshot_.ref.slug), rows_, {});
    if (!selection.cohort || !selection.satisfied) return;
    // Without axes the resolver may choose any workload: one that has some is another question.
    const auto& chosen = snapshot_.workloads[snapshot_.cohorts[*selection.cohort].workload];
    if (axes_of(chosen) != one.axes) return;
    // Equivalent operations have workloads of the same axes.
    if (!seen_.emplace(one.axes, one.dtype, one.hardware, one.pass).second) return;
    one.cohort = position_of(*selection.cohort);
    out_.cases.push_back(std::move(one));
  }

  std::size_t position_of(std::size_t cohort) {
    const auto [known, is_new] = position_at_.try_emplace(cohort, out_.cohorts.size());
    if (is_new) {
      const CohortInfo& info = snapshot_.cohorts[cohort];
      RankedCohort& ranked = out_.cohorts.emplace_back();
      ranked.cohort = cohort_of(snapshot_, info);
      ranked.hardware = info.setting->hardware_model;
      for (const std::string_view name : info.setting->hardware_names) {
        if (!name.empty() || ranked.also_called.empty()) ranked.also_called.emplace_back(name);
      }
      ranked.product = info.setting->gpu == nullptr ? "" : info.setting->gpu->product;
      ranked.verdict = rows_.verdict(info);
      for (const auto run : info.runs) ranked.rows.push_back(rows_.finished(run));
    }
    return known->second;
  }

  const RowSource& rows_;
  const OperationSnapshot& snapshot_;
  ExactAnswers out_;
  std::map<std::size_t, std::size_t> position_at_;  // of a cohort of the snapshot
  std::set<std::tuple<std::map<std::string, std::int64_t>, std::string, std::string, std::string>>
      seen_;  // axes, dtype, hardware, pass
};

}  // namespace

Result<ExactAnswers> Resolver::cases(std::string_view operation) const {
  const auto state = TRY(impl_->steady());
  const auto current = TRY(impl_->index());
  const std::size_t at = TRY(operation_at(*current, operation));
  const auto snapshot = TRY(impl_->snapshot(current, at));
  if (!snapshot) return fail(Code::unavailable, "the catalog is being changed; try again");
  RowReader reader = impl_->reader(snapshot);
  const RowSource rows = reader.source(impl_->clock.now());
  Collector collector(rows);
  for (std::size_t i = 0; i < snapshot->workloads.size(); ++i) {
    if (snapshot->workloads[i].runs > 0) collector.add(i);
  }
  TRY(reader.status());
  return collector.take();
}

}  // namespace ki::query
