// What `ki child` takes from itself before it runs anybody's kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ki::runner {

struct Confinement {
  std::int64_t memory_bytes = 0;  // of address space
  std::int64_t cpu_seconds = 0;
};

// Irrevocable, for this process; call before a second thread exists. Always in force, or an error:
// it dies with its parent, gains no privileges, has limits of memory, CPU time and files, writes no
// file, and may make only the system calls that computing needs: sockets, exec, fork, ptrace and
// signals to others end it with SIGSYS, what is merely not needed is refused. Where the kernel
// allows it also: another user (of root), no network interfaces, a read-only file system. Returns
// what is in force, in words.
Result<std::vector<std::string>> confine(const Confinement& limits);

}  // namespace ki::runner
