#include "import/liger/mapper.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "import/draft.h"
#include "json/write.h"

namespace ki::importer::liger {

namespace {

std::string_view operation_slug_of(const Kernel& kernel, Mapping mapping) {
  return mapping == Mapping::distinct ? kernel.slug : kernel.public_slug;
}

std::string operation_slug_of(const Reading& reading, Mapping mapping) {
  return reading.kernel == nullptr ? slug_of(reading.uncurated)
                                   : std::string(operation_slug_of(*reading.kernel, mapping));
}

std::string title_of(const Reading& reading) {
  return reading.kernel == nullptr ? reading.row->kernel : std::string(reading.kernel->title);
}

// Where shared objects take their names from: the first kernel and provider of our tables.
auto place_of(const Reading& reading) {
  const std::size_t kernel = reading.kernel == nullptr
                                 ? kernels().size()
                                 : static_cast<std::size_t>(reading.kernel - kernels().data());
  const std::size_t provider =
      reading.maker.known == nullptr
          ? providers().size()
          : static_cast<std::size_t>(reading.maker.known - providers().data());
  return std::tuple(kernel, provider, std::string_view(reading.external_id));
}

// The names in the table that mean this operation. A kernel whose configuration is not understood
// does not take the name from the one that is.
std::vector<std::string> aliases_of(const Reading& reading, Mapping mapping) {
  if (reading.kernel == nullptr) {
    if (find_kernel(reading.row->kernel) != nullptr) return {};
    return {ascii_lower(reading.row->kernel)};
  }
  if (mapping == Mapping::kernelindex_1) return {std::string(reading.kernel->name)};
  std::vector<std::string> aliases;
  for (const Kernel& kernel : kernels()) {
    if (kernel.slug == reading.kernel->slug) aliases.emplace_back(kernel.name);
  }
  return aliases;
}

ImplementationNames implementation_names(const Reading& reading, Mapping mapping) {
  const Maker& maker = reading.maker;
  const std::string by = maker.known == nullptr ? maker.name : std::string(maker.known->title);
  const std::string title = fmt::format("{} · {}", title_of(reading), by);
  if (mapping == Mapping::kernelindex_1) {
    return {kebab(fmt::format("liger-bench-{}-{}", reading.kernel->name, maker.name)), title};
  }
  const std::string slug =
      fmt::format("{}-{}", operation_slug_of(reading, mapping), kebab(maker.name));
  if (maker.known == nullptr) {
    return {marked_slug(slug, fmt::format("{}\n{}", slug, maker.name)), title};
  }
  if (maker.shards == 0) return {kebab(slug), title};
  return {kebab(fmt::format("{}-{}-shards", slug, maker.shards)),
          fmt::format("{}, {} shards", title, maker.shards)};
}

std::map<std::string, std::string> labels_of(const Reading& reading) {
  constexpr std::size_t kLabelMax = 200;
  std::map<std::string, std::string> labels;
  const auto add = [&](std::string key, const std::string& value) {
    if (!value.empty()) labels.emplace(std::move(key), excerpt(value, kLabelMax - 3));
  };
  add("liger_version", reading.row->liger_version);
  if (!reading.figures.is_latency) add("metric_unit", reading.row->unit);
  for (const auto& [column, value] : reading.row->extra) add(tokenize(column), value);
  return labels;
}

// All that a case is made of.
std::string case_cache_key(const Reading& reading, const Digest& operation) {
  if (reading.kernel == nullptr) {
    return to_string(operation) + case_key(reading.uncurated.axes, reading.uncurated.dtype);
  }
  const Binding& binding = reading.binding;
  std::string key = to_string(operation) + case_key(binding.axes, binding.dtype);
  key += case_key(binding.axes_stated, "");
  for (const auto* scalars : {&binding.scalars, &binding.scalars_stated}) {
    for (const Scalar& scalar : *scalars) {
      key += "-" + scalar.name;
      json::append_number(key, scalar.value);
    }
  }
  return key;
}

bool out_of_order(const Figures& figures) {
  const auto value = [&](std::string_view statistic) {
    const auto found = std::ranges::find(figures.values, statistic, &Value::statistic);
    return found == figures.values.end() ? figures.values.front().value : found->value;
  };
  return value("p20") > value("median") || value("median") > value("p80");
}

}  // namespace

Status Mapper::add(std::vector<Reading> readings) {
  if (!distinct()) {
    TRY(leave_out_unknown_gpus(readings));
  }
  std::ranges::sort(readings, {}, place_of);
  for (auto begin = readings.begin(); begin != readings.end();) {
    const auto end = std::find_if(begin, readings.end(), [&](const Reading& other) {
      return other.external_id != begin->external_id;
    });
    add_group({begin, end});
    begin = end;
  }
  return {};
}

// As the public importer does: the operation stays, the row is counted.
Status Mapper::leave_out_unknown_gpus(std::vector<Reading>& readings) {
  for (const Reading& reading : readings) {
    if (reading.gpu.known) continue;
    TRY(operation_of(reading));
    skip(reading, "unknownGpu", reading.row->gpu);
  }
  std::erase_if(readings, [](const Reading& reading) { return !reading.gpu.known; });
  return {};
}

void Mapper::skip(const Reading& reading, std::string reason, std::string name) {
  skip_row(report_, {.reason = std::move(reason),
                     .name = std::move(name),
                     .file = std::string(reading.file),
                     .row = reading.row->number,
                     .line = reading.row->line});
}

void Mapper::refuse(const Reading& reading, std::string problem) {
  add_issue(report_, reading.file, reading.row->number, reading.row->line,
            fmt::format("{}/{}", reading.row->kernel, reading.row->provider), std::move(problem));
}

// All that builds, each run once, in the order of their digests.
std::vector<Mapper::Built> Mapper::build_all(std::span<Reading> group) {
  std::vector<Built> all;
  for (const Reading& reading : group) {
    auto built = build(reading);
    if (!built) {
      refuse(reading, to_string(built.error()));
    } else if (std::ranges::any_of(all, [&](const Built& other) {
                 return other.entry.run.digest() == built->entry.run.digest();
               })) {
      skip(reading, "duplicateRows", reading.row->kernel);
    } else {
      all.push_back(std::move(*built));
    }
  }
  std::ranges::sort(all, {}, [](const Built& built) { return built.entry.run.digest(); });
  return all;
}

// Rows of one external id. Usually one; else the same stated twice, unlike cases that the id does
// not tell apart, or a contradiction.
void Mapper::add_group(std::span<Reading> group) {
  std::vector<Built> all = build_all(group);
  if (all.empty()) return;
  if (all.size() > 1 && !distinct()) {
    for (const Built& other : std::span(all).subspan(1)) {
      skip(*other.reading, "duplicateRows", other.reading->row->kernel);
    }
    all.erase(all.begin() + 1, all.end());
  }
  if (all.size() > 1) {
    std::set<Digest> workloads;
    for (const Built& built : all) workloads.insert(built.workload);
    if (workloads.size() != all.size()) {
      for (const Reading& reading : group) {
        refuse(reading,
               "another row gives other figures for the same observation, so neither "
               "is imported");
      }
      return;
    }
    for (Reading& reading : group) {
      const auto operation = operation_of(reading);
      const auto workload = operation ? case_of(reading, *operation) : operation;
      if (workload) reading.external_id += "/" + to_string(*workload).substr(7, 8);
    }
    all = build_all(group);
  }
  for (Built& built : all) add_run(std::move(built));
}

Result<Mapper::Built> Mapper::build(const Reading& reading) {
  const Digest operation = TRY(operation_of(reading));
  const Digest workload = TRY(case_of(reading, operation));
  const Digest implementation = TRY(implementation_of(reading, operation));
  Shared* const protocol = TRY(protocol_of(reading));
  Shared* const environment = TRY(environment_of(reading));
  const Row& row = *reading.row;
  RunFacts facts{.implementation = implementation,
                 .workload = workload,
                 .protocol = protocol->digest,
                 .environment = environment->digest,
                 .is_latency = reading.figures.is_latency,
                 .unit = reading.figures.unit,
                 .values = reading.figures.values,
                 .native = reading.figures.native,
                 .benchmark = fmt::format("{}/{}", row.kernel, row.mode),
                 .external_id = reading.external_id,
                 .observed_at = to_iso(reading.observed),
                 .title = fmt::format("{} · {} · {}", title_of(reading), row.provider, row.mode),
                 .labels = labels_of(reading)};
  auto run = TRY(make_run(facts));
  note(reading);
  publish::RunEntry entry{.run = std::move(run)};
  entry.external_id = reading.external_id;
  entry.snapshot = row.file;
  entry.source_row = row.number;
  entry.source_line = row.line;
  return Built{&reading, std::move(entry), workload, protocol, environment};
}

void Mapper::add_run(Built built) {
  built.entry.protocol = std::exchange(built.protocol->unplaced, std::nullopt);
  built.entry.environment = std::exchange(built.environment->unplaced, std::nullopt);
  bundle_.runs.push_back(std::move(built.entry));
}

Result<Digest> Mapper::operation_of(const Reading& reading) {
  const std::string slug = operation_slug_of(reading, options_.mapping);
  if (const auto known = operations_.find(slug); known != operations_.end()) return known->second;
  auto manifest = TRY(reading.kernel != nullptr ? make_operation(*reading.kernel, options_.mapping)
                                                : make_operation(reading.uncurated));
  const Digest digest = manifest.digest();
  operations_.emplace(slug, digest);
  if (!known_.insert(digest).second) return digest;
  report_.operations_by_family[std::string(manifest.spec().find("family")->string())].push_back(
      slug);
  bundle_.operations.push_back({.manifest = std::move(manifest),
                                .slug = slug,
                                .aliases = aliases_of(reading, options_.mapping)});
  return digest;
}

Result<Digest> Mapper::case_of(const Reading& reading, const Digest& operation) {
  const std::string key = case_cache_key(reading, operation);
  if (const auto known = cases_.find(key); known != cases_.end()) return known->second;
  auto manifest = TRY(reading.kernel != nullptr
                          ? make_case(*reading.kernel, reading.binding, operation, options_.mapping)
                          : make_case(reading.uncurated, operation));
  const Digest digest = manifest.digest();
  cases_.emplace(key, digest);
  if (known_.insert(digest).second) {
    bundle_.workloads.push_back({.manifest = std::move(manifest)});
  }
  return digest;
}

Status Mapper::ensure_project(const Maker& maker) {
  const std::string slug = project_slug_of(maker);
  if (projects_.contains(slug)) return {};
  auto manifest = TRY(make_project(maker));
  projects_.insert(slug);
  bundle_.projects.push_back({.manifest = std::move(manifest), .slug = slug});
  return {};
}

Result<Digest> Mapper::implementation_of(const Reading& reading, const Digest& operation) {
  const ImplementationNames names = implementation_names(reading, options_.mapping);
  const auto known = implementations_.find(names.slug);
  if (known != implementations_.end()) return known->second;
  auto manifest = TRY(make_implementation(reading.maker, operation, names, options_.mapping));
  const Digest digest = manifest.digest();
  if (!known_.contains(digest)) {
    TRY(ensure_project(reading.maker));
    bundle_.implementations.push_back(
        {.manifest = std::move(manifest),
         .slug = names.slug,
         .project_slug = project_slug_of(reading.maker),
         .external_id = fmt::format("{}/{}", reading.row->kernel, reading.row->provider)});
    known_.insert(digest);
  }
  implementations_.emplace(names.slug, digest);
  return digest;
}

Result<Mapper::Shared*> Mapper::protocol_of(const Reading& reading) {
  const std::pair key(reading.figures.is_latency, reading.pass);
  const auto known = protocols_.find(key);
  if (known != protocols_.end()) return &known->second;
  const auto given = std::ranges::find(options_.protocols, reading.pass, &GivenProtocol::pass);
  std::optional<manifest::Manifest> manifest;
  if (!reading.figures.is_latency) {
    manifest = TRY(make_memory_protocol(reading.pass));
  } else if (given == options_.protocols.end()) {
    manifest = TRY(make_latency_protocol(reading.pass));
  } else {
    auto copy = manifest::decode_json(given->manifest.to_json());
    KI_CHECK(copy.has_value());
    manifest = std::move(*copy);
  }
  if (!distinct() && manifest->digest() != public_protocol_digest(reading.pass)) {
    add_once(report_.ambiguities,
             fmt::format("the {} pass is bound to a protocol other than the public one, so its "
                         "runs do not have the public digests; give that with --protocol",
                         name_of(reading.pass)));
  }
  const Digest digest = manifest->digest();
  return &protocols_.emplace(key, Shared{digest, std::move(manifest)}).first->second;
}

Result<Mapper::Shared*> Mapper::environment_of(const Reading& reading) {
  const auto known = environments_.find(reading.row->gpu);
  if (known != environments_.end()) return &known->second;
  auto manifest = TRY(make_environment(reading.gpu));
  const Digest digest = manifest.digest();
  return &environments_.emplace(reading.row->gpu, Shared{digest, std::move(manifest)})
              .first->second;
}

// What a person should look at although the row is imported.
void Mapper::note(const Reading& reading) {
  const Row& row = *reading.row;
  if (reading.kernel == nullptr) {
    add_once(report_.ambiguities,
             fmt::format("kernel \"{}\": {}; imported as the operation {}, which claims no "
                         "signature",
                         excerpt(row.kernel), reading.why_uncurated, slug_of(reading.uncurated)));
  }
  if (reading.maker.known == nullptr) {
    add_once(report_.ambiguities,
             fmt::format("provider \"{}\" is not known; its project and implementations are named "
                         "as the source names them",
                         excerpt(row.provider)));
    add_once(report_.license_warnings,
             fmt::format("provider \"{}\": no licence is stated", excerpt(row.provider)));
  }
  if (!reading.gpu.known) {
    add_once(
        report_.ambiguities,
        fmt::format("GPU \"{}\" is not known; its architecture stays unknown", excerpt(row.gpu)));
  }
  if (!reading.figures.is_converted) {
    report_.ambiguities.push_back(
        fmt::format("row {} (line {}): {} is kept as it stands, for the source does not say "
                    "whether it counts in powers of 1000 or 1024",
                    row.number, row.line, row.unit));
  }
  if (out_of_order(reading.figures)) {
    report_.ambiguities.push_back(
        fmt::format("row {} (line {}): the quantiles 0.2, 0.5 and 0.8 do not ascend; kept as "
                    "stated",
                    row.number, row.line));
  }
}

}  // namespace ki::importer::liger
