// The serving part of a publication: objects before the runs that name them, each looked for in the
// bundle and in the catalog.

#include <algorithm>

#include "publish/rows.h"
#include "publish/serving_rows.h"
#include "publish/session.h"

namespace ki::publish {
namespace {

using manifest::Kind;
using manifest::Manifest;

ServingNames names_of(const ServingEntry& entry) {
  return {.slug = entry.slug, .name = entry.name};
}

// The object that `named_by` names by digest at a member of its spec; an error when it is nowhere.
template <class Row>
Result<Row> named(db::Connection& connection, std::string_view kind, const Manifest& named_by,
                  std::string_view member) {
  const std::string digest = to_string(digest_at(named_by.spec(), member));
  auto row = TRY(catalog::find_served<Row>(connection, digest));
  if (!row) return unknown(kind, digest, named_by);
  return std::move(*row);
}

}  // namespace

Status Session::insert_all_serving() {
  std::vector<const ServingEntry*> order;
  for (const ServingEntry& entry : bundle_.serving) order.push_back(&entry);
  // The kinds stand in the order in which they refer to each other.
  std::ranges::stable_sort(order, {},
                           [](const ServingEntry* entry) { return entry->manifest.kind(); });
  for (const ServingEntry* entry : order) {
    TRY(insert_serving(*entry));
  }
  return {};
}

// Whether the object is new; then `row` is complete but for what it refers to.
template <class Row>
Result<bool> Session::prepare_serving(const ServingEntry& entry, Row& row) {
  const auto known = TRY(catalog::find_served<Row>(connection_, row.digest));
  note(manifest::name_of(entry.manifest.kind()), entry.manifest.name(), row.digest,
       known ? Action::exists : Action::insert);
  if (known) return false;
  row.id = id_of(entry.preset);
  row.source_id = TRY(source_of(entry.source_slug));
  row.created_at = time_of(entry.preset);
  changed = true;
  return true;
}

Status Session::insert_serving(const ServingEntry& entry) {
  const Manifest& manifest = entry.manifest;
  switch (manifest.kind()) {
    case Kind::model_revision: {
      auto row = model_row(manifest, names_of(entry));
      const bool added = TRY(prepare_serving(entry, row));
      return added ? ledger_.insert(row) : Status();
    }
    case Kind::serving_stack_revision: {
      auto row = stack_row(manifest, names_of(entry));
      const bool added = TRY(prepare_serving(entry, row));
      return added ? ledger_.insert(row) : Status();
    }
    case Kind::serving_configuration: {
      auto row = configuration_row(manifest, names_of(entry));
      const auto stack =
          TRY(named<catalog::ServingStackRow>(connection_, "stack", manifest, "stackDigest"));
      row.stack_id = stack.id;
      const bool added = TRY(prepare_serving(entry, row));
      return added ? ledger_.insert(row) : Status();
    }
    case Kind::serving_workload: {
      auto row = serving_workload_row(manifest, names_of(entry));
      const bool added = TRY(prepare_serving(entry, row));
      return added ? ledger_.insert(row) : Status();
    }
    case Kind::serving_run:
      return insert_serving_run(entry);
    case Kind::operation_spec:
    case Kind::workload_case:
    case Kind::workload_suite:
    case Kind::software_project:
    case Kind::implementation_revision:
    case Kind::benchmark_protocol:
    case Kind::execution_environment:
    case Kind::benchmark_run:
      break;
  }
  return fail(Code::invalid,
              "is a " + std::string(manifest::name_of(manifest.kind())) +
                  ", which is none of the five serving kinds",
              std::string(manifest.name()));
}

Status Session::insert_serving_run(const ServingEntry& entry) {
  const Manifest& manifest = entry.manifest;
  const auto model =
      TRY(named<catalog::ModelRevisionRow>(connection_, "model", manifest, "modelDigest"));
  const auto workload =
      TRY(named<catalog::ServingWorkloadRow>(connection_, "load", manifest, "workloadDigest"));
  const auto configuration = TRY(named<catalog::ServingConfigurationRow>(
      connection_, "configuration", manifest, "configurationDigest"));
  auto facts = policy::derive_serving_run_facts(manifest.spec(), facts_for_runs(model),
                                                facts_for_runs(workload));
  if (!facts) {
    return fail(facts.error().code, facts.error().where + ": " + facts.error().message,
                std::string(manifest.name()));
  }
  auto row = serving_run_row(manifest, *facts);
  row.model_id = model.id;
  row.configuration_id = configuration.id;
  row.workload_id = workload.id;
  const bool added = TRY(prepare_serving(entry, row));
  if (!added) return {};
  row.published_at = entry.run ? entry.run->published_at : std::optional(now_);
  if (entry.run) row.retracted_at = entry.run->retracted_at;
  TRY(ledger_.insert(row));
  for (auto& measurement : serving_measurement_rows(*facts)) {
    measurement.run_id = row.id;
    if (entry.run) {
      const auto& presets = entry.run->measurements;
      const auto preset = std::ranges::find_if(presets, [&](const MeasurementPreset& one) {
        return one.metric == measurement.metric && one.statistic == measurement.statistic;
      });
      if (preset != presets.end()) measurement.id = preset->id;
    }
    if (measurement.id.empty()) measurement.id = new_id();
    TRY(ledger_.insert(measurement));
  }
  return {};
}

}  // namespace ki::publish
