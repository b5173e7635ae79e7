// The thirteen kinds as data. Read kinds.cc first: it is the whole format on one page.
#pragma once

#include <string_view>

#include "manifest/manifest.h"
#include "manifest/schema.h"

namespace ki::manifest {

// apiVersion, kind, metadata and spec, which every document consists of.
const Mapping& envelope();

// The members of `spec` of this kind.
const Mapping& spec_of(Kind kind);

// How a run may have ended.
inline constexpr std::string_view kRunStatuses[] = {
    "passed",
    "incorrect_shape",
    "incorrect_dtype",
    "incorrect_numerical",
    "compile_error",
    "runtime_error",
    "timeout",
    "resource_exceeded",
    "invalid_reference",
    "policy_violation",
    "suspected_reward_hack",
    "incomplete_evidence",
    "revoked",
};

// What the kind is for, one sentence without a full stop.
std::string_view says(Kind kind);

}  // namespace ki::manifest
