// The corrections of an export: its own lines, or what the columns of a run in the public format
// say.

#include <algorithm>

#include "base/text.h"
#include "catalog/update.h"
#include "import/export/columns.h"
#include "import/export/reader.h"
#include "publish/corrections.h"

namespace ki::importer {

void ExportReader::note_columns(const json::Value& row, const std::string& run_id) {
  if (is_null(row, "retractedAt") && is_null(row, "supersedesId")) return;
  Columns columns{.run_id = run_id, .supersedes_id = std::string(text(row, "supersedesId"))};
  if (const auto at = parse_instant(text(row, "retractedAt"))) columns.retracted_at = to_iso(*at);
  columns.reason = text(row, "retractionReason");
  columns_.push_back(std::move(columns));
}

std::string ExportReader::add_correction(Row row) {
  const json::Value& value = row.value;
  if (!is_uuid(text(value, "id"))) return "id is no UUID";
  const auto at = parse_instant(text(value, "at"));
  if (!at || to_iso(*at) != text(value, "at")) return "at is no instant in UTC";
  publish::CorrectionEntry entry{.action = std::string(text(value, "action")),
                                 .actor = std::string(text(value, "actor")),
                                 .reason = std::string(text(value, "reason")),
                                 .id = std::string(text(value, "id")),
                                 .at = std::string(text(value, "at"))};
  constexpr std::string_view kActions[] = {catalog::kRetract, catalog::kRestore,
                                           catalog::kSupersede};
  if (std::ranges::find(kActions, entry.action) == std::end(kActions)) {
    return "action is none of " + join({std::begin(kActions), std::end(kActions)}, ", ");
  }
  const auto why = publish::check_justification({.actor = entry.actor, .reason = entry.reason});
  if (!why) return to_string(why.error());
  const Digest* const run = digest_of_run(text(value, "runId"));
  if (run == nullptr) return "its run is not here or was not taken";
  entry.run = *run;
  if (entry.action == catalog::kSupersede) {
    const Digest* const older = digest_of_run(text(value, "supersededRunId"));
    if (older == nullptr) return "the run it supersedes is not here or was not taken";
    entry.superseded = *older;
  }
  corrected_.emplace(entry.action, *run);
  bundle_.corrections.push_back(std::move(entry));
  return "";
}

const Digest* ExportReader::digest_of_run(std::string_view id) const {
  const auto found = runs_.find(std::string(id));
  return found == runs_.end() ? nullptr : &bundle_.runs[found->second.index].run.digest();
}

// The public format has no corrections, only what they amount to in the columns of runs: nobody
// there says who made one, nor when one run was put in the place of another.
void ExportReader::finish() {
  constexpr std::string_view kImport = "import";
  for (const Columns& columns : columns_) {
    const Digest& run = *digest_of_run(columns.run_id);
    if (!columns.retracted_at.empty() &&
        !corrected_.contains({std::string(catalog::kRetract), run})) {
      const bool stated =
          publish::check_justification({.actor = std::string(kImport), .reason = columns.reason})
              .has_value();
      bundle_.corrections.push_back(
          {.action = std::string(catalog::kRetract),
           .run = run,
           .actor = std::string(kImport),
           .reason = stated ? columns.reason : "retracted in the export, which gives no reason",
           .at = columns.retracted_at});
    }
    if (columns.supersedes_id.empty() ||
        corrected_.contains({std::string(catalog::kSupersede), run})) {
      continue;
    }
    const Digest* const older = digest_of_run(columns.supersedes_id);
    if (older == nullptr) {
      add_issue(report_, file_, 0, 0, "benchmark_runs " + columns.run_id,
                "supersedesId names a run that is not here or was not taken");
      continue;
    }
    bundle_.corrections.push_back({.action = std::string(catalog::kSupersede),
                                   .run = run,
                                   .superseded = *older,
                                   .actor = std::string(kImport),
                                   .reason = "superseded in the export"});
  }
}

}  // namespace ki::importer
