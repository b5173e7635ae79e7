#include "import/registry.h"

#include <fmt/format.h>

#include "base/embedded.h"
#include "import/known_sources.h"
#include "import/liger/kernels.h"
#include "import/manifests.h"

namespace ki::embedded {
std::span<const File> registry();
}

namespace ki::importer {

namespace {

constexpr std::string_view kSource = "liger-kernel-bench";
constexpr std::string_view kServingSource = "mlperf-inference";  // of the results of serving

// Names that the table gives an operation stand in no manifest.
void add_aliases(publish::OperationEntry& operation) {
  for (const liger::Kernel& kernel : liger::kernels()) {
    if (kernel.slug == operation.slug) operation.aliases.emplace_back(kernel.name);
  }
}

// What each file restates, its figures and names of things, comes from one source.
void name_sources(publish::Bundle& bundle) {
  bundle.source = source_of(kSource);
  bundle.more_sources = {source_of(kServingSource)};
  for (auto& run : bundle.runs) run.source_slug.clear();
  for (auto& entry : bundle.serving) entry.source_slug = kServingSource;
  for (auto& snapshot : bundle.snapshots) {
    snapshot.parser_name = "registry";
    snapshot.parser_version = kRegistryParserVersion;
    if (snapshot.locator.contains("mlperf")) snapshot.source_slug = kServingSource;
  }
}

}  // namespace

Result<Prepared> prepare_registry() {
  std::vector<InputFile> files;
  for (const embedded::File& file : embedded::registry()) {
    files.push_back({fmt::format("registry/{}", file.name), std::string(file.bytes)});
  }
  auto prepared = TRY(prepare_manifests(files));
  if (!prepared.report.issues.empty()) {
    const ReportIssue& issue = prepared.report.issues.front();
    return fail(Code::internal, issue.problem, issue.locator);
  }
  prepared.report.source = kSource;
  prepared.report.parser_version = kRegistryParserVersion;
  prepared.report.skipped.clear();  // what several files repeat so that each stands alone
  name_sources(prepared.bundle);
  for (auto& operation : prepared.bundle.operations) add_aliases(operation);
  return prepared;
}

}  // namespace ki::importer
