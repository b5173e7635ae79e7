// The few things of the catalog that change: source policies, aliases, tags, pending evidence, and
// the corrections of a run as they stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows_correction.h"
#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "catalog/rows_source.h"

namespace ki::catalog {

Status replace_source_policy(db::Connection& connection, std::string_view source_id,
                             std::string_view policy_json);

// Whether the operation did not have the alias yet. The alias is in lower case.
Result<bool> add_alias(db::Connection& connection, const OperationAliasRow& row);
// The tags of an operation in their order: as stored, or as they will be, each once.
Result<std::vector<OperationTagRow>> tag_rows(db::Connection& connection,
                                              std::string_view operation_id);
std::vector<OperationTagRow> tag_rows(std::string_view operation_id,
                                      const std::vector<std::string>& tags);
Status drop_tags(db::Connection& connection, std::string_view operation_id);

// Adds the link unless it is there. Whether it was not.
Result<bool> add_link(db::Connection& connection, const SourceLinkRow& link);
Result<bool> add_link(db::Connection& connection, const ArtifactLinkRow& link);

// Removes pending evidence whose run has entered the table of runs, in the same transaction.
Status remove_pending(db::Connection& connection, std::string_view run_digest);

// A run that is held for review and neither retracted nor superseded.
struct HeldRun {
  std::string run_id;
  std::string run_digest;
  std::string implementation_slug;
  std::string operation_slug;
  CorrectionRow hold;
};
// Oldest first, at most `limit`.
Result<std::vector<HeldRun>> held_runs(db::Connection& connection, std::int64_t limit);

// Whether a correction has this id.
Result<bool> has_correction(db::Connection& connection, std::string_view id);
Result<bool> any_correction(db::Connection& connection);

// Every correction that names the run, as its subject or as the run it supersedes, oldest first.
Result<std::vector<CorrectionRow>> corrections_of(db::Connection& connection,
                                                  std::string_view run_id);

// Whether an attestation has this id; how many an author filed at or after an instant; those of a
// run, newest first, at most `limit`.
Result<bool> has_attestation(db::Connection& connection, std::string_view id);
Result<std::int64_t> count_attestations(db::Connection& connection, std::string_view author,
                                        std::string_view since);
Result<std::vector<AttestationRow>> attestations_of(db::Connection& connection,
                                                    std::string_view run_id, std::int64_t limit);

// What decides whether one run of an observation supersedes another: the columns of a RunRow.
struct ObservedRun {
  std::string id{};
  std::string run_digest{};
  std::string operation_id{};
  std::string comparison_key{};
  std::string observed_at{};
  bool published = false;
};

// Whether some source knows both runs under one external id.
Result<bool> share_external_id(db::Connection& connection, std::string_view run_id,
                               std::string_view other_id);

// The runs that a source knows under one external id, oldest first.
Result<std::vector<ObservedRun>> runs_of_observation(db::Connection& connection,
                                                     std::string_view source_id,
                                                     std::string_view external_id);

// What the corrections of a run amount to. Retracting and superseding are undone one by one, a
// retraction first.
struct RunState {
  bool retracted = false;
  std::string superseded_by{};  // id of the newer run, "" = none
  bool held = false;            // for review, and not released
  // Whether it is taken out of the rankings.
  bool stands_out() const { return retracted || held || !superseded_by.empty(); }
};

// `corrections` are those of corrections_of(run_id).
RunState state_of(std::string_view run_id, const std::vector<CorrectionRow>& corrections);

inline constexpr std::string_view kRetract = "retract";
inline constexpr std::string_view kRestore = "restore";
inline constexpr std::string_view kSupersede = "supersede";
inline constexpr std::string_view kHold = "hold";        // by publish: it is not plausible
inline constexpr std::string_view kRelease = "release";  // undoes a hold for good

}  // namespace ki::catalog
