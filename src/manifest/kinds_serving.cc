// The five serving kinds; the eight kernel kinds are in kinds.cc.
#include "manifest/kinds_shared.h"

namespace ki::manifest {
namespace {

// ---- ModelRevision

constexpr std::string_view kModelHosts[] = {"huggingface", "github", "other"};
constexpr Field kModelRepositoryFields[] = {
    required("host", word(kModelHosts), "where it is hosted"),
    required("id", kText200, "its identifier there"),
    optional("revision", kText100, "which revision"),
};
constexpr Mapping kModelRepository = {kModelRepositoryFields};
constexpr Field kTokenizerFields[] = {
    optional("name", kText200, "name"),
    optional("revision", kText100, "which revision"),
    optional("digest", kDigest, "its content"),
};
constexpr Mapping kTokenizer = {kTokenizerFields};

constexpr Field kModelRevision[] = {
    required("model", kText200, "name of the model"),
    optional("repository", mapping(kModelRepository), "where the weights are"),
    optional("tokenizer", mapping(kTokenizer), "its tokenizer"),
    optional("architecture", kText100, "architecture"),
    optional("parameterCount", kCount, "parameters"),
    optional("contextLength", kCount, "longest context in tokens"),
    optional("modality", kToken, "what goes in and out"),
    optional("license", kText200, "licence"),
};

// ---- ServingStackRevision

constexpr Field kStackProjectFields[] = {
    required("name", kText200, "name of the project"),
    optional("repository", kUrl, "its repository"),
};
constexpr Mapping kStackProject = {kStackProjectFields};
constexpr Field kStackRevisionFields[] = {
    optional("version", text(120), "released version"),
    optional("commit", kCommit, "full commit id"),
    optional("containerDigest", kDigest, "container image"),
};
constexpr Mapping kStackRevision = {kStackRevisionFields};

constexpr Field kServingStackRevision[] = {
    required("project", mapping(kStackProject), "the serving project"),
    required("revision", mapping(kStackRevision), "which revision; may be empty"),
    optional("backends", list(kToken, 0, 8), "backends, outermost first"),
    optional("apiProtocol", kToken, "protocol it speaks"),
    optional("license", kText200, "licence"),
};

// ---- ServingConfiguration

constexpr Field kParallelismFields[] = {
    optional("tensor", kCount, "tensor parallel size"),
    optional("pipeline", kCount, "pipeline parallel size"),
    optional("data", kCount, "data parallel size"),
    optional("expert", kCount, "expert parallel size"),
    optional("context", kCount, "context parallel size"),
};
constexpr Mapping kParallelism = {kParallelismFields};
constexpr Field kKvCacheFields[] = {
    optional("dtype", kToken, "element type"),
    optional("capacityTokens", kCount, "tokens it holds"),
};
constexpr Mapping kKvCache = {kKvCacheFields};
constexpr Field kLimitsFields[] = {
    optional("maxSequenceLength", kCount, "longest sequence in tokens"),
    optional("maxBatchSize", kCount, "largest batch"),
    optional("maxNumTokens", kCount, "most tokens in one step"),
};
constexpr Mapping kLimits = {kLimitsFields};
constexpr Field kSpeculativeFields[] = {
    required("method", kToken, "how tokens are guessed"),
    optional("draftModel", kText200, "model that guesses"),
};
constexpr Mapping kSpeculative = {kSpeculativeFields};

constexpr Field kServingConfiguration[] = {
    required("stackDigest", kDigest, "the serving stack"),
    optional("dtype", kToken, "element type"),
    optional("quantization", kToken, "quantisation of the weights"),
    optional("attentionBackend", kToken, "attention implementation"),
    optional("parallelism", mapping(kParallelism), "how it is spread over devices"),
    optional("kvCache", mapping(kKvCache), "key-value cache"),
    optional("limits", mapping(kLimits), "limits it was started with"),
    optional("speculative", mapping(kSpeculative), "speculative decoding"),
    optional("options", kTokenToText500, "other options, by name"),
};

// ---- ServingWorkload

constexpr Field kNamedDigestFields[] = {
    required("name", kText200, "its name"),
    optional("digest", kDigest, "its content"),
};
constexpr Mapping kNamedDigest = {kNamedDigestFields};

constexpr Field kTokenCountFields[] = {
    required("distribution", kToken, "how lengths are drawn"),
    optional("mean", kPositive, "mean length"),
    optional("maximum", kCount, "largest length"),
    optional("artifactDigest", kDigest, "the lengths themselves"),
};
constexpr Mapping kTokenCount = {kTokenCountFields};
constexpr Field kTokenCountsFields[] = {
    optional("prompt", mapping(kTokenCount), "tokens in"),
    optional("output", mapping(kTokenCount), "tokens out"),
};
constexpr Mapping kTokenCounts = {kTokenCountsFields};
constexpr std::string_view kLoads[] = {"open_loop", "closed_loop", "offline"};
constexpr std::string_view kOperators[] = {"<=", "<"};
constexpr Field kObjectiveFields[] = {
    required("metric", kToken, "what is promised, such as ttft"),
    required("statistic", kToken, "which statistic, such as p99"),
    required("operator", word(kOperators), "how it is compared"),
    required("value", kPositive, "the bound"),
    required("unit", kToken, "its unit"),
};
constexpr Mapping kObjectiveMapping = {kObjectiveFields};
constexpr Type kObjective = mapping(kObjectiveMapping);
constexpr Field kSamplingFields[] = {
    optional("temperature", kNumber, "temperature"),
    optional("seeded", kBoolean, "whether a seed is fixed"),
};
constexpr Mapping kSampling = {kSamplingFields};

constexpr Field kServingWorkload[] = {
    optional("dataset", mapping(kNamedDigest), "where the prompts come from"),
    optional("tokens", mapping(kTokenCounts), "lengths of prompts and answers"),
    required("streaming", kBoolean, "whether answers are streamed"),
    required("loadGeneration", word(kLoads), "what makes the next request start"),
    optional("arrival", kToken, "arrival process, such as poisson"),
    optional("requestRatePerSecond", kPositive, "requests a second"),
    optional("slo", list(kObjective, 0, 8), "objectives, most important first"),
    optional("sampling", mapping(kSampling), "sampling parameters"),
    optional("durationSeconds", kCount, "length of the run"),
    optional("requestCount", kCount, "requests sent"),
};

// ---- ServingRun

constexpr Field kTopologyFields[] = {
    optional("acceleratorVendor", kToken, "maker of the accelerators"),
    required("acceleratorModel", kText200, "product name"),
    required("acceleratorsPerNode", kCount, "accelerators in one node"),
    required("nodeCount", kCount, "nodes"),
    optional("interconnect", kText200, "links between nodes"),
};
constexpr Mapping kTopology = {kTopologyFields};
constexpr Field kServingHarnessFields[] = {
    required("name", kToken, "load generator"),
    required("version", kText100, "its version"),
};
constexpr Mapping kServingHarness = {kServingHarnessFields};
constexpr std::string_view kServingStatuses[] = {"valid", "invalid", "incomplete_evidence"};
constexpr Type kNumberOrText = {.form = Form::number_or_text, .length_max = 500};
constexpr Type kSourceMetrics = record(kToken, kNumberOrText);
constexpr Field kServingSourceFields[] = {
    required("source", kSlug, "the source it comes from"),
    required("benchmark", kText200, "benchmark and round"),
    required("scenario", kToken, "scenario, such as offline"),
    required("division", kToken, "division, such as closed"),
    required("category", kToken, "category, such as available"),
    required("externalId", kText500, "what the source calls the run"),
    optional("metrics", kSourceMetrics, "figures as the source states them"),
};
constexpr Mapping kServingSource = {kServingSourceFields};

constexpr Field kServingRun[] = {
    required("modelDigest", kDigest, "the model"),
    required("configurationDigest", kDigest, "the configuration it was served with"),
    required("workloadDigest", kDigest, "the load"),
    required("topology", mapping(kTopology), "the machines"),
    required("harness", mapping(kServingHarness), "what made the load"),
    optional("placement", kToken, "where the harness ran"),
    required("qualityPolicy", kToken, "the accuracy that was kept"),
    required("status", word(kServingStatuses), "how it ended"),
    required("measurements", list(kMeasurement, 1, 64), "the figures"),
    optional("sourceNative", mapping(kServingSource), "what the source itself says"),
    optional("caveats", list(kText500, 0, 16), "what a reader should know"),
    required("observedAt", kInstant, "when it was measured; kept as written"),
};

}  // namespace

constexpr Mapping kModelRevisionSpec = {kModelRevision};
constexpr Mapping kServingStackRevisionSpec = {kServingStackRevision};
constexpr Mapping kServingConfigurationSpec = {kServingConfiguration};
constexpr Mapping kServingWorkloadSpec = {kServingWorkload};
constexpr Mapping kServingRunSpec = {kServingRun};

}  // namespace ki::manifest
