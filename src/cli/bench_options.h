// The options of `ki bench` and `ki history`. Apart from commands.h: few files need them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/io.h"

namespace ki::cli {

struct MeasureOptions {
  std::vector<std::string> operations;  // none: the tour
  std::string axes;                     // "rows=2048,hidden=1024..4096*2"
  std::string pass = "forward";
  std::string dtype;                   // "" = that of the operation's first case
  std::vector<std::string> providers;  // none: all but the reference
  std::vector<std::string> libraries;  // shared objects with kernels of one's own
  std::string exec;                    // the command of a worker whose kernels are measured; ""
  std::string protocol = "paired-cold/1";
  int threads = 0;          // 0: one for each core
  int launch_seconds = 20;  // after which a launch asks for no further round
  bool busy = false;        // measure although others use the machine
  bool ceilings = false;    // what the machine can do, before anything else or alone
  std::string folder = "var/evidence";
  std::string key;  // of this runner; "" = where it usually is
  bool publish = false;
  std::string publish_into;  // a catalog; "" = the usual one, with `publish`
  std::string time;  // "90", "20s", "5m": for all cases; "" = a tour's five minutes, or none
  // A shared object, a stored run or a git revision to hold what is measured against; "" = nothing.
  std::string against;
  std::string markdown;  // file for a summary of that; "" = none
};
int bench(const Context& context, const MeasureOptions& options);

struct HistoryOptions {
  std::vector<std::string> operations;  // slugs; none: all
  std::string folder = "var/evidence";
};
int history(const Context& context, const HistoryOptions& options);

}  // namespace ki::cli
