// The steps of building an OperationSnapshot. Used by snapshot*.cc only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "query/snapshot.h"
#include "query/stored.h"

namespace ki::query {

Result<WorkloadInfo> build_workload(const catalog::WorkloadLine& line,
                                    const std::vector<std::string>& operation_dtypes);

// Authors and packages as the manifest of an implementation states them.
void read_origins(ImplementationInfo& into, const json::Value& manifest);

// What the manifests of a protocol and an environment say. Texts go to `texts`.
void read_protocol_into(Setting& setting, const json::Value& root, TextPool& texts);
void read_environment_into(Setting& setting, const json::Value& spec, TextPool& texts);
// The hardware as a cohort states it.
void name_hardware(Setting& setting, const catalog::CohortLine& line, std::string_view form_factor,
                   TextPool& texts);

// The cohort of a line, but for its workload and its runs.
CohortInfo cohort_of_line(const catalog::CohortLine& line, const Setting& setting, TextPool& texts);

// "<harness> <version>, <statistic> of <samples>, compile excluded"
std::string protocol_text(const json::Value& spec);

// The shape of a tensor: whole numbers; anything else in a damaged list is left out.
std::vector<std::int64_t> shape_of(const json::Value& tensor);

}  // namespace ki::query
