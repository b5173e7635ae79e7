// Results of serving and what they are about.

#include <algorithm>

#include "publish/rows.h"
#include "publish/serving_rows.h"
#include "publish/verifier.h"

namespace ki::publish {
namespace {

using db::Sql;

// Whole tables in the order of an index, a row at a time.
constexpr Sql kAllById{"verify_by_id", "ORDER BY id"};
// Served by the unique index (run_id, metric, statistic).
constexpr Sql kMeasurements{"verify_serving_measurements",
                            "WHERE run_id = $1 ORDER BY ordinal, id"};
constexpr Sql kLooseMeasurements{"verify_loose_serving_measurements",
                                 "WHERE NOT EXISTS (SELECT 1 FROM serving_run r "
                                 "WHERE r.id = serving_measurement.run_id) ORDER BY id"};

}  // namespace

template <class Row>
void Verifier::compare_served(const Row& stored, Row expected) {
  expected.id = stored.id;
  expected.source_id = stored.source_id;
  expected.created_at = stored.created_at;
  compare(Row::kTable, stored.id, stored, expected);
}

Status Verifier::check_serving_objects() {
  using catalog::ModelRevisionRow;
  using catalog::ServingConfigurationRow;
  using catalog::ServingStackRow;
  using catalog::ServingWorkloadRow;
  TRY(catalog::select<ModelRevisionRow>(connection_, kAllById, [&](const ModelRevisionRow& row) {
    count(ModelRevisionRow::kTable);
    const auto manifest = decode(ModelRevisionRow::kTable, row.id, row.manifest, row.digest);
    if (manifest) compare_served(row, model_row(*manifest, {.slug = row.slug, .name = row.name}));
  }));
  TRY(catalog::select<ServingStackRow>(connection_, kAllById, [&](const ServingStackRow& row) {
    count(ServingStackRow::kTable);
    const auto manifest = decode(ServingStackRow::kTable, row.id, row.manifest, row.digest);
    if (manifest) compare_served(row, stack_row(*manifest, {.slug = row.slug, .name = row.name}));
  }));
  TRY(catalog::select<ServingWorkloadRow>(
      connection_, kAllById, [&](const ServingWorkloadRow& row) {
        count(ServingWorkloadRow::kTable);
        const auto manifest = decode(ServingWorkloadRow::kTable, row.id, row.manifest, row.digest);
        if (!manifest) return;
        compare_served(row, serving_workload_row(*manifest, {.slug = row.slug, .name = row.name}));
      }));
  return catalog::select<ServingConfigurationRow>(
      connection_, kAllById, [&](const ServingConfigurationRow& row) -> Status {
        count(ServingConfigurationRow::kTable);
        const auto manifest =
            decode(ServingConfigurationRow::kTable, row.id, row.manifest, row.digest);
        if (!manifest) return {};
        auto expected = configuration_row(*manifest, {.slug = {}, .name = row.summary});
        const std::string named = to_string(digest_at(manifest->spec(), "stackDigest"));
        const auto stack = TRY(catalog::find_served<ServingStackRow>(connection_, named));
        expected.stack_id = stack ? stack->id : "the stack " + named;
        compare_served(row, std::move(expected));
        return {};
      });
}

Status Verifier::check_serving_runs() {
  using catalog::ServingMeasurementRow;
  using catalog::ServingRunRow;
  TRY(catalog::select<ServingRunRow>(
      connection_, kAllById, [&](const ServingRunRow& row) { return check_serving_run(row); }));
  return catalog::select<ServingMeasurementRow>(
      connection_, kLooseMeasurements, [&](const ServingMeasurementRow& row) {
        add(ServingMeasurementRow::kTable, row.id, "run_id", row.run_id, "an existing serving run");
      });
}

Status Verifier::check_serving_run(const catalog::ServingRunRow& row) {
  constexpr std::string_view kTable = catalog::ServingRunRow::kTable;
  count(kTable);
  const auto manifest = decode(kTable, row.id, row.manifest, row.digest);
  if (!manifest) return {};
  const auto digest = [&](std::string_view member) {
    return to_string(digest_at(manifest->spec(), member));
  };
  const auto model =
      TRY(catalog::find_served<catalog::ModelRevisionRow>(connection_, digest("modelDigest")));
  const auto workload =
      TRY(catalog::find_served<catalog::ServingWorkloadRow>(connection_, digest("workloadDigest")));
  const auto configuration = TRY(catalog::find_served<catalog::ServingConfigurationRow>(
      connection_, digest("configurationDigest")));
  if (!model || !workload || !configuration) {
    add(kTable, row.id, "row", "a run of objects that are not here",
        "the model, configuration and workload that its manifest names");
    return {};
  }
  const auto facts = policy::derive_serving_run_facts(manifest->spec(), facts_for_runs(*model),
                                                      facts_for_runs(*workload));
  if (!facts) {
    add(kTable, row.id, "manifest", to_string(facts.error()), "a run that may be published");
    return {};
  }
  auto expected = serving_run_row(*manifest, *facts);
  expected.model_id = model->id;
  expected.configuration_id = configuration->id;
  expected.workload_id = workload->id;
  expected.published_at = row.published_at;
  expected.retracted_at = row.retracted_at;
  compare_served(row, std::move(expected));
  return check_serving_measurements(row, *facts);
}

Status Verifier::check_serving_measurements(const catalog::ServingRunRow& row,
                                            const policy::ServingRunFacts& facts) {
  using catalog::ServingMeasurementRow;
  constexpr std::string_view kTable = ServingMeasurementRow::kTable;
  auto expected = serving_measurement_rows(facts);
  std::size_t seen = 0;
  TRY(catalog::select<ServingMeasurementRow>(
      connection_, kMeasurements,
      [&](const ServingMeasurementRow& stored) {
        count(kTable);
        if (seen >= expected.size()) {
          add(kTable, stored.id, "row", stored.metric + " " + stored.statistic,
              "no such measurement");
          return;
        }
        auto& one = expected[seen++];
        one.id = stored.id;
        one.run_id = stored.run_id;
        compare(kTable, stored.id, stored, one);
      },
      row.id));
  for (; seen < expected.size(); ++seen) {
    add(kTable, row.id, "row", "none", expected[seen].metric + " " + expected[seen].statistic);
  }
  return {};
}

}  // namespace ki::publish
