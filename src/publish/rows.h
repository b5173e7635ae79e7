// From manifests to rows: what the catalog stores of an object, derived from its manifest alone.
// Pure, and the one definition: publish() inserts these rows, verify() compares the stored ones
// with them. Ids, references and times are the caller's.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows_object.h"
#include "catalog/rows_run.h"
#include "manifest/manifest.h"
#include "policy/facts.h"

namespace ki::publish {

// `name` is what the project is shown as; "" = as its manifest names it.
catalog::ProjectRow project_row(const manifest::Manifest& project, std::string_view slug,
                                std::string_view name);
catalog::OperationRow operation_row(const manifest::Manifest& operation, std::string_view slug);
// Without operation_id.
catalog::WorkloadRow workload_row(const manifest::Manifest& workload,
                                  const policy::WorkloadFacts& facts);
// Without workload_id and operation_id.
std::vector<catalog::WorkloadAxisRow> workload_axis_rows(const policy::WorkloadFacts& facts);
// Without project_id and operation_id.
catalog::ImplementationRow implementation_row(const manifest::Manifest& implementation,
                                              const policy::ImplementationFacts& facts,
                                              std::string_view slug);
catalog::ProtocolRow protocol_row(const manifest::Manifest& protocol);
catalog::EnvironmentRow environment_row(const manifest::Manifest& environment);
// Without the ids, and unpublished.
catalog::RunRow run_row(const manifest::Manifest& run, const policy::RunFacts& facts);
// Without id and run_id.
std::vector<catalog::MeasurementRow> measurement_rows(const policy::RunFacts& facts);

// What a stored row says of the facts that runs need of their workload and implementation.
policy::WorkloadFacts facts_for_runs(const catalog::WorkloadRow& workload, const Digest& operation);
policy::ImplementationFacts facts_for_runs(const catalog::ImplementationRow& implementation);

// Code::invalid: what `named_by` names is nowhere. A project is named by its slug in quotes.
std::unexpected<Error> unknown(std::string_view kind, std::string_view digest,
                               const manifest::Manifest& named_by);

// Decodes a manifest that the catalog stored. Errors: Code::invalid, naming `digest`, when it is
// damaged.
Result<manifest::Manifest> decode_stored(std::string_view text, std::string_view digest);

// The digest a spec names at "a/b", as implementations do at operation/specDigest. Requires that
// the manifest's kind has it.
Digest digest_at(const json::Value& spec, std::string_view path);

// A JSON list of texts.
std::string json_list(const std::vector<std::string>& texts);

}  // namespace ki::publish
