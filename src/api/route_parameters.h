// What each route of the table takes, and which members of its answer hold the rows of a page.
#pragma once

#include <array>
#include <string_view>

#include "api/fields.h"
#include "api/parameters.h"
#include "api/routes.h"
#include "query/cursor.h"
#include "query/resolver.h"

namespace ki::api {

inline constexpr std::array<std::string_view, 1> kIncludes = {"source"};
inline constexpr std::array<std::string_view, 1> kFeedIncludes = {"restored"};

// The members that hold the rows of pages.
inline constexpr std::array<std::string_view, 5> kAnswerRows = {"groups", "unmet", "matches",
                                                                "index", "measured"};
inline constexpr std::array<std::string_view, 1> kServingRows = {"groups"};
inline constexpr std::array<std::string_view, 1> kRunRows = {"runs"};
inline constexpr std::array<std::string_view, 1> kWholeAnswer = {""};
inline constexpr std::array<std::string_view, 1> kPairRows = {"pairs"};
inline constexpr std::array<std::string_view, 1> kOperationRows = {"operations"};
inline constexpr std::array<std::string_view, 4> kOperationLists = {"workloads", "cohortOptions",
                                                                    "records", "implementations"};
inline constexpr std::array<std::string_view, 1> kImplementationLists = {"bestResults"};
inline constexpr std::array<std::string_view, 1> kRecordRows = {"records"};
inline constexpr std::array<std::string_view, 1> kRecordLists = {"history"};
inline constexpr std::array<std::string_view, 2> kProjectLists = {"records", "implementations"};
inline constexpr std::array<std::string_view, 1> kHardwareRows = {"hardware"};
inline constexpr std::array<std::string_view, 2> kModelRows = {"serving", "kernel"};
inline constexpr std::array<std::string_view, 2> kModelLists = {"groups", "gaps"};
inline constexpr std::array<std::string_view, 1> kSourceRows = {"sources"};
inline constexpr std::array<std::string_view, 1> kFeedRows = {"days"};

inline constexpr Parameter kPageRows = {.name = "limit",
                                        .type = ParameterType::integer,
                                        .doc = "entries in this page; without it, all of them",
                                        .minimum = 1,
                                        .maximum = query::kPageRowsMax};
inline constexpr Parameter kDossierRows = {
    .name = "limit",
    .type = ParameterType::integer,
    .doc = "entries of each list in this page; totals has how many there are",
    .minimum = 1,
    .maximum = query::kPageRowsMax,
    .initial = "50"};

inline constexpr Parameter kLimit = {.name = "limit",
                                     .type = ParameterType::integer,
                                     .doc = "entries in this page",
                                     .minimum = 1,
                                     .maximum = query::kPageRowsMax,
                                     .initial = "50"};
inline constexpr Parameter kCursor = {
    .name = "cursor",
    .type = ParameterType::cursor,
    .doc = "nextCursor of the page before, with the same filters, while the catalog is the same",
    .maximum = query::kCursorBytesMax};

constexpr Parameter text(std::string_view name, std::string_view doc,
                         std::int64_t length_max = kNameMax) {
  return {.name = name, .doc = doc, .maximum = length_max};
}

constexpr Parameter in_path(std::string_view name, std::string_view doc) {
  return {.name = name, .in = In::path, .doc = doc, .maximum = kNameMax};
}

inline constexpr Parameter kHistory = {
    .name = "history",
    .type = ParameterType::integer,
    .doc = "steps of each record's history, the newest; all of one at /records/{cohortKey}",
    .minimum = 0,
    .maximum = query::kPageRowsMax,
    .initial = "5"};
static_assert(query::kHistorySteps == 5);
inline constexpr Parameter kRanked =
    text("cohort", "comparison key to rank instead of the chosen one");
inline constexpr Parameter kGroupCursor = {
    .name = "cursor",
    .type = ParameterType::cursor,
    .doc =
        "nextCursor of the page before, with the same request and cohort, while the catalog is "
        "the same",
    .maximum = query::kCursorBytesMax};
constexpr Parameter group_rows(std::int64_t maximum, std::string_view initial) {
  return {.name = "limit",
          .type = ParameterType::integer,
          .doc = "rows of each group in this page",
          .minimum = 1,
          .maximum = maximum,
          .initial = initial};
}
inline constexpr std::array kSearch = {
    text("q", "a query: operation, shape, dtype, hardware, filters", kSearchTextMax), kRanked,
    kGroupCursor, group_rows(query::kGroupRowsMax, "20"), kFields};
inline constexpr std::array kResolve = {kRanked, kGroupCursor,
                                        group_rows(query::kGroupRowsMax, "20"), kFields};
inline constexpr std::array kResolveBatch = {group_rows(kBatchRowsMax, "5")};
static_assert(query::kGroupRows == 20);
inline constexpr Parameter kTrust = {.name = "trust",
                                     .type = ParameterType::choice,
                                     .doc = "only what is verified or better, or replicated",
                                     .choices = query::kListedTrust};
inline constexpr std::array kRuns = {
    text("operation", "slug, id or digest of an operation"),
    text("hardware", "name of a product, in any case, or its slug"),
    text("source", "slug of a source"),
    Parameter{.name = "status",
              .type = ParameterType::choice,
              .doc = "runs of this status instead of the eligible ones; "
                     "pending: those that wait for an object",
              .choices = query::kListedStatuses},
    kTrust,
    Parameter{.name = "since",
              .type = ParameterType::instant,
              .doc = "observed at or after this instant"},
    kCursor,
    kLimit,
    kFields};
inline constexpr std::array kRun = {in_path("idOrDigest", "id, or sha256:... of the manifest")};
inline constexpr std::array kOperations = {
    text("family", "exact family"),
    text("tag", "exact tag, such as model:llama-3"),
    text("q", "words that each stand in the slug, the name, the family or a tag", kSearchTextMax),
    kCursor,
    kPageRows,
    kFields};
inline constexpr std::array kOperation = {
    in_path("idOrSlug", "slug, id or digest"),
    text("workload", "id or digest of a workload instead of the one with most evidence"),
    kRanked,
    kCursor,
    kDossierRows,
    kFields};
inline constexpr std::array kImplementation = {
    in_path("idOrSlug", "slug, id or digest"),
    Parameter{.name = "include",
              .type = ParameterType::choice,
              .doc = "source: with the kernel's source code",
              .choices = kIncludes},
    kCursor, kDossierRows, kFields};
inline constexpr std::array kRecord = {in_path("cohortKey", "comparison key of the group"), kCursor,
                                       kDossierRows, kFields};
inline constexpr std::array kList = {kCursor, kPageRows, kFields};
inline constexpr std::array kProject = {in_path("slug", "slug of a project"), kHistory, kCursor,
                                        kLimit, kFields};
inline constexpr std::array kModel = {
    in_path("slug", "the name behind model: in the tags of operations"),
    text("gpu",
         "product to show instead of the one with most runs; notApplied says when it is none"),
    kCursor, kPageRows, kFields};
inline constexpr std::array kFeed = {
    Parameter{.name = "since",
              .type = ParameterType::instant,
              .doc = "entries after this instant instead of those of the last 30 days"},
    Parameter{.name = "include",
              .type = ParameterType::choice,
              .doc = "restored: with the corrections that put a run back",
              .choices = kFeedIncludes},
    kCursor, kPageRows, kFields};
static_assert(query::kFeedDays == 30);
inline constexpr std::array kResolveServing = {
    Parameter{.name = "cursor",
              .type = ParameterType::cursor,
              .doc = "nextCursor of the page before, with the same request, while the catalog is "
                     "the same",
              .maximum = query::kCursorBytesMax},
    Parameter{.name = "limit",
              .type = ParameterType::integer,
              .doc = "groups in this page",
              .minimum = 1,
              .maximum = query::kServingGroupsMax,
              .initial = "100"},
    kFields};
inline constexpr std::array kServingRuns = {
    text("model", "slug of a model"),
    text("workload", "slug of a workload"),
    text("hardware", "a part of the product name, in any case, or its slug"),
    kCursor,
    kLimit,
    kFields};
inline constexpr std::array kServingRun = {in_path("id", "id, or sha256:... of the manifest")};
inline constexpr std::array kServingConfigurations = {
    Parameter{.name = "cursor",
              .type = ParameterType::cursor,
              .doc = "that of the header Link of the page before, while the catalog is the same",
              .maximum = query::kCursorBytesMax},
    Parameter{.name = "limit",
              .type = ParameterType::integer,
              .doc = "entries in this page; the header Link has the address of the next",
              .minimum = 1,
              .maximum = query::kConfigurationsMax,
              .initial = "500"},
    kFields};

}  // namespace ki::api
