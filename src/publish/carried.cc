// Corrections that were made in another catalog and come with its runs.

#include <algorithm>

#include "catalog/update.h"
#include "publish/corrections.h"
#include "publish/session.h"

namespace ki::publish {
namespace {

bool is_same(const catalog::CorrectionRow& stored, const catalog::CorrectionRow& row,
             bool any_time) {
  return stored.action == row.action && stored.run_id == row.run_id &&
         stored.superseded_run_id == row.superseded_run_id && (any_time || stored.at == row.at);
}

std::string named(const CorrectionEntry& entry) {
  return entry.action + " of " + to_string(entry.run) + (entry.at.empty() ? "" : " at " + entry.at);
}

}  // namespace

// In the order in which they were made; those without a time are news.
Status Session::insert_corrections() {
  std::vector<const CorrectionEntry*> order;
  for (const CorrectionEntry& entry : bundle_.corrections) order.push_back(&entry);
  std::ranges::stable_sort(order, [](const CorrectionEntry* a, const CorrectionEntry* b) {
    return std::tuple(a->at.empty(), std::string_view(a->at), std::string_view(a->id)) <
           std::tuple(b->at.empty(), std::string_view(b->at), std::string_view(b->id));
  });
  for (const CorrectionEntry* entry : order) {
    TRY(take_over(*entry));
  }
  return {};
}

Status Session::take_over(const CorrectionEntry& entry) {
  TRY(check_justification({.actor = entry.actor, .reason = entry.reason}));
  const auto at = entry.at.empty() ? std::optional(instant_) : parse_instant(entry.at);
  const bool pair = entry.action == catalog::kSupersede;
  if (!at || pair != entry.superseded.has_value() ||
      (!pair && entry.action != catalog::kRetract && entry.action != catalog::kRestore)) {
    return fail(Code::invalid, "is no correction", named(entry));
  }
  const auto refuse = [&](const std::string& why) -> Status {
    report.ambiguities.push_back("the correction is not taken over: " + named(entry) + ": " + why);
    return {};
  };
  constexpr std::chrono::hours kFastClock{24};
  if (*at > instant_ + kFastClock) return refuse("it is dated in the future");
  const auto run = TRY(catalog::find_run(connection_, to_string(entry.run)));
  if (!run) return refuse("there is no such run");
  std::optional<catalog::RunRow> older;
  if (pair) older = TRY(catalog::find_run(connection_, to_string(*entry.superseded)));
  if (pair && !older) return refuse("there is no run " + to_string(*entry.superseded));
  const catalog::CorrectionRow row{
      .id = entry.id.empty() ? uuid_v7(*at) : entry.id,
      .action = entry.action,
      .run_id = run->id,
      .superseded_run_id = older ? std::optional(older->id) : std::nullopt,
      .actor = entry.actor,
      .reason = entry.reason,
      .at = to_iso(*at)};
  const auto corrections = TRY(catalog::corrections_of(connection_, run->id));
  for (const catalog::CorrectionRow& stored : corrections) {
    const bool known =
        entry.id.empty() ? is_same(stored, row, entry.at.empty()) : stored.id == row.id;
    if (known) return {};
  }
  const bool taken = TRY(catalog::has_correction(connection_, row.id));
  if (taken) {
    return refuse("another correction has the id " + row.id);
  }
  const Status applies = check_applies(connection_, row.action, *run, older ? &*older : nullptr);
  if (!applies && applies.error().code == Code::unavailable) return applies;
  if (!applies) return refuse(applies.error().message);
  TRY(record_correction(connection_, row));
  cohorts.insert(run->comparison_key);
  if (older) cohorts.insert(older->comparison_key);
  ++report.corrections;
  changed = true;
  return {};
}

}  // namespace ki::publish
