// Facts that follow from manifests and from nothing else: the keys that decide what may be
// compared, the primary metric, and the summaries shown beside a run. Nothing here is chosen by a
// submitter, and computing it twice gives the same text.
//
// Every function takes the `spec` of a decoded manifest (manifest::Manifest::spec()): valid and
// normalised, so durations are integer nanoseconds. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "json/value.h"
#include "policy/licence.h"
#include "policy/taxonomy.h"

namespace ki::policy {

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// One number of a run.
struct Measurement {
  std::string metric;     // "latency"
  std::string statistic;  // "median"
  std::string unit;       // "ns"
  double value = 0;
  std::optional<std::int64_t> sample_count;
  bool operator==(const Measurement&) const = default;
};

// ---- operations

struct OperationFacts {
  std::string family;
  std::vector<std::string> dtypes;  // tensor dtypes, inputs then outputs, unique, in that order
};

OperationFacts derive_operation_facts(const json::Value& operation);

// What operations that compute the same have in common: H of the spec without `family` and
// `reference`, and of the slug without a number in front ("021-rmsnorm-h128" is "rmsnorm-h128").
// Two operations of one key are equivalent; a spec alone does not tell all mathematics apart.
Digest equivalence_key(std::string_view slug, const json::Value& operation);

// ---- workloads

struct WorkloadFacts {
  Digest operation;                 // the operation this is a workload of
  Digest correctness_key;           // H({"correctness": the workload's whole correctness mapping})
  bool suite = false;               // WorkloadSuite; else WorkloadCase
  std::string shape_summary;        // "[4096, 7168]", "[]" without tensors, "suite of 16 cases"
  std::vector<std::string> dtypes;  // sorted, unique; empty for suites
  std::vector<std::string> layout_keys;  // contiguous, row_major, strided; sorted, unique
  std::vector<std::pair<std::string, std::int64_t>> axes;  // of a case, as authored
};

// The shape is that of the first operation argument (inputs, then outputs) that is a tensor of the
// case, so that it does not depend on the order of members. "?" when no argument is one.
// Requires that `workload` is a workload of `operation`.
WorkloadFacts derive_workload_facts(const json::Value& workload, const json::Value& operation);

// "m = 1024 · k = 7168 · bf16", or "suite of 16 cases · geomean score".
std::string workload_label(const json::Value& workload);

// "bf16", "bf16/fp32", "bf16/fp16/fp32 +1": index types only when there is nothing else.
std::string dtype_label(const std::vector<std::string>& dtypes);

// "bf16 · [4096, 7168]"; the shape alone when no dtype is known.
std::string row_summary(const std::vector<std::string>& dtypes, std::string_view shape_summary);

// "abs ≤ 0.01, rel ≤ 0.02, matched ≥ 99%", else the comparator.
std::string tolerance_summary(const json::Value& workload);

// ---- implementations and projects

struct ImplementationFacts {
  std::optional<std::string> source_revision;  // commit, else version
  std::string language;
  std::optional<std::string> framework;  // callable.interface
  std::vector<std::string> target_architectures;
  std::optional<std::string> license_declared;
  std::optional<std::string> license_expression;  // concluded, see licence.h
  bool source_available = false;                  // a repository is named or the source is attached
  bool installable = false;                       // has a build variant, with or without a command
  std::optional<std::string> install_kind;        // of the first build variant
  std::optional<std::string> install_command;
};

// What an implementation's licence is read as: the concluded one where it is stated, else the
// declared one.
Licence stated_licence(const json::Value& implementation);

ImplementationFacts derive_implementation_facts(const json::Value& implementation);

struct ProjectFacts {
  std::string name;
  std::string normalized_name;               // lower case
  std::string kind;                          // library when the manifest does not say
  std::optional<std::string> canonical_url;  // repository, else homepage
  void rename(std::string_view to);
};

ProjectFacts derive_project_facts(const json::Value& project);

// ---- runs

// What ranks a run: the latency its `timing` names, else its first measurement, else nothing.
// `timing.primaryStatistic` is kept as the label even where the median had to stand in for it.
std::optional<Measurement> primary_metric(const json::Value& run);

// "latency:median:ns", or "none".
std::string metric_key(const std::optional<Measurement>& primary);

// The latency statistics in the order median, mean, p05, p95, min, max, mad, then the stated
// measurements; the first of a (metric, statistic) wins.
std::vector<Measurement> measurement_rows(const json::Value& run);

// p20 and p80 of the primary metric among `rows`, as stated; nullopt unless both are there.
std::optional<Interval> stated_spread(const Measurement& primary,
                                      const std::vector<Measurement>& rows);

// What must be equal for two runs to be compared.
struct ComparisonParts {
  Digest operation;
  Digest workload;
  Digest protocol;
  Digest environment;
  Digest correctness;
  std::string metric;  // metric_key()
};

Digest comparison_key(const ComparisonParts& parts);
Digest correctness_key(const json::Value& workload);

// "CUDA 12.8 · pytorch 2.9.0 · flashinfer-bench": what is known of toolkit, framework, harness;
// nullopt when nothing is.
std::optional<std::string> environment_summary(const json::Value& protocol,
                                               const json::Value& environment);

// The leading integer of a version text, as in "570.86.15" or " 12.8"; nullopt without one, or when
// it does not fit.
std::optional<std::int64_t> major_version(std::string_view version);

// The pass that a protocol times, where its metadata says so: the last word of its name
// ("liger-bench-latency-backward"), else one "<pass> pass" in its title. Takes the whole manifest;
// nullopt when nothing is said or two passes are named.
std::optional<Pass> timed_pass(const json::Value& protocol_manifest);

// The smallest effect, as a share of the value, that the rules of a protocol let anybody claim: 1 %
// under the protocols of `ki bench` that measure in rounds; 0 under all others, which state none.
// Takes the whole manifest.
double effect_min_of(const json::Value& protocol_manifest);

// Everything the catalog stores of a run besides its identity and times of publication.
struct RunFacts {
  Digest implementation;
  Digest workload;
  Digest protocol_key;
  Digest environment_key;
  Digest correctness_key;
  Digest comparison_key;
  std::string status;
  std::string observed_at;  // UTC with milliseconds, finer fractions truncated
  std::optional<Measurement> primary;
  std::optional<Interval> uncertainty;  // timing.latencyNs.confidence95 as stated
  std::optional<Interval> spread;       // p20 and p80 of the primary metric as stated
  std::string hardware_vendor;
  std::string hardware_model;
  std::string hardware_architecture;
  std::optional<std::int64_t> driver_major;
  std::optional<std::int64_t> cuda_major;
  std::optional<std::string> environment_summary;
  bool source_available = false;  // these three are frozen: as the implementation stood at insert
  bool installable = false;
  std::optional<std::string> license_expression;
  bool has_raw_evidence = false;
  bool source_native = false;
  std::optional<double> sol_score;
  std::vector<Measurement> measurements;
};

// Derives a run's row. `protocol` and `environment` are those the run names by digest (the caller
// checks that), `workload` and `implementation` the facts of the ones it names.
//
// Errors (Code::invalid, `where` a pointer into the run): a run that passed without a primary
// value; a negative primary value or latency.
Result<RunFacts> derive_run_facts(const json::Value& run, const json::Value& protocol,
                                  const json::Value& environment, const WorkloadFacts& workload,
                                  const ImplementationFacts& implementation);

}  // namespace ki::policy
