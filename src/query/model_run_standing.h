// Who a run is and where it stands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"
#include "query/model_cohort.h"
#include "query/model_common.h"

namespace ki::query {

struct RunIdentity {
  static constexpr std::string_view kWireName = "RunIdentity";
  std::string id;
  std::string digest;
  std::string status;
  std::string observed_at;
  std::optional<std::string> published_at;
  template <class V>
  static void describe(V& v) {
    v.field("id", &RunIdentity::id, "");
    v.field("digest", &RunIdentity::digest, "");
    v.field("status", &RunIdentity::status, "");
    v.field("observedAt", &RunIdentity::observed_at, "");
    v.field("publishedAt", &RunIdentity::published_at, "");
  }
};

struct Retraction {
  static constexpr std::string_view kWireName = "Retraction";
  std::string at;
  std::string reason;
  template <class V>
  static void describe(V& v) {
    v.field("at", &Retraction::at, "");
    v.field("reason", &Retraction::reason, "");
  }
};

struct Dispute {
  static constexpr std::string_view kWireName = "Dispute";
  std::string reason;
  template <class V>
  static void describe(V& v) {
    v.field("reason", &Dispute::reason, "");
  }
};

// One step of what became of the run; nothing of it is ever deleted.
struct CorrectionStep {
  static constexpr std::string_view kWireName = "CorrectionStep";
  std::string at;
  std::string action;
  std::string run_id;
  std::optional<std::string> superseded_run_id;
  std::string actor;
  std::string reason;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("at", &CorrectionStep::at, "");
    v.field("action", &CorrectionStep::action, "retract, restore or supersede");
    v.field("runId", &CorrectionStep::run_id, "whom it is made of; of supersede, the newer run");
    v.field("supersededRunId", &CorrectionStep::superseded_run_id, "supersede: the older run");
    v.field("actor", &CorrectionStep::actor, "");
    v.field("reason", &CorrectionStep::reason, "");
    v.field("text", &CorrectionStep::text, "a phrase for people");
  }
};

struct Lifecycle {
  static constexpr std::string_view kWireName = "Lifecycle";
  std::optional<std::string> supersedes_id;
  std::optional<std::string> superseded_by_id;
  std::optional<Retraction> retracted;
  std::optional<Retraction> held;
  std::optional<Dispute> disputed;
  bool stale = false;
  std::vector<CorrectionStep> corrections;
  template <class V>
  static void describe(V& v) {
    v.field("supersedesId", &Lifecycle::supersedes_id, "");
    v.field("supersededById", &Lifecycle::superseded_by_id, "");
    v.field("retracted", &Lifecycle::retracted, "");
    v.field("held", &Lifecycle::held, "for review, with the arithmetic: it is not plausible");
    v.field("disputed", &Lifecycle::disputed, "");
    v.field("stale", &Lifecycle::stale, "");
    v.field("corrections", &Lifecycle::corrections,
            "every correction that names the run, oldest first, also those undone");
  }
};

// Where the run stands in its comparison group.
struct RunCohort {
  static constexpr std::string_view kWireName = "RunCohort";
  std::string comparison_key;
  std::string profile;
  std::optional<std::int64_t> rank;
  bool eligible = false;
  std::vector<std::string> ineligible_reasons;
  std::optional<std::string> head_run_id;
  std::int64_t size = 0;
  std::vector<Reason> rank_reasons;
  std::optional<Verdict> verdict;
  template <class V>
  static void describe(V& v) {
    v.field("comparisonKey", &RunCohort::comparison_key, "");
    v.field("profile", &RunCohort::profile, "");
    v.field("rank", &RunCohort::rank, "");
    v.field("eligible", &RunCohort::eligible, "");
    v.field("ineligibleReasons", &RunCohort::ineligible_reasons, "");
    v.field("headRunId", &RunCohort::head_run_id, "the leader, for a comparison with it");
    v.field("size", &RunCohort::size, "ranked runs of the cohort");
    v.field("rankReasons", &RunCohort::rank_reasons, "");
    v.field("verdict", &RunCohort::verdict, "");
  }
};

struct RunImplementation {
  static constexpr std::string_view kWireName = "RunImplementation";
  std::string name;
  std::string slug;
  std::optional<std::string> revision;
  template <class V>
  static void describe(V& v) {
    v.field("name", &RunImplementation::name, "");
    v.field("slug", &RunImplementation::slug, "");
    v.field("revision", &RunImplementation::revision, "");
  }
};

}  // namespace ki::query
