#include "runner/worker_session.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "runner/cases.h"
#include "runner/evaluate.h"
#include "runner/launch.h"
#include "runner/schedule.h"
#include "runner/worker_messages.h"
#include "stats/random.h"

namespace ki::runner {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr int kVariants = 2;
constexpr std::chrono::seconds kEndTime{5};
constexpr std::size_t kLogKept = 2000;
constexpr std::size_t kScriptBytesMax = std::size_t{64} << 20;

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

// Who the worker is: its command and the files that its words name.
std::string binary_of(const std::string& command) {
  std::string all = command;
  for (const std::string_view word : split(command, ' ')) {
    std::error_code none;
    if (word.empty() || !fs::is_regular_file(fs::path(word), none)) continue;
    const auto bytes = read_file(fs::path(word), kScriptBytesMax);
    if (bytes) all += '\n' + to_string(sha256(*bytes));
  }
  return to_string(sha256("ki-worker/1\n" + all));
}

// A folder of its own, gone with it.
class Exchange {
 public:
  static Result<Exchange> make(const std::string& below) {
    std::string path = below + "/ki-worker-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return fail(Code::unavailable, "no folder for tensors can be made here", below);
    }
    return Exchange(path);
  }
  Exchange(Exchange&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Exchange& operator=(Exchange&&) = delete;
  ~Exchange() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path file(const std::string& name) const { return fs::path(path_) / name; }

 private:
  explicit Exchange(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// A kernel of the worker that failed: what its run says.
struct Failure {
  std::string status;
  std::string text;
};

class WorkerSession {
 public:
  WorkerSession(const WorkerRequest& request, const Facts& facts, const Clock& clock,
                const OnProgress& progress, const Interrupted& interrupted)
      : all_(request),
        request_(request.request),
        facts_(facts),
        clock_(clock),
        progress_(progress),
        interrupted_(interrupted),
        seed_(random_seed()),
        random_(seed_) {}

  Result<Evidence> run() {
    Job job;
    job.operation = request_.operation;
    job.pass = request_.pass;
    job.dtype = request_.dtype;
    job.axes = request_.axes;
    job.scalars = request_.scalars;
    bound_ = TRY(bind_job(job));
    layout_ = layout_of(bound_);
    TRY(make_inputs());
    TRY(greet());
    Session& session = evidence_.session;
    session.inputs_digest = to_string(inputs_->digest);
    session.variants = kVariants;
    session.before = take_readings();
    TRY(check_kernels());
    TRY(measure_launches());
    session.after = take_readings();
    session.finished_at = to_iso(clock_.now());
    evidence_.runs = runs_of(session, evidence_.launches);
    return std::move(evidence_);
  }

 private:
  bool is_interrupted() const { return interrupted_ && interrupted_(); }
  void tell(std::string what, double done) {
    if (progress_) progress_({.what = std::move(what), .done = done});
  }

  Status make_inputs() {
    tell("making inputs", 0);
    Exchange made = TRY(Exchange::make(all_.folder));
    exchange_.emplace(std::move(made));
    Inputs inputs = TRY(Inputs::make(bound_, kVariants, seed_));
    inputs_.emplace(std::move(inputs));
    const auto bytes = inputs_->memory.bytes();
    for (int variant = 0; variant < kVariants; ++variant) {
      for (std::size_t i = 0; i < bound_.inputs.size(); ++i) {
        const std::size_t at =
            layout_.variant_bytes * static_cast<std::size_t>(variant) + layout_.inputs[i];
        TRY(write_file(input_file(i, variant), {reinterpret_cast<const char*>(bytes.data() + at),
                                                bytes_of(bound_.inputs[i])}));
      }
    }
    return {};
  }

  fs::path input_file(std::size_t i, int variant) const {
    return exchange_->file(fmt::format("input-{}-{}", i, variant));
  }
  fs::path output_file(std::size_t i) const { return exchange_->file(fmt::format("output-{}", i)); }

  WorkerCase case_of() const {
    WorkerCase one;
    one.operation = request_.operation;
    one.pass = request_.pass;
    one.dtype = request_.dtype;
    for (const auto& [axis, value] : bound_.axes.all()) one.axes[axis] = value;
    for (const kernels::Setting& scalar : bound_.scalars) one.scalars[scalar.name] = scalar.value;
    one.threads = request_.threads;
    const auto tensor = [](const kernels::Tensor& of) {
      WorkerTensor t;
      t.name = of.name;
      t.dtype = kernels::name_of(of.dtype);
      t.shape = of.shape;
      return t;
    };
    for (std::size_t i = 0; i < bound_.inputs.size(); ++i) {
      one.inputs.push_back(tensor(bound_.inputs[i]));
      for (int variant = 0; variant < kVariants; ++variant) {
        one.inputs.back().files.push_back(input_file(i, variant).string());
      }
    }
    for (std::size_t i = 0; i < bound_.outputs.size(); ++i) {
      one.outputs.push_back(tensor(bound_.outputs[i]));
      one.outputs.back().files.push_back(output_file(i).string());
    }
    return one;
  }

  Result<Process> start() const {
    return Process::start({.program = "/bin/sh",
                           .arguments = {"sh", "-c", "exec 0<&3 1>&4 3<&- 4>&-; " + all_.command},
                           .environment = own_environment(),
                           .inputs = -1,
                           .outputs = -1});
  }

  Result<WorkerSay> ask(Process& process, const WorkerAsk& what) const {
    // One that ended may have said why before.
    static_cast<void>(process.send(json::to_json(what) + '\n'));
    const std::string line =
        TRY(process.read_line(steady_clock::now() + request_.answer_time, interrupted_));
    return parse_worker_line(line);
  }

  // What the worker says first.
  Result<WorkerSay> begin(Process& process) const {
    WorkerAsk what;
    what.one = case_of();
    auto said = ask(process, what);
    const auto log = [&] {
      const Ending ending = process.finish(steady_clock::now() + kEndTime);
      const std::string text(trim(process.log()));
      return text.empty() ? ending.text : excerpt(text, 400);
    };
    if (!said && said.error().code == Code::unavailable) {
      return fail(Code::unavailable, "the worker does not answer: " + log(), "exec");
    }
    if (!said) {
      return fail(Code::unavailable, "the worker cannot be understood: " + to_string(said.error()),
                  "exec");
    }
    if (said->say == Say::refused || said->say == Say::failed) {
      return fail(Code::unavailable, "the worker refuses the case: " + said->why, "exec");
    }
    if (said->say != Say::kernels) {
      return fail(Code::unavailable, "the worker names no kernels first", "exec");
    }
    return said;
  }

  // Which kernels there are, and with that the protocol.
  Status greet() {
    tell("starting the worker", 0);
    Process process = TRY(start());
    greeting_ = TRY(begin(process));
    process.kill();
    protocol_ = find_protocol(greeting_.device ? "worker-cuda/1" : "worker-host/1");
    if (greeting_.device) {
      facts_.vendor = greeting_.device->vendor;
      facts_.product = greeting_.device->product;
      facts_.architecture = greeting_.device->architecture;
      facts_.memory_bytes = greeting_.device->memory_bytes;
      facts_.driver = greeting_.device->driver;
      facts_.cuda_toolkit = greeting_.device->cuda_toolkit;
    }
    request_.protocol = protocol_;
    TRY(describe_session(request_, facts_, clock_, bound_, seed_, evidence_));
    const std::string binary = binary_of(all_.command);
    for (const WorkerKernel& kernel : greeting_.kernels) {
      Measured m;
      m.provider = kernel.provider;
      m.variant = kernel.variant;
      m.language = kernel.language;
      m.library = "worker";
      m.binary = binary;
      m.status = "passed";
      m.cost_bytes = bound_.bytes();
      m.cost_flops = bound_.flops();
      const std::string text =
          implementation_manifest({.provider = m.provider,
                                   .variant = m.variant,
                                   .language = m.language,
                                   .version = kernel.version,
                                   .binary = binary,
                                   .architecture = facts_.architecture,
                                   .operation_digest = evidence_.session.operation_digest,
                                   .dtype = request_.dtype,
                                   .ours = false});
      m.implementation = TRY(add_manifest(evidence_, text));
      TRY(add_manifest(evidence_, project_manifest(project_of(m))));
      evidence_.session.candidates.push_back(std::move(m));
    }
    return {};
  }

  // Compares the files that the worker wrote, which are removed, so that none is taken twice.
  std::optional<Failure> compare_outputs(std::size_t kernel, int variant) {
    Measured& m = evidence_.session.candidates[kernel];
    std::vector<unsigned char> bytes(layout_.output_bytes);
    for (std::size_t i = 0; i < bound_.outputs.size(); ++i) {
      const std::size_t size = bytes_of(bound_.outputs[i]);
      const auto read = read_file(output_file(i), size);
      std::error_code ignored;
      fs::remove(output_file(i), ignored);
      if (!read || read->size() != size) {
        return Failure{"incorrect_numerical", fmt::format("{}: a file of {} bytes is expected",
                                                          bound_.outputs[i].name, size)};
      }
      std::ranges::copy(*read, bytes.begin() + static_cast<std::ptrdiff_t>(layout_.outputs[i]));
    }
    const Status right =
        check_outputs(bound_, layout_, bytes, inputs_->expected[static_cast<std::size_t>(variant)],
                      m.worst_error);
    if (!std::isfinite(m.worst_error)) m.worst_error = 1e300;
    ++m.outputs_checked;
    if (right) return std::nullopt;
    return Failure{"incorrect_numerical", right.error().message};
  }

  // How the worker ended, or what it said, in the words of a run.
  Failure failure_of(Process& process, const Result<WorkerSay>& said) const {
    if (said && said->say == Say::failed) return {"runtime_error", said->why};
    if (said) return {"runtime_error", "the worker answers something else than was asked"};
    const bool closed = said.error().code == Code::unavailable;
    if (!closed) return {"runtime_error", "it cannot be understood: " + to_string(said.error())};
    const Ending ending = process.finish(steady_clock::now() + std::chrono::milliseconds(500));
    if (ending.status.empty()) return {"runtime_error", "the worker ended before it was asked to"};
    return {ending.status, ending.text};
  }

  void put_out(std::size_t kernel, const Failure& failure, const Process& process) {
    Measured& m = evidence_.session.candidates[kernel];
    m.status = failure.status;
    m.text = failure.text;
    m.log = process.log().substr(0, kLogKept);
  }

  // Each kernel in a process of its own, once on every variant.
  Status check_kernels() {
    for (std::size_t kernel = 0; kernel < greeting_.kernels.size(); ++kernel) {
      if (is_interrupted()) return fail(Code::unavailable, "interrupted");
      tell("checking " +
               name_of(greeting_.kernels[kernel].provider, greeting_.kernels[kernel].variant),
           0.05);
      Process process = TRY(start());
      TRY(begin_again(process));
      for (int variant = 0; variant < kVariants; ++variant) {
        WorkerAsk what;
        what.ask = Ask::check;
        what.kernel = static_cast<std::int64_t>(kernel);
        what.variant = variant;
        const auto said = ask(process, what);
        const bool done = said && said->say == Say::done;
        const auto failure =
            done ? compare_outputs(kernel, variant) : std::optional(failure_of(process, said));
        if (!failure) continue;
        put_out(kernel, *failure, process);
        break;
      }
      process.kill();
    }
    return {};
  }

  Status begin_again(Process& process) const {
    const WorkerSay now = TRY(begin(process));
    if (now.kernels == greeting_.kernels && now.device == greeting_.device) return {};
    return fail(Code::unavailable, "the worker names other kernels or another device than before",
                "exec");
  }

  Status measure_launches() {
    Session& session = evidence_.session;
    line_up(session, protocol_->order);
    const auto wanted = static_cast<std::size_t>(protocol_->launches);
    while (!session.lineup.empty() && evidence_.launches.size() < wanted) {
      if (is_interrupted()) return fail(Code::unavailable, "interrupted");
      Process process = TRY(start());
      TRY(begin_again(process));
      Launch launch{.launch = static_cast<std::int64_t>(evidence_.launches.size()), .samples = {}};
      const auto out = TRY(measure_rounds(process, launch));
      if (out) {
        put_out(out->first, out->second, process);
        evidence_.launches.clear();  // their places are those of the lineup before
        line_up(session, protocol_->order);
      } else {
        evidence_.launches.push_back(std::move(launch));
      }
      process.kill();
    }
    return {};
  }

  using Out = std::optional<std::pair<std::size_t, Failure>>;

  // A block of the kernel at a place, and now and then a look at what it computed last.
  Out measure_block(Process& process, std::size_t kernel, WorkerSay& said) {
    const int variant = static_cast<int>(random_.below(kVariants));
    WorkerAsk what;
    what.ask = Ask::block;
    what.kernel = static_cast<std::int64_t>(kernel);
    what.variant = variant;
    what.min_ns = std::chrono::nanoseconds(protocol_->block_min).count();
    auto answer = ask(process, what);
    if (!answer || answer->say != Say::block) {
      return Out({kernel, failure_of(process, answer)});
    }
    said = *answer;
    if (random_.uniform() >= protocol_->checked_share) return std::nullopt;
    what.ask = Ask::show;
    answer = ask(process, what);
    if (!answer || answer->say != Say::done) return Out({kernel, failure_of(process, answer)});
    auto failure = compare_outputs(kernel, variant);
    if (!failure) return std::nullopt;
    return Out({kernel, std::move(*failure)});
  }

  Result<Out> measure_rounds(Process& process, Launch& launch) {
    const Session& session = evidence_.session;
    const std::size_t places = session.lineup.size();
    const auto started = steady_clock::now();
    LatinSquares squares(places);
    std::vector<std::vector<double>> pairs(places - 1);
    for (std::int64_t round = -1;; ++round) {  // the round before the first warms up
      std::vector<double> ns(places);
      std::int64_t position = 0;
      for (const std::size_t place : squares.next(random_)) {
        WorkerSay said;
        Out out = measure_block(process, static_cast<std::size_t>(session.lineup[place]), said);
        if (out) return out;
        ns[place] = static_cast<double>(said.ns) / static_cast<double>(said.calls);
        if (round < 0) continue;
        launch.samples.insert(launch.samples.end(),
                              {round, position++, static_cast<std::int64_t>(place), said.calls,
                               said.ns, std::int64_t{0}});
      }
      if (is_interrupted()) return fail(Code::unavailable, "interrupted");
      if (round < 0) continue;
      const double launches = static_cast<double>(protocol_->launches);
      tell(fmt::format("process {} of {}, round {}", launch.launch + 1, protocol_->launches,
                       round + 1),
           0.1 + 0.9 * static_cast<double>(launch.launch) / launches);
      for (std::size_t i = 1; i < places; ++i) pairs[i - 1].push_back(std::log(ns[i] / ns[0]));
      const bool late = steady_clock::now() - started > request_.launch_time;
      if (late && round + 1 >= static_cast<std::int64_t>(kRoundsMin)) return Out();
      if (stats::look_at(pairs, protocol_->stopping(), seed_) != stats::Look::go_on) return Out();
    }
  }

  const WorkerRequest& all_;
  Request request_;
  Facts facts_;
  const Clock& clock_;
  const OnProgress& progress_;
  const Interrupted& interrupted_;
  std::uint64_t seed_;
  stats::Random random_;
  kernels::Bound bound_;
  Layout layout_;
  std::optional<Exchange> exchange_;
  std::optional<Inputs> inputs_;
  WorkerSay greeting_;
  const Protocol* protocol_ = nullptr;
  Evidence evidence_;
};

}  // namespace

Result<Evidence> measure_worker(const WorkerRequest& request, const Facts& facts,
                                const Clock& clock, const OnProgress& progress,
                                const Interrupted& interrupted) {
  WorkerSession session(request, facts, clock, progress, interrupted);
  return session.run();
}

}  // namespace ki::runner
