// Which cases `ki bench` measures: those asked for, or the tour.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench_options.h"

namespace ki::cli {

inline constexpr std::size_t kBenchCasesMax = 200;

struct BenchAsk {
  std::string operation;
  std::string pass;
  std::string dtype;
  std::map<std::string, std::int64_t> axes;
  std::string scaled;         // "seq 1024 of 16384": what the tour made smaller; "" = nothing
  std::string title() const;  // "rms-norm forward fp32 rows=4096 hidden=4096"
};

// "rows=2048,hidden=1024..4096*2" as lists of values for each axis: 1024, 2048, 4096; with + steps
// are added. Errors: Code::invalid at "axes".
Result<std::map<std::string, std::vector<std::int64_t>>> read_sweep(const std::string& text);

// What the tour measures of a case at most: an operation's own case beyond that is made smaller.
inline constexpr double kTourBytesMax = 68e6;
inline constexpr double kTourOperationsMax = 2.2e9;  // the float64 reference does them one by one

// Every combination of the swept axes over the operation's first named case, the last axis fastest.
// Without operations: the tour, those of the public records first, at the records' own shapes (the
// case "seed") as far as the limits above allow.
// Errors: Code::not_found at "operation", Code::invalid at "axes", "dtype" or "pass".
Result<std::vector<BenchAsk>> bench_cases(const MeasureOptions& options);

}  // namespace ki::cli
