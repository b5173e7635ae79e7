// What one session measured, as it is kept: the facts, the raw samples, and what is claimed of
// them. The claims are computed from the rest by evaluate() and by nothing else, so whoever has the
// evidence computes them again. docs/formats/evidence.md is the format, byte for byte.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "json/wire.h"
#include "runner/ceilings.h"
#include "runner/samples.h"
#include "signing/sign.h"
#include "signing/statement.h"

namespace ki::runner {

using signing::SigningKey;
using signing::Statement;

inline constexpr std::string_view kEvidenceFormat = "kernelindex.dev/evidence/1";
inline constexpr std::string_view kEvidenceSuffix = ".evidence.zst";      // of its files
inline constexpr std::size_t kEvidenceBytesMax = std::size_t{256} << 20;  // decompressed
inline constexpr std::size_t kEvidenceFileBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kEvidenceLinesMax = 1000;
inline constexpr std::size_t kLaunchesMax = 64;
inline constexpr std::size_t kSamplesMax = 2'000'000;

// A candidate of a session.
struct Measured {
  std::string provider;
  std::string variant;
  std::string language;
  std::string library;         // file name of a shared object; "" = built in
  std::string binary;          // digest of the file that the kernel came from
  std::string implementation;  // digest of its manifest
  std::string status;          // of a run; "unsupported", "unavailable": none was made
  std::string text;            // why it did not pass
  double worst_error = 0;      // of all outputs checked: largest error over the allowed one
  std::int64_t outputs_checked = 0;
  double cost_bytes = 0;  // that must move in a call; 0 = unknown
  double cost_flops = 0;  // of a call; 0 = not counted
  // Memory that it held at most beside inputs and outputs, its workspace counted, when it was
  // checked alone; nullopt: not measured.
  std::optional<std::int64_t> peak_bytes;
  std::string log;  // what it printed, the beginning
  template <class V>
  static void describe(V& v) {
    v.field("provider", &Measured::provider, "");
    v.field("variant", &Measured::variant, "");
    v.field("language", &Measured::language, "");
    v.field("library", &Measured::library, "");
    v.field("binary", &Measured::binary, "");
    v.field("implementation", &Measured::implementation, "");
    v.field("status", &Measured::status, "");
    v.field("text", &Measured::text, "");
    v.field("worstError", &Measured::worst_error, "");
    v.field("outputsChecked", &Measured::outputs_checked, "");
    v.field("costBytes", &Measured::cost_bytes, "");
    v.field("costFlops", &Measured::cost_flops, "");
    v.field("peakBytes", &Measured::peak_bytes, "", json::Presence::optional);
    v.field("log", &Measured::log, "");
  }
};

// Whether a run was made of it, passed or not.
bool was_run(const Measured& candidate);

// The project that its kernel belongs to: this one, of what is built in, else its provider.
std::string_view project_of(const Measured& candidate);

struct Session {
  std::string format{kEvidenceFormat};
  std::string id;
  std::string version;  // of ki
  std::string protocol;
  std::string operation;  // slug
  std::string pass;
  std::string dtype;
  std::map<std::string, std::int64_t> axes;
  std::map<std::string, double> scalars;
  std::int64_t threads = 1;
  std::string distribution;
  std::string inputs_digest;  // of every variant of the inputs
  std::int64_t variants = 1;
  std::string seed;
  std::string rules;
  double effect_min = 0;
  std::optional<double> floor;  // of this runner and protocol, when known
  std::int64_t tick_ns = 0;
  std::string started_at;
  std::string finished_at;
  std::vector<std::string> confined;  // what of the sandbox was in force
  std::string machine;                // digest
  std::map<std::string, std::string> before;
  std::map<std::string, std::string> after;
  std::string operation_digest;
  std::string workload_digest;
  std::string protocol_digest;
  std::string environment_digest;
  std::vector<Measured> candidates;
  // Candidates of the launches in order, by index above: the baseline first and, under a paired
  // protocol, once more at the end.
  std::vector<std::int64_t> lineup;
  template <class V>
  static void describe(V& v);
};

struct Evidence {
  Session session;
  std::optional<Ceilings> ceilings;  // of as many threads on this machine; nullopt: not measured
  std::vector<Launch> launches;
  std::vector<std::string> manifests;  // operation, workload, protocol, environment, projects,
                                       // implementations; compact JSON
  std::vector<std::string> runs;       // BenchmarkRun manifests, compact JSON
};

// Adds a manifest unless it is there; its digest. Errors: those of manifest::decode_json().
Result<std::string> add_manifest(Evidence& evidence, std::string_view text);

// The signed bytes: one JSON document a line.
std::string body_of(const Evidence& evidence);
// Digest of the lines of the launches: what the runs name as their raw samples.
Digest samples_digest(const std::vector<Launch>& launches);

// The evidence with its envelope behind it, zstd. The name is that of its content.
std::string encode(const Evidence& evidence, const SigningKey& key);
std::string file_name_of(std::string_view encoded);

struct SignedEvidence {
  Evidence evidence;
  Statement statement;
  Digest body;           // of the signed bytes
  std::string envelope;  // JSON, for who keeps it
};
// Reads and checks what needs no judgement: form, limits, the signature by the key that the
// statement names, and that it is of these bytes, runner and runs. Whether that key is to be
// believed, and whether the claims follow (evaluate.h), are other questions. Errors: Code::invalid,
// Code::too_large, Code::denied.
Result<SignedEvidence> decode(std::string_view encoded);

template <class V>
void Session::describe(V& v) {
  v.field("format", &Session::format, "");
  v.field("id", &Session::id, "");
  v.field("version", &Session::version, "");
  v.field("protocol", &Session::protocol, "");
  v.field("operation", &Session::operation, "");
  v.field("pass", &Session::pass, "");
  v.field("dtype", &Session::dtype, "");
  v.field("axes", &Session::axes, "");
  v.field("scalars", &Session::scalars, "");
  v.field("threads", &Session::threads, "");
  v.field("distribution", &Session::distribution, "");
  v.field("inputsDigest", &Session::inputs_digest, "");
  v.field("variants", &Session::variants, "");
  v.field("seed", &Session::seed, "");
  v.field("rules", &Session::rules, "");
  v.field("effectMin", &Session::effect_min, "");
  v.field("floor", &Session::floor, "");
  v.field("tickNs", &Session::tick_ns, "");
  v.field("startedAt", &Session::started_at, "");
  v.field("finishedAt", &Session::finished_at, "");
  v.field("confined", &Session::confined, "");
  v.field("machine", &Session::machine, "");
  v.field("before", &Session::before, "");
  v.field("after", &Session::after, "");
  v.field("operationDigest", &Session::operation_digest, "");
  v.field("workloadDigest", &Session::workload_digest, "");
  v.field("protocolDigest", &Session::protocol_digest, "");
  v.field("environmentDigest", &Session::environment_digest, "");
  v.field("candidates", &Session::candidates, "");
  v.field("lineup", &Session::lineup, "");
}

}  // namespace ki::runner
