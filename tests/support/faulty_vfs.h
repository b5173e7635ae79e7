// SQLite's file layer with faults: the n-th write, sync or truncation from now fails, or is torn.
// For tests of what a full disk, a failing disk or a crash in the middle leaves behind. One fault
// plan for the whole program; not for several threads.
#pragma once

#include <cstdint>
#include <string>

namespace ki::test {

enum class Fault {
  disk_full,   // that operation fails, later ones succeed
  io_error,    // the same with an input/output error
  torn_write,  // half of the bytes are written, and nothing is written any more: a crash
};

// The name to open a database with (db::OpenOptions::vfs). Registers the layer at the first call.
std::string faulty_vfs();

// Makes the n-th operation from now fail (1 = the next). 0 = never.
void arm(std::int64_t n, Fault fault);
void disarm();

// Operations since the last arm() or disarm().
std::int64_t operations();

}  // namespace ki::test
