#include "runner/session.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "kernels/manifest_text.h"
#include "kernels/registry.h"
#include "manifest/manifest.h"
#include "runner/cases.h"
#include "runner/evaluate.h"
#include "runner/launch.h"
#include "stats/random.h"

namespace ki::runner {
namespace {

constexpr std::size_t kBinaryBytesMax = std::size_t{4} << 30;
constexpr std::int64_t kSlotBytes = std::int64_t{256} << 20;  // for the calls of a block, at least
constexpr std::int64_t kCacheGuess = std::int64_t{32} << 20;  // where the size is not told
constexpr std::int64_t kManyBytes = std::int64_t{64} << 20;   // of one variant of the inputs
constexpr std::size_t kLogKept = 2000;

Result<std::string> digest_of_file(const std::string& path) {
  const std::string bytes = TRY(read_file(path, kBinaryBytesMax));
  return to_string(sha256(bytes));
}

class Measuring {
 public:
  Measuring(const Request& request, const Facts& facts, const Clock& clock,
            const OnProgress& progress, const Interrupted& interrupted)
      : request_(request),
        facts_(facts),
        clock_(clock),
        progress_(progress),
        interrupted_(interrupted),
        seed_(random_seed()) {}

  Result<Evidence> run() {
    Session& session = evidence_.session;
    bound_ = TRY(bind_job(job_of({{"any", "", "", ""}}, JobKind::check)));
    TRY(check_memory());
    TRY(describe_session(request_, facts_, clock_, bound_, seed_, evidence_));
    tell("making inputs", 0);
    const int variants = bound_bytes() > kManyBytes ? 2 : 3;
    Inputs made = TRY(Inputs::make(bound_, variants, seed_));
    inputs_.emplace(std::move(made));
    SharedMemory outputs = TRY(SharedMemory::create("ki-outputs", layout_of(bound_).output_bytes));
    outputs_.emplace(std::move(outputs));
    session.inputs_digest = to_string(inputs_->digest);
    session.variants = variants;
    session.before = take_readings();
    TRY(expand_libraries());
    TRY(check_candidates());
    TRY(measure_launches());
    session.after = take_readings();
    session.finished_at = to_iso(clock_.now());
    evidence_.runs = runs_of(session, evidence_.launches);
    return std::move(evidence_);
  }

 private:
  void tell(std::string what, double done) {
    if (progress_) progress_({.what = std::move(what), .done = done});
  }
  bool is_interrupted() const { return interrupted_ && interrupted_(); }

  Job job_of(std::vector<KernelName> candidates, JobKind kind) const {
    Job job;
    job.kind = kind;
    job.operation = request_.operation;
    job.pass = request_.pass;
    job.dtype = request_.dtype;
    job.axes = request_.axes;
    job.scalars = request_.scalars;
    job.threads = request_.threads;
    job.protocol = std::string(request_.protocol->name);
    job.candidates = std::move(candidates);
    job.variants = inputs_ ? inputs_->variants : 1;
    job.memory_bytes = slots_bytes();
    job.evict_bytes = kind == JobKind::measure ? evict_bytes() : 0;
    job.seed = fmt::format("{:016x}", stats::seed_of(seed_, asked_));
    return job;
  }

  std::int64_t bound_bytes() const {
    return static_cast<std::int64_t>(layout_of(bound_).variant_bytes);
  }
  std::int64_t slots_bytes() const {
    if (bound_.operation == nullptr) return kSlotBytes;
    return std::max(kSlotBytes, 2 * static_cast<std::int64_t>(slot_bytes_of(bound_)) + (1 << 20));
  }
  std::int64_t evict_bytes() const {
    const Protocol& protocol = *request_.protocol;
    if (protocol.cache != Cache::evicted) return 0;
    const std::int64_t cache = facts_.last_cache_bytes > 0 ? facts_.last_cache_bytes : kCacheGuess;
    return std::max(protocol.evict_bytes_min, protocol.evict_caches * cache);
  }

  // The float64 values of every variant, and two slots, have to fit into half of the memory.
  Status check_memory() const {
    const std::int64_t needed = slots_bytes() + evict_bytes() + 12 * bound_bytes();
    if (facts_.memory_bytes == 0 || needed <= facts_.memory_bytes / 2) return {};
    return fail(
        Code::unavailable,
        fmt::format("this case needs about {} MiB of memory, more than half of what is here",
                    needed >> 20),
        "axes");
  }

  // For the rounds of the next launch.
  std::chrono::seconds rounds_time() const {
    if (request_.session_time.count() == 0) return request_.launch_time;
    const auto done = evidence_.launches.size();
    const auto wanted = static_cast<std::size_t>(request_.protocol->launches);
    const auto left = request_.session_time - (std::chrono::steady_clock::now() - started_);
    const auto share = left / static_cast<std::int64_t>(done < wanted ? wanted - done : 1);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(share);
    return std::clamp(seconds, std::chrono::seconds(0), request_.launch_time);
  }

  Result<Answered> ask_child(const Job& job, const std::function<void(std::size_t)>& on_round) {
    ++asked_;
    const Asked asked{.program = request_.program,
                      .job = job,
                      .answer_time = request_.answer_time,
                      .rounds_time = rounds_time(),
                      .seed = stats::seed_of(seed_, 1000 + asked_)};
    return ask(asked, bound_, *inputs_, *outputs_, on_round, interrupted_);
  }

  // "*" of a library becomes the kernels that its child names; one that names none is unavailable.
  Status expand_libraries() {
    for (const KernelName& kernel : request_.candidates) {
      if (kernel.library.empty() || kernel.provider != "*") {
        names_.push_back(kernel);
        continue;
      }
      const Answered answered = TRY(ask_child(job_of({kernel}, JobKind::list), {}));
      if (answered.candidate || answered.kernels.empty()) {
        KernelName failed = kernel;
        failed.provider = std::filesystem::path(kernel.library).stem().string();
        names_.push_back(failed);
      }
      names_.insert(names_.end(), answered.kernels.begin(), answered.kernels.end());
    }
    if (names_.empty()) {
      return fail(Code::invalid,
                  "no kernel of these providers serves " + request_.operation + ' ' +
                      request_.pass + ' ' + request_.dtype,
                  "providers");
    }
    if (names_.size() >= kCandidatesMax) {
      return fail(Code::invalid,
                  "these are " + std::to_string(names_.size()) +
                      " candidates, and a session has at most " +
                      std::to_string(kCandidatesMax - 1) + "; name fewer providers",
                  "providers");
    }
    return {};
  }

  Result<Measured> describe_candidate(const KernelName& kernel) {
    Measured m;
    m.provider = kernel.provider;
    m.variant = kernel.variant;
    m.language = kernel.language;
    if (kernel.library.empty()) {
      for (const ki_kernel* one : kernels::built_in_kernels()) {
        if (one->provider == kernel.provider && one->variant == kernel.variant) {
          m.language = one->language;
        }
      }
    }
    m.library = std::filesystem::path(kernel.library).filename().string();
    m.binary = TRY(digest_of_file(kernel.library.empty() ? request_.program : kernel.library));
    m.cost_bytes = bound_.bytes();
    m.cost_flops = bound_.flops();
    const std::string implementation =
        implementation_manifest({.provider = m.provider,
                                 .variant = m.variant,
                                 .language = m.language,
                                 .version = request_.version,
                                 .binary = m.binary,
                                 .architecture = facts_.architecture,
                                 .operation_digest = evidence_.session.operation_digest,
                                 .dtype = request_.dtype,
                                 .ours = kernel.library.empty()});
    m.implementation = TRY(add_manifest(evidence_, implementation));
    TRY(add_manifest(evidence_, project_manifest(project_of(m))));
    return m;
  }

  void take(Measured& m, const Answered& answered, std::size_t at) {
    m.outputs_checked += answered.outputs_checked[at];
    m.worst_error = std::max(m.worst_error, answered.worst_error[at]);
    if (m.log.empty()) m.log = answered.log.substr(0, kLogKept);
    if (!answered.candidate || (*answered.candidate != at)) return;
    m.status = answered.status;
    m.text = answered.text;
  }

  // Each candidate alone in a process, once on every variant.
  Status check_candidates() {
    Session& session = evidence_.session;
    for (const KernelName& kernel : names_) {
      if (is_interrupted()) return fail(Code::unavailable, "interrupted");
      tell("checking " + name_of(kernel.provider, kernel.variant), 0.05);
      Measured m = TRY(describe_candidate(kernel));
      m.status = "passed";
      const Answered answered = TRY(ask_child(job_of({kernel}, JobKind::check), {}));
      session.confined = answered.confined;
      take(m, answered, 0);
      m.peak_bytes = answered.peak_bytes;
      // Infinity has no form in JSON; a NaN among the outputs makes it.
      if (!std::isfinite(m.worst_error)) m.worst_error = 1e300;
      session.candidates.push_back(std::move(m));
    }
    return {};
  }

  std::vector<KernelName> lineup_names() const {
    std::vector<KernelName> names;
    for (const std::int64_t place : evidence_.session.lineup) {
      names.push_back(names_[static_cast<std::size_t>(place)]);
    }
    return names;
  }

  // Puts out whoever failed among several; false when nobody knows who it was.
  bool put_out(const Answered& answered) {
    Session& session = evidence_.session;
    const bool known = *answered.candidate < session.lineup.size();
    if (known) {
      Measured& m =
          session.candidates[static_cast<std::size_t>(session.lineup[*answered.candidate])];
      m.status = answered.status;
      m.text = answered.text;
    }
    evidence_.launches.clear();  // their places are those of the lineup before
    return known;
  }

  // Launches until enough are good; as many again may be void.
  Status measure_launches() {
    Session& session = evidence_.session;
    const auto wanted = static_cast<std::size_t>(request_.protocol->launches);
    line_up(session, request_.protocol->order);
    std::size_t crashes = 0;
    while (!session.lineup.empty() && evidence_.launches.size() < 2 * wanted &&
           good_launches(session, evidence_.launches) < wanted) {
      if (is_interrupted()) return fail(Code::unavailable, "interrupted");
      const std::size_t number = evidence_.launches.size();
      const double share = 0.1 + 0.9 * static_cast<double>(number) / static_cast<double>(wanted);
      const auto on_round = [&](std::size_t round) {
        tell(fmt::format("launch {} of {}, round {}", number + 1, wanted, round + 1), share);
      };
      tell(fmt::format("launch {} of {}", number + 1, wanted), share);
      const Answered answered = TRY(ask_child(job_of(lineup_names(), JobKind::measure), on_round));
      if (answered.interrupted) return fail(Code::unavailable, "interrupted");
      for (std::size_t i = 0; i < session.lineup.size(); ++i) {
        Measured& m = session.candidates[static_cast<std::size_t>(session.lineup[i])];
        m.outputs_checked += answered.outputs_checked[i];
        m.worst_error = std::max(m.worst_error, answered.worst_error[i]);
      }
      if (answered.candidate) {
        if (!put_out(answered) && ++crashes == 2) {
          blame_all(answered);
          break;
        }
        line_up(session, request_.protocol->order);
        continue;
      }
      session.tick_ns = std::max(session.tick_ns, answered.tick_ns);
      evidence_.launches.push_back(
          {.launch = static_cast<std::int64_t>(number), .samples = answered.samples});
    }
    return {};
  }

  // A process of several died twice and each of them alone did not: no one is cleared.
  void blame_all(const Answered& answered) {
    Session& session = evidence_.session;
    for (Measured& m : session.candidates) {
      if (m.status != "passed") continue;
      m.status = answered.status;
      m.text = "a process that it shared with others: " + answered.text;
    }
    session.lineup.clear();
    evidence_.launches.clear();
  }

  const Request& request_;
  const Facts& facts_;
  const Clock& clock_;
  const OnProgress& progress_;
  const Interrupted& interrupted_;
  std::uint64_t seed_;
  std::uint64_t asked_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  kernels::Bound bound_;
  std::optional<Inputs> inputs_;
  std::optional<SharedMemory> outputs_;
  std::vector<KernelName> names_;
  Evidence evidence_;
};

}  // namespace

Status describe_session(const Request& request, const Facts& facts, const Clock& clock,
                        const kernels::Bound& bound, std::uint64_t seed, Evidence& evidence) {
  Session& s = evidence.session;
  s.id = uuid_v7(clock.now());
  s.version = request.version;
  s.protocol = request.protocol->name;
  s.operation = request.operation;
  s.pass = request.pass;
  s.dtype = request.dtype;
  s.axes = request.axes;
  for (const kernels::Setting& scalar : bound.scalars) s.scalars[scalar.name] = scalar.value;
  s.threads = request.threads;
  s.distribution = kernels::name_of(kDistribution);
  s.seed = fmt::format("{:016x}", seed);
  s.rules = stats::kCompareRules;
  s.effect_min = request.protocol->effect_min;
  s.floor = request.floor;
  s.started_at = to_iso(clock.now());
  s.machine = to_string(facts.machine);
  s.operation_digest = TRY(add_manifest(evidence, kernels::operation_manifest(*bound.operation)));
  s.workload_digest = TRY(
      add_manifest(evidence, kernels::workload_manifest(bound, s.operation_digest, kDistribution)));
  s.protocol_digest = TRY(add_manifest(evidence, manifest_of(*request.protocol, s.pass)));
  s.environment_digest =
      TRY(add_manifest(evidence, manifest_of(facts, request.threads, request.version)));
  return {};
}

void line_up(Session& session, Order order) {
  session.lineup.clear();
  for (std::size_t i = 0; i < session.candidates.size(); ++i) {
    if (session.candidates[i].status != "passed") continue;
    session.lineup.push_back(static_cast<std::int64_t>(i));
  }
  if (order == Order::paired && !session.lineup.empty()) {
    session.lineup.push_back(session.lineup.front());
  }
}

Result<Evidence> measure_session(const Request& request, const Facts& facts, const Clock& clock,
                                 const OnProgress& progress, const Interrupted& interrupted) {
  KI_CHECK(request.protocol != nullptr);
  if (request.threads < 1 || request.threads > facts.cores) {
    return fail(Code::invalid, fmt::format("threads are 1 to {} here", facts.cores), "threads");
  }
  Measuring measuring(request, facts, clock, progress, interrupted);
  return measuring.run();
}

}  // namespace ki::runner
