// Types that both kinds.cc and kinds_serving.cc build their tables from. Internal to the module.
#pragma once

#include "manifest/schema.h"

namespace ki::manifest {

inline constexpr Type kText50 = text(50);
inline constexpr Type kText100 = text(100);
inline constexpr Type kText200 = text(200);
inline constexpr Type kText500 = text(500);
inline constexpr Type kToken = text(Pattern::token);
inline constexpr Type kSlug = text(Pattern::slug, 100);
inline constexpr Type kName = text(Pattern::manifest_name, 200);
inline constexpr Type kDigest = text(Pattern::digest);
inline constexpr Type kCommit = text(Pattern::git_commit);
inline constexpr Type kUrl = text(Pattern::https_url, 2000);
inline constexpr Type kInstant = text(Pattern::instant);
inline constexpr Type kBoolean = {.form = Form::boolean};
inline constexpr Type kInteger = integer();
inline constexpr Type kIndex = integer(0);
inline constexpr Type kCount = above_zero(Form::integer);
inline constexpr Type kNumber = number();
inline constexpr Type kNotNegative = number(0);
inline constexpr Type kPositive = above_zero(Form::number);
inline constexpr Type kRatio = number(0, 1);
inline constexpr Type kDimension = {.form = Form::dimension};
inline constexpr Type kDuration = {.form = Form::duration};

inline constexpr Type kTokenToText100 = record(kToken, kText100);
inline constexpr Type kTokenToText200 = record(kToken, kText200);
inline constexpr Type kTokenToText500 = record(kToken, kText500);
inline constexpr Type kTokenToNumber = record(kToken, kNumber);
inline constexpr Type kAxisValues = record(kToken, kInteger);

inline constexpr Field kArtifactFields[] = {
    required("uri", text(2000), "where the bytes are; any locator"),
    required("digest", kDigest, "what the bytes are"),
};
inline constexpr Mapping kArtifactMapping = {kArtifactFields};
inline constexpr Type kArtifact = mapping(kArtifactMapping);

inline constexpr Field kMeasurementFields[] = {
    required("metric", kToken, "what was measured, such as latency"),
    required("unit", kToken, "its unit, such as ns"),
    required("statistic", kToken, "which statistic of the samples, such as p20"),
    required("value", kNumber, "the figure, in the unit"),
    optional("sampleCount", kCount, "samples behind the figure"),
};
inline constexpr Mapping kMeasurementMapping = {kMeasurementFields};
inline constexpr Type kMeasurement = mapping(kMeasurementMapping);

// The specs of the serving kinds, defined in kinds_serving.cc.
extern const Mapping kModelRevisionSpec;
extern const Mapping kServingStackRevisionSpec;
extern const Mapping kServingConfigurationSpec;
extern const Mapping kServingWorkloadSpec;
extern const Mapping kServingRunSpec;

}  // namespace ki::manifest
