// `ki child`: the process that runs kernels. It confines itself, reads one job, does it, and says
// what happened; it opens no file of ours and knows no catalog.
#pragma once

namespace ki::runner {

// Speaks over the descriptors of process.h. Returns the exit status: 0 once everything is said.
int child_main();

}  // namespace ki::runner
