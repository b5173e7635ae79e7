#include <fmt/format.h>

#include "import/importer.h"
#include "publish/publish.h"

namespace ki::importer {

namespace {

std::string_view name_of(publish::Action action) {
  switch (action) {
    case publish::Action::insert:
      return "insert";
    case publish::Action::exists:
      return "exists";
    case publish::Action::pending:
      return "pending";
  }
  KI_UNREACHABLE();
}

std::string plan_of(const Report& report) {
  const auto count = [&](const char* name) {
    const auto found = report.actions.find(name);
    return found == report.actions.end() ? 0 : found->second;
  };
  std::string plan = fmt::format("{}: {} new, {} known already, {} pending",
                                 report.published ? "published" : "dry run, nothing is written",
                                 count("insert"), count("exists"), count("pending"));
  if (count("completed") > 0) plan += fmt::format(", {} completed", count("completed"));
  if (count("superseded") > 0) plan += fmt::format(", {} superseded", count("superseded"));
  if (!report.issues.empty()) plan += fmt::format(", {} not imported", report.issues.size());
  return plan;
}

}  // namespace

Result<Report> run_import(catalog::Catalog& catalog, Prepared prepared, const Clock& clock,
                          const ImportOptions& options) {
  Report report = std::move(prepared.report);
  auto published = TRY(publish::publish(catalog, prepared.bundle, clock,
                                        {.actor = options.actor, .dry_run = !options.publish}));
  for (publish::Outcome& outcome : published.outcomes) {
    report.proposed.push_back({std::move(outcome.entity), std::move(outcome.name),
                               std::move(outcome.digest), std::string(name_of(outcome.action))});
  }
  report.actions = {
      {"insert", published.inserted},       {"exists", published.existing},
      {"pending", published.pending},       {"completed", published.completed},
      {"superseded", published.superseded}, {"recordEvents", published.record_events}};
  for (auto& ambiguity : published.ambiguities) add_once(report.ambiguities, std::move(ambiguity));
  report.published = options.publish;
  report.plan = plan_of(report);
  return report;
}

}  // namespace ki::importer
