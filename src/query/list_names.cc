#include "query/list_names.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "policy/assessment.h"
#include "policy/names.h"
#include "policy/taxonomy.h"
#include "query/filters.h"
#include "query/mismatch.h"
#include "query/request.h"
#include "query/resolver_impl.h"
#include "query/unnamed.h"

namespace ki::query {
namespace {

// The model of an environment and the product it is listed as: what is offered to be asked for.
std::set<std::string> products_of(const catalog::HardwareName& environment) {
  std::set<std::string> names{environment.model};
  const policy::Gpu* const gpu = policy::find_gpu(environment.model, environment.form_factor);
  if (gpu != nullptr) names.emplace(gpu->product);
  return names;
}

// Every name under which an answer shows the hardware of an environment. With its form factor too,
// where sources also say which of their machines it was ("runner:B200").
std::set<std::string> names_of(const catalog::HardwareName& environment) {
  std::set<std::string> names = products_of(environment);
  if (!environment.form_factor.empty()) {
    names.insert(environment.model + " " + environment.form_factor);
  }
  return names;
}

// What the name means as a query reads it: a nickname, a product without its form, an architecture.
bool is_read_as(std::string_view name, const catalog::HardwareName& environment) {
  const policy::Gpu* const gpu = policy::find_gpu(environment.model, environment.form_factor);
  if (const auto reading = policy::read_gpu(name)) {
    return satisfies(HardwareFacet{.requested = std::string(name), .gpu = reading, .part = {}}, gpu,
                     environment.model);
  }
  const auto architecture = policy::read_architecture(name);
  return architecture && satisfies(ArchitectureFacet{std::string(name), *architecture},
                                   policy::architecture_of(environment.model, {}));
}

}  // namespace

Result<HardwareNamed> hardware_named(db::Connection& connection, const std::string& name) {
  HardwareNamed out;
  if (name.empty()) return out;
  const auto environments = TRY(catalog::list_hardware(connection));
  std::set<std::string_view> models;
  std::set<std::string> known;
  for (const auto& environment : environments) {
    const auto names = names_of(environment);
    const auto is_asked = [&](const std::string& one) { return equals_ignoring_case(one, name); };
    const bool meant =
        std::ranges::any_of(names, is_asked) || policy::hardware_slug(environment.model) == name;
    known.merge(products_of(environment));
    if (!meant) continue;
    out.names.push_back(environment);
    models.insert(environment.model);
  }
  if (models.empty()) {
    for (const auto& environment : environments) {
      if (!is_read_as(name, environment)) continue;
      out.names.push_back(environment);
      models.insert(environment.model);
    }
  }
  if (models.empty()) {
    out.unnamed = names_nothing("hardware", name, "nothing was measured on a product so named",
                                near_text(name, {known.begin(), known.end()}));
  }
  if (models.size() == 1) out.model = *models.begin();
  return out;
}

Result<std::int64_t> approved_runners_of(std::string_view trust) {
  if (trust.empty()) return 0;
  const auto level = policy::parse_evidence_level(trust);
  if (level && std::ranges::find(kListedTrust, trust) != kListedTrust.end()) {
    for (std::int64_t runners = 1; runners <= 2; ++runners) {
      if (policy::evidence_level({.approved_runners = runners}) >= *level) return runners;
    }
  }
  return invalid("trust is verified or replicated, not '" + excerpt(trust) + "'");
}

std::string names_of(const OperationEntry& entry) {
  return join({entry.slug, entry.display_name, entry.family, join(entry.tags, "\n")}, "\n");
}

bool has_words(std::string_view names, std::string_view words) {
  const std::string lower = ascii_lower(names);
  const std::string asked = ascii_lower(words);
  return std::ranges::all_of(split(asked, ' '),
                             [&](std::string_view word) { return lower.contains(word); });
}

}  // namespace ki::query
