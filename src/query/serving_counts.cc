#include "query/serving_counts.h"

#include "query/stored.h"

namespace ki::query {

Result<ServingCounts> count_serving(db::Connection& connection) {
  ServingCounts out;
  std::map<std::string, std::string, std::less<>> slugs;  // by digest
  const auto model = [&](std::string_view name, std::string_view digest,
                         std::string_view manifest) -> Status {
    const json::Document document = TRY(parse_stored(manifest, digest));
    slugs.emplace(digest, name);
    ServedModel& one = out.models[std::string(name)];
    one.name = text_at(document.root, "metadata.title").value_or(std::string(name));
    if (const auto count = number_at(document.root, "spec.parameterCount")) {
      one.parameter_count = static_cast<std::int64_t>(*count);
    }
    return {};
  };
  TRY(catalog::each_serving_object(connection, "ModelRevision", model));
  const auto run = [&](std::string_view, std::string_view digest,
                       std::string_view manifest) -> Status {
    const json::Document document = TRY(parse_stored(manifest, digest));
    if (text_at(document.root, "spec.status") != "valid") return {};
    if (const auto accelerator = text_at(document.root, "spec.topology.acceleratorModel")) {
      ++out.runs_on[*accelerator];
    }
    const auto slug = slugs.find(text_at(document.root, "spec.modelDigest").value_or(""));
    if (slug != slugs.end()) ++out.models[slug->second].runs;
    return {};
  };
  TRY(catalog::each_serving_object(connection, "ServingRun", run));
  return out;
}

}  // namespace ki::query
