#include "runner/launch.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <sys/random.h>

#include "runner/evidence.h"
#include "runner/process.h"
#include "runner/protocol.h"
#include "stats/compare.h"
#include "stats/random.h"

namespace ki::runner {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kLayoutBytesMax = 4096;  // of the environment, so that stacks lie elsewhere
constexpr std::chrono::seconds kEndTime{10};
// All of a job, however much its child has to say: this often the time of an answer and of rounds.
constexpr int kAnswersMax = 10;
constexpr int kRoundsTimesMax = 4;

std::vector<std::string> environment_of(const Job& job, std::uint64_t seed) {
  stats::Random random(seed);
  const std::string threads = std::to_string(job.threads);
  std::vector<std::string> all = {"LC_ALL=C", "OMP_NUM_THREADS=" + threads,
                                  "OPENBLAS_NUM_THREADS=" + threads,
                                  "KI_LAYOUT=" + std::string(random.below(kLayoutBytesMax), 'x')};
  if (kAddressSanitizer) {
    all.emplace_back("ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0");
  }
  return all;
}

class Conversation {
 public:
  Conversation(const Asked& asked, const kernels::Bound& bound, const Inputs& inputs,
               SharedMemory& outputs, const std::function<void(std::size_t)>& on_round,
               const std::function<bool()>& interrupted)
      : asked_(asked),
        bound_(bound),
        inputs_(inputs),
        outputs_(outputs),
        on_round_(on_round),
        interrupted_(interrupted),
        layout_(layout_of(bound)) {
    answered_.outputs_checked.resize(asked.job.candidates.size());
    answered_.worst_error.resize(asked.job.candidates.size());
    pairs_.resize(asked.job.candidates.size() - 1);
  }

  Result<Answered> hold() {
    Process process = TRY(Process::start({.program = asked_.program,
                                          .environment = environment_of(asked_.job, asked_.seed),
                                          .inputs = inputs_.memory.fd(),
                                          .outputs = outputs_.fd()}));
    started_ = steady_clock::now();
    end_ = started_ + kAnswersMax * asked_.answer_time + kRoundsTimesMax * asked_.rounds_time;
    Status spoken = process.send(json::to_json(asked_.job) + '\n');
    if (spoken) spoken = listen(process);
    const bool nonsense = !spoken && spoken.error().code != Code::unavailable;
    if (nonsense || answered_.interrupted) process.kill();
    const Ending ending = process.finish(steady_clock::now() + kEndTime);
    answered_.log = process.log();
    if (done_ || answered_.candidate || answered_.interrupted) return std::move(answered_);
    return explain(nonsense ? to_string(spoken.error()) : "", ending);
  }

 private:
  // Reads and answers until the child is done, a candidate is out, or it cannot be understood.
  Status listen(Process& process) {
    while (!done_) {
      const auto deadline = std::min(steady_clock::now() + asked_.answer_time, end_);
      const auto line = process.read_line(deadline, interrupted_);
      answered_.interrupted = interrupted_ && interrupted_();
      if (answered_.interrupted) return {};
      if (!line) return std::unexpected(line.error());
      const Message message = TRY(parse_message(*line, asked_.job.candidates.size()));
      TRY(expect(message.event));
      TRY(take(process, message));
      if (answered_.candidate || answered_.interrupted) return {};
    }
    return {};
  }

  // Whether a child with this job may say this now: it runs code that nobody vouches for.
  Status expect(Event event) const {
    const JobKind job = asked_.job.kind;
    bool expected = confined_;
    if (event == Event::confined) expected = !confined_;
    if (event == Event::listed) expected = confined_ && !listed_ && job == JobKind::list;
    const bool runs_kernels = job == JobKind::check || job == JobKind::measure;
    const bool has_rounds = job == JobKind::measure || job == JobKind::ceilings;
    if (event == Event::checking) expected = confined_ && runs_kernels;
    if (event == Event::round) expected = confined_ && has_rounds;
    if (expected) return {};
    return fail(Code::invalid,
                "the child says '" + std::string(json::word(event)) + "' where that has no place");
  }

  Status take(Process& process, const Message& message) {
    switch (message.event) {
      case Event::confined:
        answered_.confined = message.confined;
        confined_ = true;
        return {};
      case Event::listed:
        answered_.kernels = message.kernels;
        listed_ = true;
        return {};
      case Event::checking:
        return take_output(process, message);
      case Event::round:
        return take_round(process, message);
      case Event::refused:
      case Event::failed:
        return take_failure(message);
      case Event::done:
        answered_.tick_ns = std::clamp<std::int64_t>(message.tick_ns, 0, 1'000'000);
        if (message.peak_bytes && *message.peak_bytes >= 0) {
          answered_.peak_bytes = message.peak_bytes;
        }
        done_ = true;
        return {};
    }
    KI_UNREACHABLE();
  }

  Status take_failure(const Message& message) {
    constexpr std::string_view kStatuses[] = {"unsupported", "unavailable", "runtime_error",
                                              "resource_exceeded"};
    const auto status = std::ranges::find(kStatuses, message.status);
    if (message.candidate < 0 || status == std::end(kStatuses)) {
      return fail(Code::invalid, "the child reports a failure of nobody");
    }
    put_out(static_cast<std::size_t>(message.candidate), *status, message.text);
    return {};
  }

  void put_out(std::size_t candidate, std::string_view status, std::string text) {
    answered_.candidate = candidate;
    answered_.status = status;
    answered_.text = std::move(text);
  }

  Status take_output(Process& process, const Message& message) {
    if (message.candidate < 0 || message.variant < 0 || message.variant >= inputs_.variants) {
      return fail(Code::invalid, "the child shows an output of nothing");
    }
    const auto candidate = static_cast<std::size_t>(message.candidate);
    // A copy, so that nothing changes while it is compared.
    const std::span<const unsigned char> shared = outputs_.bytes();
    const std::vector<unsigned char> bytes(shared.begin(), shared.end());
    const Status right = check_outputs(bound_, layout_, bytes,
                                       inputs_.expected[static_cast<std::size_t>(message.variant)],
                                       answered_.worst_error[candidate]);
    ++answered_.outputs_checked[candidate];
    TRY(process.send(right ? "+\n" : "-\n"));
    if (!right) put_out(candidate, "incorrect_numerical", right.error().message);
    return {};
  }

  Status take_round(Process& process, const Message& message) {
    const Protocol* protocol = asked_.job.kind == JobKind::ceilings
                                   ? &ceilings_protocol()
                                   : find_protocol(asked_.job.protocol);
    const std::vector<Sample> samples = unflatten(message);
    for (const Sample& sample : samples) {
      for (const std::int64_t field :
           {message.round, std::int64_t{sample.position}, std::int64_t{sample.candidate},
            std::int64_t{sample.calls}, sample.block_ns, std::int64_t{sample.disturbed ? 1 : 0}}) {
        answered_.samples.push_back(field);
      }
    }
    if (answered_.samples.size() / kRawFields > kSamplesMax / kLaunchesMax) {
      return fail(Code::too_large, "the child sends more samples than there can be");
    }
    if (on_round_) on_round_(static_cast<std::size_t>(message.round));
    answered_.interrupted = interrupted_ && interrupted_();
    const bool more = protocol->order == Order::sequential || wants_more(*protocol, samples);
    return process.send(more && !answered_.interrupted ? "+\n" : "-\n");
  }

  bool wants_more(const Protocol& protocol, const std::vector<Sample>& samples) {
    ++rounds_;
    const bool disturbed = std::ranges::any_of(samples, &Sample::disturbed);
    if (!disturbed || protocol.keeps_disturbed()) add_pairs(samples);
    const std::size_t cap = protocol.looks.back();
    if (rounds_ >= 2 * cap) return false;
    const bool late = steady_clock::now() - started_ > asked_.rounds_time;
    if (late && rounds_ >= kRoundsMin) return false;
    return stats::look_at(pairs_, protocol.stopping(), asked_.seed) == stats::Look::go_on;
  }

  void add_pairs(const std::vector<Sample>& samples) {
    std::vector<double> ns(asked_.job.candidates.size(), 0);
    for (const Sample& sample : samples) {
      ns[sample.candidate] = static_cast<double>(sample.block_ns) / sample.calls;
    }
    if (std::ranges::find(ns, 0.0) != ns.end()) return;  // not whole
    for (std::size_t i = 1; i < ns.size(); ++i) pairs_[i - 1].push_back(std::log(ns[i] / ns[0]));
  }

  // The child ended, or spoke nonsense, while a kernel was at work: the one it was busy with is the
  // only one there is, or nobody knows.
  Result<Answered> explain(const std::string& nonsense, const Ending& ending) {
    if (!confined_) {
      return fail(Code::unavailable, "the child could not be confined: " +
                                         (answered_.log.empty() ? ending.text : answered_.log));
    }
    const std::size_t who = asked_.job.candidates.size() == 1 ? 0 : kNobodyKnows;
    if (!nonsense.empty()) {
      put_out(who, "runtime_error", "it disturbed what its process says: " + nonsense);
    } else if (ending.status.empty()) {
      put_out(who, "runtime_error", "it ended its process before the work was done");
    } else {
      put_out(who, ending.status, ending.text);
    }
    return std::move(answered_);
  }

  const Asked& asked_;
  const kernels::Bound& bound_;
  const Inputs& inputs_;
  SharedMemory& outputs_;
  const std::function<void(std::size_t)>& on_round_;
  const std::function<bool()>& interrupted_;
  Layout layout_;
  Answered answered_;
  std::vector<std::vector<double>> pairs_;
  std::size_t rounds_ = 0;
  steady_clock::time_point started_;
  steady_clock::time_point end_;
  bool confined_ = false;
  bool listed_ = false;
  bool done_ = false;
};

}  // namespace

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  KI_CHECK(getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed));
  return seed;
}

Result<Answered> ask(const Asked& asked, const kernels::Bound& bound, const Inputs& inputs,
                     SharedMemory& outputs, const std::function<void(std::size_t round)>& on_round,
                     const std::function<bool()>& interrupted) {
  Conversation conversation(asked, bound, inputs, outputs, on_round, interrupted);
  return conversation.hold();
}

}  // namespace ki::runner
