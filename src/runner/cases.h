// What a session is about: the case of a job, and the manifests of a kernel. Those of the operation
// and the case are kernels/manifest_text.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernels/operation.h"
#include "kernels/problem.h"
#include "runner/messages.h"

namespace ki::runner {

inline constexpr kernels::Distribution kDistribution = kernels::Distribution::bell;

// The case of a job with all shapes known. Errors: Code::not_found for an operation, Code::invalid
// for a pass, a dtype or axes that do not fit.
Result<kernels::Bound> bind_job(const Job& job);

struct ImplementationText {
  std::string_view provider;
  std::string_view variant;
  std::string_view language;
  std::string_view version;       // of the program or library that holds it
  std::string_view binary;        // digest of that file
  std::string_view architecture;  // of the machine it is built for
  std::string_view operation_digest;
  std::string_view dtype;
  bool ours = false;  // built into ki: its licence is known
};
// ImplementationRevision; JSON, as is the next.
std::string implementation_manifest(const ImplementationText& text);

// SoftwareProject of that name.
std::string project_manifest(std::string_view name);

// "rms-norm forward fp32 hidden=4096 rows=2048".
std::string title_of(std::string_view operation, std::string_view pass, std::string_view dtype,
                     const std::map<std::string, std::int64_t>& axes);

// "native", "torch-tuned": of a kernel, as shown and as the slug of its implementation.
std::string name_of(std::string_view provider, std::string_view variant);

}  // namespace ki::runner
