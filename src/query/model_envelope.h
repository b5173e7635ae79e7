// The answer to one query, as every surface gets it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_answer.h"
#include "query/model_named.h"

namespace ki::query {

// The workload whose cohort is ranked.
struct SelectedWorkload {
  static constexpr std::string_view kWireName = "SelectedWorkload";
  std::string id;
  std::string digest;
  std::string label;
  std::string summary;
  std::string selected_because;
  template <class V>
  static void describe(V& v) {
    v.field("id", &SelectedWorkload::id, "");
    v.field("digest", &SelectedWorkload::digest, "");
    v.field("label", &SelectedWorkload::label, "");
    v.field("summary", &SelectedWorkload::summary, "dtypes and shape");
    v.field("selectedBecause", &SelectedWorkload::selected_because, "one sentence");
  }
};

// The answer to one query.
struct Envelope {
  static constexpr std::string_view kWireName = "Envelope";
  std::string query;
  std::string interpretation;
  Mode mode;
  std::optional<Ref> operation;
  std::string policy_version;
  std::optional<Cohort> cohort;
  std::vector<CohortOption> cohort_options;
  std::optional<Row> best_verified;
  std::optional<Row> best_deployable;
  Groups groups;
  std::vector<UnmetRow> unmet;
  GroupCounts overflow;
  std::optional<std::vector<IndexEntry>> matches;
  std::optional<Nearest> nearest;
  std::vector<Source> sources;
  std::string generated_at;
  std::vector<QueryIssue> issues;
  std::vector<Reading> readings;
  std::vector<FacetUse> facets;
  std::vector<std::string> notes;
  std::optional<SelectedWorkload> workload;
  std::optional<Row> fastest;
  std::vector<Row> fastest_by_language;
  std::vector<Reason> fastest_blocked_by;
  std::optional<Verdict> verdict;
  std::vector<Variant> variants;
  GroupCounts totals;
  std::vector<Ref> related;
  std::vector<std::string> suggestions;
  std::vector<IndexEntry> measured;
  std::optional<std::vector<IndexEntry>> index;
  std::int64_t entries_total = 0;
  std::vector<NamedThing> named;
  std::int64_t pending_runs = 0;
  Excluded excluded;
  std::int64_t fitting_cohorts = 0;
  std::int64_t limit = 0;
  std::optional<std::string> next_cursor;
  template <class V>
  static void describe(V& v) {
    v.field("query", &Envelope::query, "");
    v.field("interpretation", &Envelope::interpretation, "one line");
    v.field("mode", &Envelope::mode, "");
    v.field("operation", &Envelope::operation, "only when resolved");
    v.field("policyVersion", &Envelope::policy_version, "");
    v.field("cohort", &Envelope::cohort, "the ranked one");
    v.field("cohortOptions", &Envelope::cohort_options, "");
    v.field("bestVerified", &Envelope::best_verified, "");
    v.field("bestDeployable", &Envelope::best_deployable,
            "fastest row without a failing requirement");
    v.field("groups", &Envelope::groups, "`limit` rows each");
    v.field("unmet", &Envelope::unmet,
            "rows that fail what the request requires, those of the ranked group first");
    v.field("overflow", &Envelope::overflow, "rows not shown, per group");
    v.field("matches", &Envelope::matches, "only in chooser; `limit` entries");
    v.field("nearest", &Envelope::nearest, "");
    v.field("sources", &Envelope::sources, "");
    v.field("generatedAt", &Envelope::generated_at,
            "from a server: of the last change of the catalog, or the start of the UTC day when "
            "that is later; equal states give equal bytes");
    v.field("issues", &Envelope::issues, "");
    v.field("readings", &Envelope::readings, "");
    v.field("facets", &Envelope::facets, "");
    v.field("notes", &Envelope::notes, "sentences for people: corrections, ambiguity, guidance");
    v.field("workload", &Envelope::workload, "");
    v.field("fastest", &Envelope::fastest, "fastest known row of the ranked cohort");
    v.field("fastestByLanguage", &Envelope::fastest_by_language,
            "of the ranked cohort the fastest row of each language, fastest first; at most 16");
    v.field("fastestBlockedBy", &Envelope::fastest_blocked_by,
            "why the fastest is not deployable or not allowed; empty when it is");
    v.field("verdict", &Envelope::verdict, "");
    v.field("variants", &Envelope::variants, "of an ambiguous hardware word");
    v.field("totals", &Envelope::totals, "rows of each group");
    v.field("related", &Envelope::related, "");
    v.field("suggestions", &Envelope::suggestions, "families or operations to try");
    v.field("measured", &Envelope::measured,
            "operations with runs that satisfy the hardware, CUDA and dtype facets, where what was "
            "found has none: of the same family or meaning; all, where nothing is named");
    v.field("index", &Envelope::index, "only in browse");
    v.field("entriesTotal", &Envelope::entries_total,
            "entries of matches, index or, where no operation is named, measured on all pages");
    v.field("named", &Envelope::named,
            "what the words name besides operations, at most 8 of a kind: any part of a name where "
            "no operation was found, whole names elsewhere");
    v.field("pendingRuns", &Envelope::pending_runs,
            "published evidence of this operation that waits for a missing object");
    v.field("excluded", &Envelope::excluded,
            "retracted and superseded runs of the ranked cohort; without one, of the operation");
    v.field("fittingCohorts", &Envelope::fitting_cohorts,
            "comparison groups with a run that meets every condition; one of them is ranked");
    v.field("limit", &Envelope::limit, "rows of each group in this page");
    v.field("nextCursor", &Envelope::next_cursor,
            "the next page of the groups or entries, with the same query and cohort; null on the "
            "last");
  }
};

// The answers to several requests, in their order, from one state of the catalog.
struct Envelopes {
  static constexpr std::string_view kWireName = "Envelopes";
  std::vector<Envelope> results;
  std::string generated_at;
  template <class V>
  static void describe(V& v) {
    v.field("results", &Envelopes::results, "one for each request, in their order");
    v.field("generatedAt", &Envelopes::generated_at, "");
  }
};

}  // namespace ki::query
