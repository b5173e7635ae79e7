// The whole format on one page: the envelope, then one table of fields per kind. The five serving
// kinds are in kinds_serving.cc, the types that kinds share in kinds_shared.h.
#include "manifest/kinds.h"

#include <algorithm>
#include <array>

#include "manifest/kinds_shared.h"

namespace ki::manifest {
namespace {

// ---- metadata: editorial, never part of the digest

constexpr Field kAuthorFields[] = {
    optional("name", kText200, "name of the person or group"),
    optional("github", kText100, "GitHub account"),
};
constexpr Mapping kAuthorMapping = {kAuthorFields};
constexpr Type kAuthor = mapping(kAuthorMapping);
constexpr Field kSourceRefFields[] = {required("url", kUrl, "a page to read")};
constexpr Mapping kSourceRefMapping = {kSourceRefFields};
constexpr Type kSourceRef = mapping(kSourceRefMapping);

constexpr Field kMetadataFields[] = {
    required("name", kName, "short name; slugs are made from it"),
    optional("title", kText200, "display name"),
    optional("description", text(2000), "what it is, for people"),
    optional("labels", kTokenToText200, "display data; role and author have a meaning"),
    optional("authors", list(kAuthor), "who made it"),
    optional("sourceRefs", list(kSourceRef), "where to read more"),
};
constexpr Mapping kMetadata = {kMetadataFields};

// ---- the envelope

constexpr std::string_view kApiVersions[] = {kApiVersion};
constexpr Field kEnvelopeFields[] = {
    required("apiVersion", word(kApiVersions), "version of this format"),
    required("kind", {.form = Form::kind_name}, "which of the kinds below"),
    required("metadata", mapping(kMetadata), "editorial; never part of the digest"),
    required("spec", {.form = Form::spec}, "what the digest is taken over, with the two above"),
};
constexpr Mapping kEnvelope = {kEnvelopeFields};

// ---- OperationSpec

constexpr std::string_view kAxisRoles[] = {"variable", "constant", "derived"};
constexpr std::string_view kAxisTypes[] = {"integer"};
constexpr Field kAxisFields[] = {
    required("role", word(kAxisRoles), "whether a workload chooses it"),
    required("type", word(kAxisTypes), "what its values are"),
    optional("value", kInteger, "the value; required when the role is constant"),
    optional("minimum", kInteger, "smallest sensible value"),
    optional("maximum", kInteger, "largest sensible value"),
    optional("expression", text(Pattern::axis_expression, 200),
             "how other axes give it; required when the role is derived"),
};
constexpr Mapping kAxisMapping = {kAxisFields, Rule::axis_role};
constexpr Type kAxis = mapping(kAxisMapping);

constexpr std::string_view kLayouts[] = {"row_major", "col_major", "contiguous", "strided"};
constexpr Field kArgumentTensorFields[] = {
    required("shape", list(kDimension, 1), "extents, outermost first"),
    required("dtype", kToken, "element type, such as bf16"),
    optional("layout", word(kLayouts), "memory layout"),
};
constexpr Mapping kArgumentTensor = {kArgumentTensorFields};
constexpr Field kArgumentScalarFields[] = {required("dtype", kToken, "type, such as fp32")};
constexpr Mapping kArgumentScalar = {kArgumentScalarFields};
constexpr Field kArgumentFields[] = {
    required("name", kToken, "name of the argument"),
    optional("tensor", mapping(kArgumentTensor), "what the tensor looks like; or scalar"),
    optional("scalar", mapping(kArgumentScalar), "what the scalar is; or tensor"),
};
constexpr Mapping kArgumentMapping = {kArgumentFields, Rule::tensor_or_scalar};
constexpr Type kArgument = mapping(kArgumentMapping);

constexpr std::string_view kMutations[] = {"none", "in_place", "destination"};
constexpr std::string_view kDeterminisms[] = {"deterministic", "nondeterministic", "unspecified"};
constexpr Field kSemanticsFields[] = {
    optional("expression", text(2000), "the mathematics, for people"),
    required("mutation", word(kMutations), "which arguments are written"),
    required("determinism", word(kDeterminisms), "whether equal inputs give equal bits"),
};
constexpr Mapping kSemantics = {kSemanticsFields};
constexpr Field kReferenceFields[] = {
    required("language", kToken, "language of the reference"),
    optional("artifact", kArtifact, "its source"),
};
constexpr Mapping kReference = {kReferenceFields};

constexpr Type kAxes = record(kToken, kAxis);
constexpr Field kOperationSpec[] = {
    required("family", kSlug, "the family it belongs to, such as rmsnorm"),
    required("axes", kAxes, "the sizes it is written in, by name"),
    required("inputs", list(kArgument, 1), "arguments that are read, in call order"),
    required("outputs", list(kArgument, 1), "results, in call order"),
    required("semantics", mapping(kSemantics), "what it does to its arguments"),
    optional("reference", mapping(kReference), "an implementation that defines it"),
};

// ---- WorkloadCase

constexpr Field kDataFields[] = {
    required("generator", kToken, "how the values are made, such as normal"),
    optional("seed", kIndex, "seed of the generator"),
    optional("parameters", kTokenToNumber, "parameters of the generator"),
    optional("artifact", kArtifact, "the values themselves"),
};
constexpr Mapping kData = {kDataFields};
constexpr Field kWorkloadTensorFields[] = {
    required("shape", list(kIndex, 1), "extents, outermost first"),
    required("dtype", kToken, "element type"),
    optional("strides", list(kInteger), "strides in elements"),
    optional("alignmentBytes", kCount, "alignment of the first element"),
    optional("data", mapping(kData), "what the tensor holds"),
};
constexpr Mapping kWorkloadTensorMapping = {kWorkloadTensorFields};
constexpr Type kWorkloadTensor = mapping(kWorkloadTensorMapping);
constexpr Field kWorkloadScalarFields[] = {
    required("dtype", kToken, "type"),
    required("value", kNumber, "value"),
};
constexpr Mapping kWorkloadScalarMapping = {kWorkloadScalarFields};
constexpr Type kWorkloadScalar = mapping(kWorkloadScalarMapping);

constexpr std::string_view kSpecialPolicies[] = {"reject", "exact_match", "ignore"};
constexpr Field kToleranceFields[] = {
    required("comparator", kToken, "how results are compared"),
    optional("maxAbsoluteError", kNotNegative, "largest absolute difference"),
    optional("maxRelativeError", kNotNegative, "largest relative difference"),
    optional("requiredMatchedRatio", kRatio, "share of elements that has to match"),
    optional("nanPolicy", word(kSpecialPolicies), "what a NaN in a result means"),
    optional("infinityPolicy", word(kSpecialPolicies), "what an infinity in a result means"),
};
constexpr Mapping kTolerance = {kToleranceFields};

constexpr Type kWorkloadTensors = record(kToken, kWorkloadTensor);
constexpr Type kWorkloadScalars = record(kToken, kWorkloadScalar);
constexpr Field kWorkloadCase[] = {
    required("operationSpecDigest", kDigest, "the operation"),
    required("axes", kAxisValues, "the size of each axis"),
    required("tensors", kWorkloadTensors, "the tensor arguments, by name"),
    optional("scalars", kWorkloadScalars, "the scalar arguments, by name"),
    required("correctness", mapping(kTolerance), "when a result is right"),
};

// ---- WorkloadSuite

constexpr Field kCaseFields[] = {
    required("externalId", kText200, "what the source calls the case"),
    required("axes", kAxisValues, "the size of each axis"),
};
constexpr Mapping kCaseMapping = {kCaseFields};
constexpr Type kCase = mapping(kCaseMapping);
constexpr Field kSuiteCorrectnessFields[] = {
    required("comparator", kToken, "how results are compared"),
    optional("description", kText500, "the rule in words"),
};
constexpr Mapping kSuiteCorrectness = {kSuiteCorrectnessFields};
constexpr Field kAggregationFields[] = {
    required("metric", kToken, "the figure of the whole suite"),
    required("statistic", kToken, "how the cases are combined, such as geomean"),
};
constexpr Mapping kAggregation = {kAggregationFields};

constexpr Field kWorkloadSuite[] = {
    required("operationSpecDigest", kDigest, "the operation"),
    required("cases", list(kCase, 1), "the cases, in order"),
    required("correctness", mapping(kSuiteCorrectness), "when a result is right"),
    required("aggregation", mapping(kAggregation), "how one figure comes of many cases"),
};

// ---- SoftwareProject

constexpr std::string_view kProjectKinds[] = {"library", "individual", "vendor"};
constexpr std::string_view kHosts[] = {"github", "huggingface", "gitlab", "other"};
constexpr Field kHostFields[] = {
    required("kind", word(kHosts), "which forge"),
    required("id", kText200, "its identifier there, such as owner/name"),
};
constexpr Mapping kHost = {kHostFields};
constexpr Field kPackageFields[] = {
    required("ecosystem", kToken, "package registry, such as pypi"),
    required("name", kText200, "name of the package there"),
};
constexpr Mapping kPackageMapping = {kPackageFields};
constexpr Type kPackage = mapping(kPackageMapping);

constexpr Field kSoftwareProject[] = {
    required("name", kText200, "display name"),
    optional("kind", word(kProjectKinds), "who stands behind it; absent reads as library"),
    optional("repository", kUrl, "source repository"),
    optional("homepage", kUrl, "home page"),
    optional("host", mapping(kHost), "where it is hosted"),
    optional("packages", list(kPackage), "published packages"),
};

// ---- ImplementationRevision

constexpr Field kProjectRevisionFields[] = {
    optional("repository", kUrl, "source repository"),
    optional("commit", kCommit, "full commit id"),
    optional("version", kText100, "released version"),
    optional("treeDigest", kDigest, "digest of the source tree"),
};
constexpr Mapping kProjectRevision = {kProjectRevisionFields};
constexpr Field kOperationRefFields[] = {required("specDigest", kDigest, "the operation")};
constexpr Mapping kOperationRef = {kOperationRefFields};
constexpr Field kCallableFields[] = {
    required("language", kToken, "language of the kernel, such as triton; unknown is allowed"),
    optional("path", kText500, "file within the tree"),
    optional("symbol", kText200, "function or class"),
    optional("interface", kToken, "framework it is called from, such as pytorch"),
};
constexpr Mapping kCallable = {kCallableFields};
constexpr Field kSupportFields[] = {
    required("hardwareArchitectures", set(kToken), "architectures it runs on"),
    optional("productsTested", set(kText100), "products it was tried on"),
    optional("axes", set(kText200), "conditions on the axes"),
    required("dtypes", set(kToken), "element types it takes"),
    optional("layouts", set(kText50), "memory layouts it takes"),
};
constexpr Mapping kSupport = {kSupportFields};
constexpr Field kSourceFields[] = {
    required("contentDigest", kDigest, "digest of the source text"),
    optional("fileName", kText200, "name of the file"),
    optional("sizeBytes", kCount, "its size"),
};
constexpr Mapping kSource = {kSourceFields};
constexpr std::string_view kInstallKinds[] = {"git", "pip", "package", "container", "source"};
constexpr Field kInstallFields[] = {
    required("kind", word(kInstallKinds), "the way it is installed"),
    optional("repository", kUrl, "repository to install from"),
    optional("commit", kCommit, "full commit id"),
    optional("package", kText200, "name of the package"),
    optional("version", kText100, "version of the package"),
    optional("command", text(1000), "the command to run"),
};
constexpr Mapping kInstall = {kInstallFields};
constexpr Field kBuildVariantFields[] = {
    required("name", kName, "name of the variant"),
    required("install", mapping(kInstall), "how to get it"),
    optional("requirements", kTokenToText200, "what it needs, by name"),
};
constexpr Mapping kBuildVariantMapping = {kBuildVariantFields};
constexpr Type kBuildVariant = mapping(kBuildVariantMapping);
constexpr Field kLicenceEvidenceFields[] = {
    required("path", kText500, "the licence file"),
    optional("digest", kDigest, "its content"),
};
constexpr Mapping kLicenceEvidence = {kLicenceEvidenceFields};
constexpr Field kLicensingFields[] = {
    optional("declared", kText200, "what the project says"),
    optional("concluded", kText200, "what a review found"),
    optional("evidence", mapping(kLicenceEvidence), "where it says so"),
};
constexpr Mapping kLicensing = {kLicensingFields};

constexpr Field kImplementationRevision[] = {
    required("projectRevision", mapping(kProjectRevision), "which revision; may be empty"),
    required("operation", mapping(kOperationRef), "what it implements"),
    required("callable", mapping(kCallable), "what is called"),
    required("support", mapping(kSupport), "what it can run"),
    optional("source", mapping(kSource), "the source text, when it is one file"),
    optional("buildVariants", list(kBuildVariant), "ways to get it, best first"),
    required("licensing", mapping(kLicensing), "its licence; may be empty"),
};

// ---- BenchmarkProtocol

constexpr Field kHarnessFields[] = {
    required("name", kText200, "name of the harness"),
    optional("version", kText100, "its version"),
    optional("repository", kUrl, "its repository"),
    optional("commit", kCommit, "full commit id"),
};
constexpr Mapping kHarness = {kHarnessFields};
constexpr Field kMethodFields[] = {
    required("timer", kToken, "clock, such as cuda_events"),
    optional("synchronization", kToken, "how the device is waited for"),
    optional("inputRegeneration", kToken, "when inputs are made anew"),
    optional("compileIncluded", kBoolean, "whether compilation is timed"),
    optional("setupIncluded", kBoolean, "whether set-up is timed"),
    optional("warmupIterations", kIndex, "untimed iterations before"),
    optional("warmupDuration", kDuration, "untimed time before"),
    optional("measuredIterations", kCount, "iterations of one sample"),
    optional("samples", kCount, "samples taken"),
    optional("outlierPolicy", kText500, "which samples are dropped"),
    required("primaryStatistic", kToken, "the statistic that ranks"),
};
constexpr Mapping kMethod = {kMethodFields};
constexpr Field kProtocolCorrectnessFields[] = {
    required("reference", kText500, "what results are compared with"),
    required("comparator", kToken, "how they are compared"),
};
constexpr Mapping kProtocolCorrectness = {kProtocolCorrectnessFields};
constexpr Field kDevicePolicyFields[] = {
    optional("clocksLocked", kBoolean, "whether clocks are locked"),
    optional("powerLimitWatts", kPositive, "power limit"),
    optional("persistenceMode", kBoolean, "whether the driver stays loaded"),
};
constexpr Mapping kDevicePolicy = {kDevicePolicyFields};
constexpr Field kComparabilityFields[] = {
    required("family", kToken, "protocols whose figures mean the same"),
    optional("notes", text(1000), "what limits a comparison; part of the digest"),
};
constexpr Mapping kComparability = {kComparabilityFields};

constexpr Field kBenchmarkProtocol[] = {
    required("harness", mapping(kHarness), "the program that measures"),
    required("measurement", mapping(kMethod), "how it measures"),
    optional("correctness", mapping(kProtocolCorrectness), "how results are checked"),
    optional("devicePolicy", mapping(kDevicePolicy), "the state the device is put in"),
    optional("comparability", mapping(kComparability), "what may be compared"),
};

// ---- ExecutionEnvironment

constexpr Field kHardwareFields[] = {
    required("vendor", kToken, "maker, such as nvidia"),
    required("product", kText200, "product name"),
    required("architecture", kToken, "architecture, such as sm_90"),
    optional("formFactor", kText100, "form, such as SXM"),
    optional("interconnect", kText200, "links between devices"),
    optional("memoryBytes", kCount, "device memory"),
    optional("count", kCount, "devices used"),
};
constexpr Mapping kHardware = {kHardwareFields};
constexpr Field kFrameworkFields[] = {
    required("name", kToken, "framework, such as pytorch"),
    required("version", kText100, "its version"),
};
constexpr Mapping kFramework = {kFrameworkFields};
constexpr Field kSoftwareFields[] = {
    optional("operatingSystem", kText200, "operating system"),
    optional("kernel", kText200, "its kernel"),
    optional("compiler", kText200, "compiler"),
    optional("driver", kText100, "device driver"),
    optional("cudaToolkit", kText100, "CUDA version"),
    optional("framework", mapping(kFramework), "framework the kernel is called from"),
    optional("libraries", kTokenToText100, "versions of libraries, by name"),
};
constexpr Mapping kSoftware = {kSoftwareFields};
constexpr Type kVariables = record(kText200, kText500);
constexpr Field kSettingsFields[] = {
    optional("clocksLocked", kBoolean, "whether clocks were locked"),
    optional("persistenceMode", kBoolean, "whether the driver stayed loaded"),
    optional("eccEnabled", kBoolean, "whether memory was error-correcting"),
    optional("powerLimitWatts", kPositive, "power limit"),
    optional("environmentVariables", kVariables, "variables that matter, by name"),
};
constexpr Mapping kSettings = {kSettingsFields};

constexpr Field kExecutionEnvironment[] = {
    required("hardware", mapping(kHardware), "the device"),
    required("software", mapping(kSoftware), "the software; may be empty"),
    optional("settings", mapping(kSettings), "settings of device and process"),
    optional("imageDigest", kDigest, "container image"),
};

// ---- BenchmarkRun

constexpr Field kObservedErrorFields[] = {
    required("comparator", kToken, "how results were compared"),
    optional("maximumAbsoluteError", kNotNegative, "largest absolute difference seen"),
    optional("maximumRelativeError", kNotNegative, "largest relative difference seen"),
    optional("matchedRatio", kRatio, "share of elements that matched"),
};
constexpr Mapping kObservedError = {kObservedErrorFields};
constexpr Field kLatencyFields[] = {
    optional("median", kDuration, "median; this or mean is required"),
    optional("mean", kDuration, "mean; this or median is required"),
    optional("p05", kDuration, "5th percentile"),
    optional("p95", kDuration, "95th percentile"),
    optional("minimum", kDuration, "smallest sample"),
    optional("maximum", kDuration, "largest sample"),
    optional("mad", kDuration, "median absolute deviation"),
    optional("confidence95", list(kDuration, 2, 2), "95 % interval of the statistic: low, high"),
};
constexpr Mapping kLatency = {kLatencyFields, Rule::median_or_mean};
constexpr Field kTimingFields[] = {
    required("primaryStatistic", kToken, "the statistic that ranks"),
    optional("samples", kCount, "samples taken"),
    required("latencyNs", mapping(kLatency), "time of one call"),
    optional("rawSamples", kArtifact, "every sample"),
};
constexpr Mapping kTiming = {kTimingFields};
constexpr Field kSourceNativeFields[] = {
    required("source", kSlug, "the source it comes from"),
    optional("benchmark", kText200, "what the source calls the benchmark"),
    optional("externalId", kText500, "what the source calls the run"),
    optional("metrics", kTokenToNumber, "figures as the source states them"),
};
constexpr Mapping kSourceNative = {kSourceNativeFields};
constexpr Field kEvidenceHarnessFields[] = {
    required("repository", kUrl, "repository of the harness"),
    required("commit", kCommit, "full commit id"),
};
constexpr Mapping kEvidenceHarness = {kEvidenceHarnessFields};
constexpr Field kEvidenceFields[] = {
    optional("logs", kArtifact, "output of the run"),
    optional("rawSamples", kArtifact, "every sample"),
    optional("harness", mapping(kEvidenceHarness), "the harness that ran"),
};
constexpr Mapping kEvidence = {kEvidenceFields};

constexpr Field kBenchmarkRun[] = {
    required("implementationDigest", kDigest, "what ran"),
    required("workloadDigest", kDigest, "on what"),
    required("protocolDigest", kDigest, "measured how"),
    required("environmentDigest", kDigest, "and where"),
    required("status", word(kRunStatuses), "how it ended"),
    optional("correctness", mapping(kObservedError), "what the check found"),
    optional("timing", mapping(kTiming), "latency"),
    optional("measurements", list(kMeasurement), "other figures"),
    optional("sourceNative", mapping(kSourceNative), "what the source itself says"),
    optional("evidence", mapping(kEvidence), "what supports the figures"),
    required("observedAt", kInstant, "when it was measured; kept as written"),
};

// ---- the kinds

struct KindInfo {
  Kind kind;
  std::string_view name;
  const Mapping* spec;
  std::string_view says;
};

constexpr Mapping kOperationSpecSpec = {kOperationSpec};
constexpr Mapping kWorkloadCaseSpec = {kWorkloadCase};
constexpr Mapping kWorkloadSuiteSpec = {kWorkloadSuite};
constexpr Mapping kSoftwareProjectSpec = {kSoftwareProject};
constexpr Mapping kImplementationRevisionSpec = {kImplementationRevision};
constexpr Mapping kBenchmarkProtocolSpec = {kBenchmarkProtocol};
constexpr Mapping kExecutionEnvironmentSpec = {kExecutionEnvironment};
constexpr Mapping kBenchmarkRunSpec = {kBenchmarkRun};

constexpr std::array<KindInfo, 13> kKinds = {{
    {Kind::operation_spec, "OperationSpec", &kOperationSpecSpec,
     "What is computed: arguments, axes and semantics, without any implementation"},
    {Kind::workload_case, "WorkloadCase", &kWorkloadCaseSpec,
     "One exact size of an operation, with its data and its tolerance"},
    {Kind::workload_suite, "WorkloadSuite", &kWorkloadSuiteSpec,
     "Several sizes of an operation that a source scores as one"},
    {Kind::software_project, "SoftwareProject", &kSoftwareProjectSpec,
     "A project, person or vendor that publishes implementations"},
    {Kind::implementation_revision, "ImplementationRevision", &kImplementationRevisionSpec,
     "One revision of a kernel: what is called, what it supports, how to get it"},
    {Kind::benchmark_protocol, "BenchmarkProtocol", &kBenchmarkProtocolSpec,
     "How a measurement is taken; runs under different protocols are never compared"},
    {Kind::execution_environment, "ExecutionEnvironment", &kExecutionEnvironmentSpec,
     "The hardware and software a measurement was taken on"},
    {Kind::benchmark_run, "BenchmarkRun", &kBenchmarkRunSpec,
     "One measurement of an implementation on a workload"},
    {Kind::model_revision, "ModelRevision", &kModelRevisionSpec, "One revision of a model"},
    {Kind::serving_stack_revision, "ServingStackRevision", &kServingStackRevisionSpec,
     "One revision of a serving program"},
    {Kind::serving_configuration, "ServingConfiguration", &kServingConfigurationSpec,
     "How a serving program was started"},
    {Kind::serving_workload, "ServingWorkload", &kServingWorkloadSpec,
     "The load a served model is put under"},
    {Kind::serving_run, "ServingRun", &kServingRunSpec,
     "One measurement of a served model under a load"},
}};

const KindInfo& info(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr auto kAllKinds = [] {
  std::array<Kind, kKinds.size()> kinds{};
  std::ranges::transform(kKinds, kinds.begin(), &KindInfo::kind);
  return kinds;
}();
static_assert(std::ranges::is_sorted(kAllKinds), "info() indexes the table by kind");

}  // namespace

std::span<const Kind> all_kinds() { return kAllKinds; }
std::string_view name_of(Kind kind) { return info(kind).name; }
std::string_view says(Kind kind) { return info(kind).says; }
const Mapping& spec_of(Kind kind) { return *info(kind).spec; }
const Mapping& envelope() { return kEnvelope; }

std::optional<Kind> parse_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &KindInfo::name);
  if (found == kKinds.end()) return std::nullopt;
  return found->kind;
}

}  // namespace ki::manifest
