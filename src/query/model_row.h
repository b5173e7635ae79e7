// One result line, the same on every surface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

// One result line.
struct Row {
  static constexpr std::string_view kWireName = "Row";
  std::optional<std::string> run_id;  // null only for supported but unmeasured
  std::optional<std::string> run_digest;
  Ref implementation;
  Ref project;
  Ref operation;
  std::optional<Install> install;
  std::optional<std::string> revision;
  std::string workload_summary;
  Hardware hardware;
  std::optional<std::string> framework;
  std::optional<std::string> language;
  std::optional<Primary> primary;
  std::optional<double> sol_score;
  bool baseline = false;
  std::optional<std::string> evidence;  // reported, reproducible, verified, replicated
  std::string match;                    // exact, compatible, supported_unobserved, ...
  std::vector<Mismatch> mismatches;
  std::vector<Mismatch> differs;    // mismatches, then what sets its cohort apart
  std::optional<std::string> pass;  // forward, backward, full
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> cohort_size;
  bool tied_with_previous = false;
  bool shares_rank = false;
  std::vector<Reason> rank_reasons;  // why this rank, or why none
  std::optional<double> relative;    // value over the leader's, inside one cohort only
  bool source_available = false;
  bool installable = false;
  License license;
  std::vector<std::string> deployability_reasons;  // empty: deployable
  std::optional<std::string> last_tested_at;
  std::optional<std::string> indexed_at;
  bool stale = false;
  bool disputed = false;
  std::vector<std::string> caveats;
  std::int64_t attestations = 0;
  std::string comparison_key;
  template <class V>
  static void describe(V& v) {
    using json::Presence;
    v.field("runId", &Row::run_id, "null only when nothing was measured");
    v.field("runDigest", &Row::run_digest, "");
    v.field("implementation", &Row::implementation, "");
    v.field("project", &Row::project, "");
    v.field("operation", &Row::operation, "");
    v.field("install", &Row::install, "first build variant that has a command");
    v.field("revision", &Row::revision, "first 7 characters of the commit or version");
    v.field("workloadSummary", &Row::workload_summary, "dtypes and shape");
    v.field("hardware", &Row::hardware, "");
    v.field("framework", &Row::framework, "");
    v.field("language", &Row::language, "");
    v.field("primary", &Row::primary, "null when the run has no value");
    v.field("solScore", &Row::sol_score, "the source's own score");
    v.field("baseline", &Row::baseline, "a designated reference implementation");
    v.field("evidence", &Row::evidence, "reported, reproducible, verified or replicated");
    v.field("match", &Row::match,
            "exact or compatible; of what was never measured: supported_unobserved where its "
            "declaration covers the request, unknown where it does not say, incompatible else");
    v.field("mismatches", &Row::mismatches, "");
    v.field(
        "differs", &Row::differs,
        "why the row is not in the ranked group: what it misses of the request, then, where the "
        "request decides nothing, what sets it apart from the ranked group");
    v.field("pass", &Row::pass, "forward, backward or full, where the protocol says so");
    v.field("rank", &Row::rank, "only inside its cohort");
    v.field("cohortSize", &Row::cohort_size, "ranked runs of the whole cohort");
    v.field("tiedWithPrevious", &Row::tied_with_previous, "");
    v.field("sharesRank", &Row::shares_rank, "another run of the group has this rank");
    v.field("rankReasons", &Row::rank_reasons, "why this rank, or why none");
    v.field("relative", &Row::relative, "value over the leader's value");
    v.field("sourceAvailable", &Row::source_available, "");
    v.field("installable", &Row::installable, "");
    v.field("license", &Row::license, "");
    v.field("deployabilityReasons", &Row::deployability_reasons, "empty when deployable");
    v.field("lastTestedAt", &Row::last_tested_at, "observation time");
    v.field("indexedAt", &Row::indexed_at, "publication time");
    v.field("stale", &Row::stale, "observed more than 180 days ago");
    v.field("disputed", &Row::disputed, "");
    v.field("caveats", &Row::caveats, "");
    v.field("attestations", &Row::attestations, "");
    v.field("comparisonKey", &Row::comparison_key, "");
  }
};

}  // namespace ki::query
