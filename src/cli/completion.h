// Shell completion scripts, generated from the command table so that they cannot drift from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki::cli {

// One command and what may follow it.
struct CommandSpec {
  std::string path;                  // "manifest validate"; "" for the program itself
  std::string help;                  // one line
  std::vector<std::string> words;    // subcommands
  std::vector<std::string> options;  // "--limit"
};

// The script for "bash", "zsh" or "fish"; Code::invalid for any other shell.
Result<std::string> completion_script(std::string_view shell,
                                      const std::vector<CommandSpec>& commands);

}  // namespace ki::cli
