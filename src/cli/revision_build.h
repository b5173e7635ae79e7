// The kernels of another revision of this repository, as a shared object: `git` and `cmake` do it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/io.h"

namespace ki::cli {

// The full hash of the commit that `revision` names in the repository around the working folder;
// nullopt where git knows none, or there is no git.
std::optional<std::string> commit_of(const std::string& revision);

// Builds the target ki_kernels_shared of that commit below `folder`/revisions, where it is kept;
// the path of the shared object. Says what takes its time. Errors: Code::unavailable with the end
// of the log.
Result<std::string> build_revision(const Context& context, const std::string& commit,
                                   const std::string& folder);

}  // namespace ki::cli
