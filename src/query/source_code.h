// The published source of an implementation, and what changed since the submission before it.
#pragma once

#include <optional>

#include "base/result.h"
#include "catalog/read_run.h"
#include "json/value.h"
#include "query/model_implementation.h"

namespace ki::query {

// nullopt when none is published. `manifest` is the implementation's; `source` whom it came from.
// `with_content`: also the text and, for a revision "submission-N", the difference to the
// submission before it of the same project and operation whose text is published.
Result<std::optional<SourceCode>> source_code_of(db::Connection& connection,
                                                 const catalog::ImplementationRow& row,
                                                 const json::Value& manifest,
                                                 const std::optional<catalog::SourceRow>& source,
                                                 bool with_content);

}  // namespace ki::query
