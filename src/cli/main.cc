#include <iostream>

#include <unistd.h>

#include "cli/app.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return ki::cli::run(argc, argv, std::cout, std::cerr,
                      {.out = isatty(STDOUT_FILENO) != 0, .err = isatty(STDERR_FILENO) != 0});
}
