#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/app.h"
#include "runner/child.h"

namespace {

std::size_t columns_of(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  // The process that runs kernels: `ki bench` starts it, and nothing of the program is in it.
  if (argc == 2 && std::string_view(argv[1]) == "child") return ki::runner::child_main();
  std::ios::sync_with_stdio(false);
  // A file that reaches its limit is an error like a full disk, with a message and without traces.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return ki::cli::run(argc, argv, std::cout, std::cerr,
                        {.out = isatty(STDOUT_FILENO) != 0,
                         .err = isatty(STDERR_FILENO) != 0,
                         .columns = columns_of(STDOUT_FILENO)});
  } catch (const std::bad_alloc&) {
    std::fputs("ki: there is not enough memory for this\n", stderr);
    return 1;
  } catch (const std::exception& unexpected) {  // of a library, where none was looked for
    std::fprintf(stderr, "ki: %s\n", unexpected.what());
    return 1;
  }
}
