// The command table: options, help and completion of every command come from here.
#pragma once

#include <cstddef>
#include <iosfwd>

namespace ki::cli {

struct Terminals {
  bool out = false;  // standard output is a terminal
  bool err = false;
  std::size_t columns = 0;  // characters a line of standard output has; 0: not known
};

// Runs one command line. Returns the exit code: 0 ok, 1 failed, 2 usage, 3 partly.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
        Terminals terminals);

}  // namespace ki::cli
