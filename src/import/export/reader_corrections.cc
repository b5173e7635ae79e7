// The corrections of an export: its own lines, or what the columns of a run in the public format
// say.

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "catalog/update.h"
#include "import/export/columns.h"
#include "import/export/reader.h"
#include "publish/corrections.h"

namespace ki::importer {

void ExportReader::note_columns(const json::Value& row, const std::string& run_id) {
  if (is_null(row, "retractedAt") && is_null(row, "supersedesId")) return;
  columns_.push_back({.run_id = run_id,
                      .supersedes_id = std::string(text(row, "supersedesId")),
                      .retracted_at = std::string(text(row, "retractedAt")),
                      .reason = std::string(text(row, "retractionReason")),
                      .line = line_});
}

std::string ExportReader::add_correction(Row row) {
  const json::Value& value = row.value;
  publish::CorrectionEntry entry{.action = std::string(text(value, "action")),
                                 .actor = std::string(text(value, "actor")),
                                 .reason = std::string(text(value, "reason")),
                                 .id = std::string(text(value, "id")),
                                 .at = std::string(text(value, "at"))};
  const auto why = publish::check_justification({.actor = entry.actor, .reason = entry.reason});
  if (!why) return to_string(why.error());
  const Digest* const run = digest_of_run(text(value, "runId"));
  if (run == nullptr) return "runId: its run is not here or was not taken";
  entry.run = *run;
  if (entry.action == catalog::kSupersede) {
    const Digest* const older = digest_of_run(text(value, "supersededRunId"));
    if (older == nullptr) {
      return "supersededRunId: the run is not here or was not taken";
    }
    entry.superseded = *older;
  } else if (!is_null(value, "supersededRunId")) {
    return "supersededRunId: a " + entry.action + " names one run only";
  }
  catalog::CorrectionRow correction{.id = entry.id,
                                    .action = entry.action,
                                    .run_id = std::string(text(value, "runId")),
                                    .superseded_run_id = {},
                                    .actor = entry.actor,
                                    .reason = entry.reason,
                                    .at = entry.at};
  if (entry.superseded) {
    correction.superseded_run_id = std::string(text(value, "supersededRunId"));
    if (*correction.superseded_run_id != correction.run_id) {
      corrections_[*correction.superseded_run_id].push_back(correction);
    }
  }
  corrections_[correction.run_id].push_back(std::move(correction));
  corrected_.emplace(entry.action, *run);
  bundle_.corrections.push_back(std::move(entry));
  return "";
}

const Digest* ExportReader::digest_of_run(std::string_view id) const {
  const auto found = runs_.find(std::string(id));
  return found == runs_.end() ? nullptr : &bundle_.runs[found->second.index].run.digest();
}

std::string ExportReader::check_columns_of_run(const Columns& columns) const {
  const auto found = corrections_.find(columns.run_id);
  if (found == corrections_.end()) return "";
  bool may_name = false;  // whether some correction says what supersedesId says
  bool must_name = false;
  const catalog::CorrectionRow* retraction = nullptr;  // in force
  for (const catalog::CorrectionRow& row : found->second) {
    if (row.run_id != columns.run_id) continue;
    if (row.action != catalog::kSupersede) {
      if (row.action == catalog::kRestore) retraction = nullptr;
      if (row.action == catalog::kRetract && retraction == nullptr) retraction = &row;
      continue;
    }
    const std::string& older = *row.superseded_run_id;
    if (older == columns.run_id) continue;  // refused when it is taken over
    may_name = may_name || older == columns.supersedes_id;
    const auto state = catalog::state_of(older, corrections_.at(older));
    must_name = must_name || state.superseded_by == columns.run_id;
  }
  if (columns.supersedes_id.empty() ? must_name : !may_name) {
    return "supersedesId: the corrections say otherwise";
  }
  if (columns.retracted_at != (retraction != nullptr ? retraction->at : "")) {
    return "retractedAt: the corrections say otherwise";
  }
  if (columns.reason != (retraction != nullptr ? retraction->reason : "")) {
    return "retractionReason: the corrections say otherwise";
  }
  return "";
}

void ExportReader::note_missing_measurements() {
  std::size_t missing = 0;
  for (const auto& [id, run] : runs_) {
    const auto& given = bundle_.runs[run.index].preset->measurements;
    missing += run.measurements.size() - given.size();
  }
  if (missing == 0) return;
  report_.ambiguities.push_back(std::to_string(missing) +
                                " measurements that the manifests of runs state have no row in the "
                                "export; they get ids of their own here");
}

void ExportReader::refuse(const Columns& columns, std::string problem) {
  add_issue(report_, file_, 0, columns.line, "benchmark_runs " + columns.run_id,
            std::move(problem));
}

// The public format has no corrections, only what they amount to in the columns of runs: nobody
// there says who made one, nor when one run was put in the place of another.
void ExportReader::take_columns(const Columns& columns) {
  constexpr std::string_view kImport = "import";
  const Digest& run = *digest_of_run(columns.run_id);
  if (!columns.retracted_at.empty() &&
      !corrected_.contains({std::string(catalog::kRetract), run})) {
    const bool stated =
        publish::check_justification({.actor = std::string(kImport), .reason = columns.reason})
            .has_value();
    if (!stated && !columns.reason.empty()) {
      refuse(columns, "retractionReason: a reason has 3 to 2000 bytes; it is not taken over");
    }
    bundle_.corrections.push_back(
        {.action = std::string(catalog::kRetract),
         .run = run,
         .actor = std::string(kImport),
         .reason = stated ? columns.reason : "retracted in the export, which gives no reason",
         .at = columns.retracted_at});
  }
  if (columns.supersedes_id.empty() ||
      corrected_.contains({std::string(catalog::kSupersede), run})) {
    return;
  }
  const Digest* const older = digest_of_run(columns.supersedes_id);
  if (older == nullptr) {
    refuse(columns, "supersedesId: it names a run that is not here or was not taken");
    return;
  }
  bundle_.corrections.push_back({.action = std::string(catalog::kSupersede),
                                 .run = run,
                                 .superseded = *older,
                                 .actor = std::string(kImport),
                                 .reason = "superseded in the export"});
}

void ExportReader::finish() {
  bundle_.carried.states_links = ours_;
  if (ours_ && bundle_.carried.log.empty()) {
    add_issue(report_, file_, 0, line_, "the end of the file",
              "the export has no audit log, with which it ends: it was cut short");
  }
  note_missing_measurements();
  for (auto& [run, corrections] : corrections_) {
    std::ranges::sort(corrections, [](const auto& a, const auto& b) {
      return std::tie(a.at, a.id) < std::tie(b.at, b.id);
    });
  }
  std::set<std::string_view> stated;  // runs
  for (const Columns& columns : columns_) stated.insert(columns.run_id);
  for (const auto& [id, unused] : corrections_) {
    const Columns none{.run_id = id, .supersedes_id = {}, .line = runs_.at(id).line};
    if (stated.contains(id)) continue;
    if (auto problem = check_columns_of_run(none); !problem.empty()) {
      refuse(none, std::move(problem));
    }
  }
  for (const Columns& columns : columns_) {
    if (auto problem = check_columns_of_run(columns); !problem.empty()) {
      refuse(columns, std::move(problem));
      continue;
    }
    take_columns(columns);
  }
}

}  // namespace ki::importer
