#include "import/manifests.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "import/known_sources.h"
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

// A protocol or environment that waits for the runs that name it.
struct Waiting {
  Manifest manifest;
  Place place;
  bool used = false;
};

class Collector {
 public:
  explicit Collector(Prepared& prepared) : bundle_(prepared.bundle), report_(prepared.report) {}

  void add(const InputFile& file);
  void finish();

 private:
  void add_entry(Entry entry, const std::string& file, std::string_view only_project);
  void add_implementation(Entry entry, const Place& place, std::string_view only_project);
  void add_run(Manifest run);
  void refuse(const Place& place, std::string item, std::string problem);
  std::optional<Manifest> take(std::map<std::string, Waiting>& from, std::string_view digest);
  std::string source_slug_of(const Manifest& run);

  publish::Bundle& bundle_;
  Report& report_;
  std::set<Digest> known_;
  std::map<std::string, Waiting> protocols_;  // by digest
  std::map<std::string, Waiting> environments_;
};

std::string item_of(const Manifest& manifest) {
  return fmt::format("{} {}", manifest::name_of(manifest.kind()), manifest.name());
}

std::string_view text_at(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  return member != nullptr && member->is_string() ? member->string() : std::string_view();
}

void Collector::refuse(const Place& place, std::string item, std::string problem) {
  add_issue(report_, place.pointer.empty() ? place.file : place.file + place.pointer, 0, 0,
            std::move(item), std::move(problem));
}

void Collector::add(const InputFile& file) {
  manifest::Documents documents =
      manifest::read_documents(file.bytes, file.name, json::kBundleLimits);
  for (const Issue& issue : documents.issues) {
    add_issue(report_, file.name, 0, issue.place.line, issue.pointer, issue.message);
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
  if (!known_.insert(manifest.digest()).second) {
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
    case Kind::benchmark_protocol: {
      auto digest = to_string(manifest.digest());
      protocols_.emplace(std::move(digest), Waiting{std::move(manifest), place});
      return;
    }
    case Kind::execution_environment: {
      auto digest = to_string(manifest.digest());
      environments_.emplace(std::move(digest), Waiting{std::move(manifest), place});
      return;
    }
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

// The manifest itself goes into the bundle with the first run that names it.
std::optional<Manifest> Collector::take(std::map<std::string, Waiting>& from,
                                        std::string_view digest) {
  const auto found = from.find(std::string(digest));
  if (found == from.end() || std::exchange(found->second.used, true)) return std::nullopt;
  return std::move(found->second.manifest);
}

void Collector::finish() {
  for (publish::RunEntry& entry : bundle_.runs) {
    entry.protocol = take(protocols_, text_at(entry.run.spec(), "protocolDigest"));
    entry.environment = take(environments_, text_at(entry.run.spec(), "environmentDigest"));
  }
  for (const auto* waiting : {&protocols_, &environments_}) {
    for (const auto& [digest, entry] : *waiting) {
      if (entry.used) continue;
      refuse(entry.place, item_of(entry.manifest),
             "no run here names it; it goes in together with a run that does");
    }
  }
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
  collector.finish();
  return prepared;
}

}  // namespace ki::importer
