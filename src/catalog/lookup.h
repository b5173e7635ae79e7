// Finding single objects by the name they are known by. Each is one look-up in a unique index.
// Absent is an answer, not an error; the errors are those of the storage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows_derived.h"
#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "catalog/rows_source.h"

namespace ki::catalog {

using Id = std::optional<std::string>;

// The ids alone, to learn whether something is there.
Result<Id> source_id(db::Connection& connection, std::string_view slug);
Result<Id> snapshot_id(db::Connection& connection, const SourceSnapshotRow& same_file);
Result<Id> project_id(db::Connection& connection, std::string_view slug);
Result<Id> operation_id(db::Connection& connection, std::string_view digest);
Result<Id> workload_id(db::Connection& connection, std::string_view digest);
Result<Id> implementation_id(db::Connection& connection, std::string_view digest);
Result<Id> run_id(db::Connection& connection, std::string_view digest);
Result<Id> pending_run_id(db::Connection& connection, std::string_view digest);
Result<Id> artifact_id(db::Connection& connection, std::string_view digest);
Result<bool> has_protocol(db::Connection& connection, std::string_view digest);
Result<bool> has_environment(db::Connection& connection, std::string_view digest);

// Slugs of sources in their order, at most 100.
Result<std::vector<std::string>> source_slugs(db::Connection& connection);
// Up to `limit` slugs of implementations that hold `part`, letters, digits and dashes of any case;
// for messages, since it reads every slug.
Result<std::vector<std::string>> implementations_like(db::Connection& connection,
                                                      std::string_view part,
                                                      std::int64_t limit = 4);
// The same of projects.
Result<std::vector<std::string>> projects_like(db::Connection& connection, std::string_view part,
                                               std::int64_t limit = 4);

// Whole rows.
Result<std::optional<SourceRow>> find_source(db::Connection& connection, std::string_view slug);
Result<std::optional<OperationRow>> find_operation(db::Connection& connection,
                                                   std::string_view digest);
Result<std::optional<OperationRow>> find_operation_by_slug(db::Connection& connection,
                                                           std::string_view slug);
Result<std::optional<OperationRow>> find_operation_by_id(db::Connection& connection,
                                                         std::string_view id);
Result<std::optional<WorkloadRow>> find_workload(db::Connection& connection,
                                                 std::string_view digest);
Result<std::optional<ImplementationRow>> find_implementation(db::Connection& connection,
                                                             std::string_view digest);
Result<std::optional<ProtocolRow>> find_protocol(db::Connection& connection,
                                                 std::string_view digest);
Result<std::optional<EnvironmentRow>> find_environment(db::Connection& connection,
                                                       std::string_view digest);
// By id, or by digest when `id_or_digest` starts with "sha256:".
Result<std::optional<RunRow>> find_run(db::Connection& connection, std::string_view id_or_digest);

// Digests of runs, pending ones too, whose digest or id starts with `prefix`, ascending, at most
// `limit`.
Result<std::vector<std::string>> runs_starting(db::Connection& connection, std::string_view prefix,
                                               std::int64_t limit);

// Pending runs that wait for this implementation or this workload, oldest first.
Result<std::vector<PendingRunRow>> pending_for_implementation(db::Connection& connection,
                                                              std::string_view digest);
Result<std::vector<PendingRunRow>> pending_for_workload(db::Connection& connection,
                                                        std::string_view digest);

// Whether a table has a row at all.
Result<bool> any_pending(db::Connection& connection);

// The tags of an operation in their order; its aliases by name.
Result<std::vector<std::string>> tags_of(db::Connection& connection, std::string_view operation_id);
Result<std::vector<std::string>> aliases_of(db::Connection& connection,
                                            std::string_view operation_id);

}  // namespace ki::catalog
