// What a valid manifest says that contradicts itself. The format does not let such a document be
// refused, and its digest stands; but whoever wrote it, and whoever reads a number of it, is told.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "manifest/manifest.h"

namespace ki::manifest {

struct Doubt {
  std::string pointer;  // "/spec/timing/latencyNs/confidence95"
  std::string message;  // the fault and the remedy
};

// "/spec/...: message".
std::string to_string(const Doubt& doubt);

// Of the spec of a BenchmarkRun: bounds of confidence95 that are reversed or exclude the median.
std::vector<Doubt> doubts_of_run(const json::Value& spec);

// Of the spec of a WorkloadCase and the spec of its operation: an axis that is not the constant the
// operation fixes, and a shape that its axes do not give. An axis whose value is not stated is
// skipped.
std::vector<Doubt> doubts_of_case(const json::Value& spec, const json::Value& operation);

// Of the spec of a WorkloadCase or a WorkloadSuite: sizes below 0.
std::vector<Doubt> doubts_of_sizes(const json::Value& spec);

// Of a manifest of any kind, with the operation it names where that is at hand.
std::vector<Doubt> doubts_of(const Manifest& manifest, const Manifest* operation);

}  // namespace ki::manifest
