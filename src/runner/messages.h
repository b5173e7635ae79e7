// What the parent and `ki child` say to each other: one JSON document a line, each way. The child
// runs code that nobody vouches for, so the parent reads its lines as strictly as a stranger's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/wire.h"
#include "runner/sampling.h"

namespace ki::runner {

inline constexpr std::size_t kLineBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kCandidatesMax = 32;
inline constexpr int kVariantsMax = 8;  // of inputs
inline constexpr int kThreadsMax = 1024;

// A kernel by what it says of itself, and where it comes from.
struct KernelName {
  std::string provider;
  std::string variant;
  std::string library;   // path of a shared object; "" = built in
  std::string language;  // told by the kernel itself; "" = not asked yet
  bool operator==(const KernelName&) const = default;
  template <class V>
  static void describe(V& v) {
    v.field("provider", &KernelName::provider, "");
    v.field("variant", &KernelName::variant, "");
    v.field("library", &KernelName::library, "");
    v.field("language", &KernelName::language, "");
  }
};

enum class JobKind {
  list,     // name the kernels of the libraries that serve the case
  check,    // run each candidate once on every variant of the inputs
  measure,  // the protocol
  // What the machine can do at most: the candidates are loops of kernels/native/ceilings.h, each
  // with its name as provider and the bytes of its set as variant; no kernel runs.
  ceilings,
};
std::span<const std::string_view> words(JobKind);

struct Job {
  JobKind kind = JobKind::check;
  std::string operation;
  std::string pass = "forward";
  std::string dtype = "fp32";
  std::map<std::string, std::int64_t> axes;
  std::map<std::string, double> scalars;
  std::int64_t threads = 1;
  std::string protocol;  // measure
  std::vector<KernelName> candidates;
  std::int64_t variants = 1;      // of the inputs in the sealed memory
  std::int64_t memory_bytes = 0;  // for inputs and outputs of the calls of a block
  std::int64_t evict_bytes = 0;   // of other memory to walk through
  std::string seed;               // 64 bits, hexadecimal
  template <class V>
  static void describe(V& v) {
    v.field("kind", &Job::kind, "");
    v.field("operation", &Job::operation, "");
    v.field("pass", &Job::pass, "");
    v.field("dtype", &Job::dtype, "");
    v.field("axes", &Job::axes, "");
    v.field("scalars", &Job::scalars, "");
    v.field("threads", &Job::threads, "");
    v.field("protocol", &Job::protocol, "");
    v.field("candidates", &Job::candidates, "");
    v.field("variants", &Job::variants, "");
    v.field("memoryBytes", &Job::memory_bytes, "");
    v.field("evictBytes", &Job::evict_bytes, "");
    v.field("seed", &Job::seed, "");
  }
};

// Errors: Code::invalid for what is no job or beyond the limits above.
Result<Job> parse_job(std::string_view line);

enum class Event {
  confined,  // what of the sandbox is in force; before any kernel's code is loaded
  listed,    // kernels of the libraries
  checking,  // an output lies in the shared memory; the parent answers when it has looked
  round,     // the samples of a round; the parent answers whether there is to be another
  refused,   // a candidate is not for this case or not for this machine
  failed,    // a candidate failed: status and why; the child ends
  done,
};
std::span<const std::string_view> words(Event);

struct Message {
  Event event = Event::done;
  std::int64_t candidate = -1;
  std::int64_t variant = -1;
  std::string status;  // failed: a run's status; refused: unsupported, unavailable
  std::string text;    // why
  std::vector<std::string> confined;
  std::vector<KernelName> kernels;
  // round: position, candidate, calls, nanoseconds, disturbed (0 or 1) of each sample, flat
  std::vector<std::int64_t> samples;
  std::int64_t round = -1;
  std::int64_t tick_ns = 0;                // done: the step of the clock
  std::optional<std::int64_t> peak_bytes;  // done, of a check: what its candidate needed at most
  template <class V>
  static void describe(V& v) {
    using json::Presence;
    v.field("event", &Message::event, "");
    v.field("candidate", &Message::candidate, "", Presence::optional);
    v.field("variant", &Message::variant, "", Presence::optional);
    v.field("status", &Message::status, "", Presence::optional);
    v.field("text", &Message::text, "", Presence::optional);
    v.field("confined", &Message::confined, "", Presence::optional);
    v.field("kernels", &Message::kernels, "", Presence::optional);
    v.field("samples", &Message::samples, "", Presence::optional);
    v.field("round", &Message::round, "", Presence::optional);
    v.field("tickNs", &Message::tick_ns, "", Presence::optional);
    v.field("peakBytes", &Message::peak_bytes, "", Presence::optional);
  }
};

// A message of a child that was given `candidates` candidates. Errors: Code::invalid.
Result<Message> parse_message(std::string_view line, std::size_t candidates);

inline constexpr std::size_t kSampleFields = 5;
std::vector<std::int64_t> flatten(std::span<const Sample> samples);
// What parse_message() accepted.
std::vector<Sample> unflatten(const Message& message);

}  // namespace ki::runner
