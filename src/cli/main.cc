#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/app.h"

namespace {

std::size_t columns_of(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return ki::cli::run(argc, argv, std::cout, std::cerr,
                      {.out = isatty(STDOUT_FILENO) != 0,
                       .err = isatty(STDERR_FILENO) != 0,
                       .columns = columns_of(STDOUT_FILENO)});
}
