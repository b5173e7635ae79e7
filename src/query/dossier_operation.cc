// Resolver::operation: what an operation computes and what was measured of it.
#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "query/answer.h"
#include "query/describe.h"
#include "query/parse.h"
#include "query/resolver_impl.h"
#include "query/stored.h"
#include "query/sweep.h"
#include "query/tags.h"

namespace ki::query {
namespace {

// "[m, 4096]": names of axes and whole numbers as the operation writes them.
std::string dimensions_text(const json::Value& tensor) {
  std::vector<std::string> parts;
  const json::Value* shape = tensor.find("shape");
  if (shape != nullptr && shape->is_array()) {
    for (const json::Value& size : shape->items()) {
      std::string text;
      if (size.is_string()) {
        text = size.string();
      } else {
        json::append_compact(text, size);
      }
      parts.push_back(std::move(text));
    }
  }
  return "[" + join(parts, ", ") + "]";
}

std::vector<TensorSpec> arguments_of(const json::Value& spec, std::string_view key) {
  std::vector<TensorSpec> out;
  const json::Value* list = spec.find(key);
  if (list == nullptr || !list->is_array()) return out;
  for (const json::Value& argument : list->items()) {
    TensorSpec one;
    one.name = text_at(argument, "name").value_or("");
    if (const json::Value* tensor = argument.find("tensor")) {
      one.dtype = text_at(*tensor, "dtype").value_or("");
      one.shape = dimensions_text(*tensor);
      one.layout = text_at(*tensor, "layout");
    } else {
      one.dtype = text_at(argument, "scalar.dtype").value_or("");
      one.shape = "scalar";
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::optional<std::string> constraint_of(const std::string& name, const json::Value& axis) {
  if (const auto expression = text_at(axis, "expression")) return name + " = " + *expression;
  std::vector<std::string> parts;
  if (const auto least = text_at(axis, "minimum")) parts.push_back(name + " >= " + *least);
  if (const auto most = text_at(axis, "maximum")) parts.push_back(name + " <= " + *most);
  return parts.empty() ? std::nullopt : std::optional(join(parts, ", "));
}

Semantics semantics_of(const json::Value& spec) {
  Semantics out;
  out.inputs = arguments_of(spec, "inputs");
  out.outputs = arguments_of(spec, "outputs");
  const json::Value* axes = spec.find("axes");
  if (axes != nullptr && axes->is_object()) {
    for (const json::Member& axis : axes->members()) {
      const std::string name(axis.key);
      out.axes.push_back({.name = name,
                          .role = text_at(axis.value, "role").value_or(""),
                          .value = number_at(axis.value, "value"),
                          .constraint = constraint_of(name, axis.value)});
    }
  }
  out.expression = text_at(spec, "semantics.expression");
  out.determinism = text_at(spec, "semantics.determinism").value_or("unspecified");
  if (text_at(spec, "semantics.mutation") == "none") {
    out.constraints.emplace_back("No input is changed");
  }
  return out;
}

WorkloadItem item_of(const WorkloadInfo& workload) {
  WorkloadItem item;
  item.id = workload.id;
  item.digest = workload.digest;
  item.label = workload.label;
  for (const auto& [name, value] : workload.axes) item.axes[name] = {.text = std::to_string(value)};
  item.dtypes = workload.dtypes;
  item.tolerance_summary = workload.tolerance_summary;
  item.runs = workload.runs;
  return item;
}

std::vector<ImplementationItem> implementations_of(const OperationSnapshot& snapshot,
                                                   const Achievements& achieved) {
  std::vector<ImplementationItem> out;
  for (std::size_t i = 0; i < snapshot.implementations.size(); ++i) {
    const ImplementationInfo& info = snapshot.implementations[i];
    ImplementationItem item;
    item.slug = info.ref.slug;
    item.name = info.ref.name;
    item.project = info.project;
    item.language = info.line.language;
    item.framework = info.line.framework;
    if (achieved[i].level) item.evidence = std::string(policy::name_of(*achieved[i].level));
    item.best_primary = achieved[i].best;
    item.source_available = info.line.source_available;
    item.installable = info.line.installable;
    item.license = {.declared = info.line.license_declared,
                    .concluded = info.line.license_expression};
    out.push_back(std::move(item));
  }
  return out;
}

Coverage coverage_of(const OperationSnapshot& snapshot) {
  Coverage out;
  for (const CohortInfo& cohort : snapshot.cohorts) {
    out.reproducible += cohort.reproducible;
    out.reported += std::ssize(cohort.runs) - cohort.reproducible;
  }
  if (!snapshot.cohorts.empty()) out.last_observed_at = snapshot.last_observed_at;
  return out;
}

// The cohort's rows, complete and in order.
void add_cohort(OperationDossier& out, const RowSource& rows, const CohortInfo& cohort) {
  const OperationSnapshot& snapshot = rows.snapshot;
  out.cohort = cohort_of(snapshot, cohort);
  out.verdict = rows.verdict(cohort);
  const std::vector<RunInfo>& runs = rows.runs(cohort).runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunInfo& run = runs[i];
    if (run.rank == 0) continue;
    out.records.push_back(rows.finished(cohort.runs.front() + i));
    if (!out.best_deployable && snapshot.implementations[run.implementation].deployable) {
      out.best_deployable = out.records.back();
    }
  }
}

OperationIdentity identity_of(const OperationIndex& index, std::size_t at) {
  const OperationEntry& entry = index.entries()[at];
  OperationIdentity out;
  for (const std::uint32_t member : index.group(at)) {
    const OperationEntry& other = index.entries()[member];
    if (member != at) out.equivalents.push_back({.name = other.display_name, .slug = other.slug});
  }
  out.id = entry.id;
  out.slug = entry.slug;
  out.name = entry.display_name;
  out.family = entry.family;
  out.aliases = entry.aliases;
  out.semantic_digest = entry.semantic_digest;
  out.models = models_of(entry.tags);
  std::ranges::sort(out.models);
  return out;
}

// A workload is named by id or digest.
std::string workload_id_of(const OperationSnapshot& snapshot, const std::string& name) {
  const auto found = std::ranges::find(snapshot.workloads, name, &WorkloadInfo::digest);
  return found == snapshot.workloads.end() ? name : found->id;
}

// What the choice could not follow.
void note_unknown(OperationDossier& out, const OperationSnapshot& snapshot,
                  const OperationOptions& options, const Selection& selection) {
  const auto add = [&](std::string_view parameter, const std::string& value, std::string text) {
    out.not_applied.push_back(
        {.parameter = std::string(parameter), .value = value, .text = std::move(text)});
  };
  if (!options.workload.empty()) {
    const auto workload = snapshot.workload_at.find(workload_id_of(snapshot, options.workload));
    if (workload == snapshot.workload_at.end()) {
      add("workload", options.workload,
          "this operation has no such workload; shown is the one with most evidence");
    } else if (selection.workload != workload->second) {
      add("workload", options.workload, "shown is the workload of the cohort that was asked for");
    }
  }
  if (!options.cohort.empty() && !find_cohort(snapshot, options.cohort)) {
    add("cohort", options.cohort, "this operation has no such cohort; another was chosen");
  }
}

}  // namespace

Result<OperationDossier> Resolver::operation(std::string_view name,
                                             const OperationOptions& options) const {
  const auto state = TRY(impl_->steady());
  const auto index = TRY(impl_->index());
  const std::size_t at = TRY(operation_at(*index, name));
  const auto snapshot = TRY(impl_->snapshot(index, at));
  if (!snapshot) return not_found(kOperationNotFound, "operation", name);
  OperationDossier out;
  out.operation = identity_of(*index, at);
  const json::Document document = TRY(parse_stored(snapshot->manifest, "operation"));
  if (const json::Value* spec = document.root.find("spec")) out.semantics = semantics_of(*spec);
  out.operation.summary = text_at(document.root, "metadata.description")
                              .value_or(out.semantics.expression.value_or(""));
  RowReader reader = impl_->reader(snapshot);
  const RowSource rows = reader.source(impl_->clock.now());
  for (const auto& workload : snapshot->workloads) out.workloads.push_back(item_of(workload));
  const Selection selection =
      select({}, rows,
             {.cohort = options.cohort, .workload = workload_id_of(*snapshot, options.workload)});
  note_unknown(out, *snapshot, options, selection);
  if (selection.workload) {
    out.selected_workload_id = snapshot->workloads[*selection.workload].id;
    const Request request = parse_query("op:" + out.operation.slug);
    out.cohort_options = cohort_options(request, rows, *selection.workload, selection.fitting);
  }
  if (selection.cohort) {
    add_cohort(out, rows, snapshot->cohorts[*selection.cohort]);
    out.sweep = sweep_of(rows, *selection.cohort);
    if (out.sweep) {
      TRY(add_work(impl_->connection(), *out.sweep));
    }
  }
  out.implementations = implementations_of(*snapshot, *reader.achievements());
  TRY(reader.status());
  out.coverage = coverage_of(*snapshot);
  out.sources = snapshot->sources;
  out.pending_runs = snapshot->pending_runs;
  out.excluded = excluded_of(*snapshot, out.cohort ? out.cohort->comparison_key : "");
  out.illustrative = std::ranges::any_of(
      out.sources, [](const Source& source) { return source.kind == "illustrative"; });
  return out;
}

}  // namespace ki::query
