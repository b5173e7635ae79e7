#include "query/serving_counts.h"

#include "catalog/read_serving.h"

namespace ki::query {

Result<ServingCounts> count_serving(db::Connection& connection) {
  ServingCounts out;
  const auto models = TRY(catalog::read_served_models(connection));
  for (const auto& model : models) {
    out.models.emplace(model.slug, ServedModel{.name = model.name,
                                               .parameter_count = model.parameter_count,
                                               .runs = model.runs});
  }
  const auto accelerators = TRY(catalog::read_served_on(connection));
  for (const auto& on : accelerators) out.runs_on.emplace(on.accelerator_model, on.runs);
  return out;
}

}  // namespace ki::query
