// What this machine has beside the program, and whether it is quiet enough to measure on.
#pragma once

#include <string>
#include <vector>

#include "runner/environment.h"

namespace ki::cli {

// Our own providers behind shared objects, of these names or (empty) all: files beside the program.
std::vector<std::string> companion_files(const std::vector<std::string>& providers = {});

// Why the machine is too busy, watched for half a second; "" = it is not.
std::string busy_now(const runner::Facts& facts);

}  // namespace ki::cli
