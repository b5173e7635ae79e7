// Operations and cases as documents of kernelindex.dev/v1alpha1, so that what is measured is
// identified by the same digests as what others published. JSON text of our own words; whoever
// publishes reads it with module manifest, which validates and digests it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/operation.h"
#include "kernels/problem.h"

namespace ki::kernels {

// An OperationSpec. registry/operations holds this text of every operation, and a test compares.
std::string operation_manifest(const Operation& operation);

// A WorkloadCase: axes, input tensors with how they are filled, scalars. The seed is drawn anew by
// whoever measures and is evidence: runs on other values of one distribution compare. Correctness
// is that of allowance_of under the comparator's name: a change of that rule is a new name.
inline constexpr std::string_view kComparator = "reference_fp64_1";
std::string workload_manifest(const Bound& bound, std::string_view operation_digest,
                              Distribution distribution);

}  // namespace ki::kernels
