#include "import/manifests.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "import/known_sources.h"
#include "import/looks_like.h"
#include "manifest/documents.h"

namespace ki::importer {

using manifest::Entry;
using manifest::Kind;
using manifest::Manifest;

namespace {

constexpr std::string_view kDefaultSource = "community";

struct Place {
  std::string file;
  std::string pointer;
};

class Collector {
 public:
  explicit Collector(Prepared& prepared)
      : bundle_(prepared.bundle), report_(prepared.report), places_(prepared.places) {}

  void add(const InputFile& file);

 private:
  void add_entry(Entry entry, const std::string& file, std::string_view only_project);
  void add_implementation(Entry entry, const Place& place, std::string_view only_project);
  void add_run(Manifest run);
  void refuse(const Place& place, std::string item, std::string problem);
  std::string source_slug_of(const Manifest& run);

  publish::Bundle& bundle_;
  Report& report_;
  std::map<Digest, std::string>& places_;
};

std::string item_of(const Manifest& manifest) {
  return fmt::format("{} {}", manifest::name_of(manifest.kind()), manifest.name());
}

std::string_view text_at(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  return member != nullptr && member->is_string() ? member->string() : std::string_view();
}

std::string to_string(const Place& place) {
  return place.pointer.empty() ? place.file : place.file + place.pointer;
}

void Collector::refuse(const Place& place, std::string item, std::string problem) {
  add_issue(report_, to_string(place), 0, 0, std::move(item), std::move(problem));
}

void Collector::add(const InputFile& file) {
  const Content content = content_of(file.bytes);
  if (content == Content::catalog_export || content == Content::liger_table ||
      content == Content::evidence || content == Content::compressed) {
    return add_issue(report_, file.name, 0, 0, "the whole file", std::string(looks_like(content)));
  }
  manifest::Documents documents =
      manifest::read_documents(file.bytes, file.name, json::kBundleLimits);
  for (const Issue& issue : documents.issues) {
    add_issue(report_, file.name, 0, issue.place.line, issue.pointer, issue.message,
              issue.place.column);
  }
  std::string only_project;
  const auto is_project = [](const Entry& entry) {
    return entry.manifest.kind() == Kind::software_project;
  };
  if (std::ranges::count_if(documents.entries, is_project) == 1) {
    only_project = kebab(std::ranges::find_if(documents.entries, is_project)->manifest.name());
  }
  for (Entry& entry : documents.entries) add_entry(std::move(entry), file.name, only_project);
}

void Collector::add_entry(Entry entry, const std::string& file, std::string_view only_project) {
  Manifest& manifest = entry.manifest;
  const Place place{file, entry.pointer};
  const auto kind = std::string(manifest::name_of(manifest.kind()));
  ++report_.discovered[kind];
  if (!places_.emplace(manifest.digest(), to_string(place)).second) {
    ++report_.skipped["duplicates"][kind];
    return;
  }
  const std::string slug = kebab(manifest.name());
  switch (manifest.kind()) {
    case Kind::software_project:
      bundle_.projects.push_back({.manifest = std::move(manifest), .slug = slug});
      return;
    case Kind::operation_spec:
      report_.operations_by_family[std::string(text_at(manifest.spec(), "family"))].push_back(slug);
      bundle_.operations.push_back({.manifest = std::move(manifest), .slug = slug});
      return;
    case Kind::workload_case:
    case Kind::workload_suite:
      bundle_.workloads.push_back({.manifest = std::move(manifest)});
      return;
    case Kind::implementation_revision:
      return add_implementation(std::move(entry), place, only_project);
    case Kind::benchmark_protocol:
    case Kind::execution_environment:
      bundle_.carried.settings.push_back({.manifest = std::move(manifest)});
      return;
    case Kind::benchmark_run:
      return add_run(std::move(manifest));
    case Kind::model_revision:
    case Kind::serving_stack_revision:
    case Kind::serving_configuration:
    case Kind::serving_workload:
    case Kind::serving_run: {
      auto source = source_slug_of(manifest);
      bundle_.serving.push_back(
          {.manifest = std::move(manifest), .source_slug = std::move(source)});
      return;
    }
  }
}

void Collector::add_implementation(Entry entry, const Place& place, std::string_view only_project) {
  std::string project(entry.project_slug.empty() ? only_project : entry.project_slug);
  if (project.empty()) {
    return refuse(place, item_of(entry.manifest),
                  "no project is named: put its SoftwareProject into the same file, or use a "
                  "submission document with projectSlug");
  }
  const std::string slug = kebab(entry.manifest.name());
  bundle_.implementations.push_back(
      {.manifest = std::move(entry.manifest), .slug = slug, .project_slug = std::move(project)});
}

void Collector::add_run(Manifest run) {
  const json::Value* native = run.spec().find("sourceNative");
  publish::RunEntry entry{.run = std::move(run)};
  if (native != nullptr) entry.external_id = text_at(*native, "externalId");
  entry.source_slug = source_slug_of(entry.run);
  entry.snapshot = bundle_.snapshots.size() - 1;
  bundle_.runs.push_back(std::move(entry));
}

// "" for the bundle's own source; another one is added to the bundle when it is first met.
std::string Collector::source_slug_of(const Manifest& run) {
  const json::Value* native = run.spec().find("sourceNative");
  if (native == nullptr) return {};
  std::string slug(text_at(*native, "source"));
  if (slug == kDefaultSource) return {};
  if (std::ranges::find(bundle_.more_sources, slug, &publish::SourceEntry::slug) ==
      bundle_.more_sources.end()) {
    bundle_.more_sources.push_back(source_of(slug));
  }
  return slug;
}

}  // namespace

Result<Prepared> prepare_manifests(std::span<const InputFile> files, const Progress& progress) {
  Prepared prepared;
  prepared.report.source = "manifests";
  prepared.report.parser_version = kManifestsParserVersion;
  prepared.bundle.source = source_of(kDefaultSource);
  Collector collector(prepared);
  std::uint64_t total = 0;
  for (const InputFile& file : files) total += file.bytes.size();
  std::uint64_t done = 0;
  for (const InputFile& file : files) {
    add_input(prepared, file,
              {.media_type = file.name.ends_with(".json") ? "application/json" : "application/yaml",
               .parser_name = "manifests",
               .parser_version = std::string(kManifestsParserVersion)});
    collector.add(file);
    done += file.bytes.size();
    if (progress) progress(done, total);
  }
  return prepared;
}

}  // namespace ki::importer
