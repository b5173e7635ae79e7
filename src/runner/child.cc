#include "runner/child.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/digest.h"
#include "kernels/registry.h"
#include "runner/cases.h"
#include "runner/ceiling_device.h"
#include "runner/cpu_device.h"
#include "runner/messages.h"
#include "runner/peak_memory.h"
#include "runner/process.h"
#include "runner/sandbox.h"

namespace ki::runner {
namespace {

constexpr std::int64_t kSpareBytes = std::int64_t{4} << 30;  // libraries, stacks, workspaces
constexpr std::int64_t kCpuSecondsMax = 3600;

Result<std::string> read_line(int fd) {
  std::string line;
  char byte = 0;
  while (line.size() <= kLineBytesMax) {
    const ssize_t count = read(fd, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fail(Code::unavailable, "nobody asks any more");
    if (byte == '\n') return line;
    line += byte;
  }
  return fail(Code::too_large, "a line that is too long");
}

Status say(const Message& message) {
  std::string line = json::to_json(message) + '\n';
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t count = write(kChildOut, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fail(Code::unavailable, "nobody listens any more");
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

// Whether the parent wants more: it answers "+" or "-".
Result<bool> answer() {
  const std::string line = TRY(read_line(kChildIn));
  return line == "+";
}

// Memory that the parent made.
Result<std::span<unsigned char>> map_shared(int fd, int protection) {
  struct stat status{};
  if (fstat(fd, &status) != 0 || status.st_size <= 0) {
    return fail(Code::unavailable, "the parent gave no memory");
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* data = mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return fail(Code::unavailable, "the parent's memory cannot be mapped");
  return std::span(static_cast<unsigned char*>(data), bytes);
}

// Of both memories of the parent.
std::int64_t shared_bytes() {
  std::int64_t bytes = 0;
  for (const int fd : {kChildInputs, kChildOutputs}) {
    struct stat status{};
    if (fstat(fd, &status) == 0) bytes += status.st_size;
  }
  return bytes;
}

// To as many CPUs as there are threads, the last ones: the first is where the parent waits.
void pin(std::int64_t threads) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&chosen) < threads; --cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) {
      CPU_SET(static_cast<std::size_t>(cpu), &chosen);
    }
  }
  sched_setaffinity(0, sizeof chosen, &chosen);
}

struct Told {
  std::size_t candidate = 0;
  void begin(std::size_t now) { candidate = now; }
  Result<bool> round(std::span<const Sample> samples) {
    Message message;
    message.event = Event::round;
    message.round = samples.front().round;
    message.samples = flatten(samples);
    TRY(say(message));
    return answer();
  }
};

// What the job needs, loaded and planned.
struct Work {
  const Job& job;
  kernels::Bound bound;
  std::vector<kernels::Library> libraries;
  std::vector<kernels::Plan> plans;
};

Status refuse(std::size_t candidate, const kernels::Answer& why) {
  Message message;
  message.event = Event::refused;
  message.candidate = static_cast<std::int64_t>(candidate);
  message.status = why.status == KI_KERNEL_UNSUPPORTED ? "unsupported" : "unavailable";
  message.text = why.reason;
  return say(message);
}

Status failed(std::size_t candidate, std::string_view status, std::string text) {
  Message message;
  message.event = Event::failed;
  message.candidate = static_cast<std::int64_t>(candidate);
  message.status = status;
  message.text = std::move(text);
  return say(message);
}

// Kernels of the libraries that the candidates name; a library that cannot be loaded refuses them.
Result<bool> load_libraries(Work& work) {
  // Loggers inside libraries ask for the user's name as they are loaded, where none is given by way
  // of a socket, which ends this process.
  setenv("USER", "nobody", 0);
  for (std::size_t i = 0; i < work.job.candidates.size(); ++i) {
    const std::string& path = work.job.candidates[i].library;
    const auto loaded = std::ranges::find(work.libraries, path, &kernels::Library::path);
    if (path.empty() || loaded != work.libraries.end()) continue;
    kernels::Library library;
    std::string problem;
    if (!kernels::load_library(path, library, problem)) {
      TRY(refuse(i, {KI_KERNEL_UNAVAILABLE, problem}));
      return false;
    }
    library.path = path;
    work.libraries.push_back(std::move(library));
  }
  return true;
}

const ki_kernel* find_kernel(const Work& work, const KernelName& name) {
  const std::vector<const ki_kernel*>* kernels = &kernels::built_in_kernels();
  if (!name.library.empty()) {
    const auto at = std::ranges::find(work.libraries, name.library, &kernels::Library::path);
    if (at == work.libraries.end()) return nullptr;
    kernels = &at->kernels;
  }
  for (const ki_kernel* kernel : *kernels) {
    if (name.provider == kernel->provider && name.variant == kernel->variant &&
        kernels::serves(*kernel, work.bound)) {
      return kernel;
    }
  }
  return nullptr;
}

Result<bool> plan_all(Work& work) {
  const auto threads = static_cast<unsigned>(work.job.threads);
  for (std::size_t i = 0; i < work.job.candidates.size(); ++i) {
    const ki_kernel* kernel = find_kernel(work, work.job.candidates[i]);
    kernels::Answer answer{KI_KERNEL_UNSUPPORTED,
                           "it has no kernel for this operation, pass and dtype"};
    kernels::Plan plan;
    if (kernel != nullptr) answer = kernels::prepare(*kernel, work.bound, threads, plan);
    if (!answer.ok()) {
      TRY(refuse(i, answer));
      return false;
    }
    work.plans.push_back(std::move(plan));
  }
  return true;
}

Status list_kernels(const Work& work) {
  Message message;
  message.event = Event::listed;
  for (const kernels::Library& library : work.libraries) {
    for (const ki_kernel* kernel : library.kernels) {
      if (!kernels::serves(*kernel, work.bound)) continue;
      if (message.kernels.size() == kCandidatesMax) break;
      message.kernels.push_back(
          {kernel->provider, kernel->variant, library.path, kernel->language});
    }
  }
  return say(message);
}

// What a process gives the parent with its last word.
struct Outcome {
  std::int64_t tick_ns = 0;
  std::optional<std::int64_t> planned_bytes;  // held by what was prepared
  std::optional<std::int64_t> peak_bytes;
};

// Every candidate once on every variant of the inputs, every output shown. Of the memory, a call
// alone counts: what is between calls is ours.
Status check_all(CpuDevice& device, Told& told, const Job& job, Outcome& out) {
  std::optional<std::int64_t> grown = 0;
  for (std::size_t candidate = 0; candidate < job.candidates.size(); ++candidate) {
    told.begin(candidate);
    for (std::int64_t variant = 0; variant < job.variants; ++variant) {
      TRY(device.prepare_variant(candidate, static_cast<std::size_t>(variant)));
      const PeakMemory memory = TRY(PeakMemory::begin());
      const int failed = device.launch(candidate, 0);
      const auto more = memory.grown();
      grown = grown && more ? std::optional(std::max(*grown, *more)) : std::nullopt;
      if (failed != 0) return fail(Code::unavailable, "the kernel says that it failed");
      TRY(device.settle(candidate, 1));
      TRY(device.check(candidate, 0));
    }
  }
  if (grown && out.planned_bytes && job.candidates.size() == 1) {
    out.peak_bytes =
        *grown + *out.planned_bytes + static_cast<std::int64_t>(device.workspace_bytes(0));
  }
  return {};
}

std::uint64_t seed_of_hex(const std::string& hex) {
  return std::strtoull(hex.c_str(), nullptr, 16);
}

Status run_plans(Work& work, Outcome& out) {
  const Job& job = work.job;
  const auto inputs = TRY(map_shared(kChildInputs, PROT_READ));
  const auto outputs = TRY(map_shared(kChildOutputs, PROT_READ | PROT_WRITE));
  const Protocol* protocol = find_protocol(job.protocol);
  if (job.kind == JobKind::measure && protocol == nullptr) {
    return fail(Code::invalid, "there is no such protocol");
  }
  const std::uint64_t seed = seed_of_hex(job.seed);
  const auto show = [](std::size_t candidate, std::size_t variant) -> Status {
    Message message;
    message.event = Event::checking;
    message.candidate = static_cast<std::int64_t>(candidate);
    message.variant = static_cast<std::int64_t>(variant);
    TRY(say(message));
    const bool right = TRY(answer());
    if (!right) return fail(Code::conflict, "the output is wrong");
    return {};
  };
  Told told;
  const auto run = [&]() -> Status {
    CpuDevice device =
        TRY(CpuDevice::create(work.bound, work.plans, inputs, outputs,
                              {.memory_bytes = static_cast<std::size_t>(job.memory_bytes),
                               .evict_bytes = static_cast<std::size_t>(job.evict_bytes),
                               .variants = static_cast<int>(job.variants),
                               .seed = seed},
                              show));
    out.tick_ns = device.tick_ns();
    if (job.kind == JobKind::check) return check_all(device, told, job, out);
    return measure(device, told, *protocol, job.candidates.size(), seed);
  };
  const Status ran = run();
  if (ran) return {};
  const Error& error = ran.error();
  if (error.code == Code::conflict) return {};  // the parent knows: it said so
  const bool memory = error.message.starts_with("not enough memory");
  return failed(told.candidate, memory ? "resource_exceeded" : "runtime_error", error.message);
}

// No kernel runs: what fails here fails the whole job.
Status run_ceilings(const Job& job, std::int64_t& tick_ns) {
  CeilingDevice device = TRY(CeilingDevice::create(job));
  tick_ns = device.tick_ns();
  Told told;
  return measure(device, told, ceilings_protocol(), job.candidates.size(), seed_of_hex(job.seed));
}

Status work_on(const Job& job, Outcome& out) {
  if (job.kind == JobKind::ceilings) return run_ceilings(job, out.tick_ns);
  Work work{.job = job, .bound = {}, .libraries = {}, .plans = {}};
  work.bound = TRY(bind_job(job));
  const bool loaded = TRY(load_libraries(work));
  if (!loaded) return {};
  if (job.kind == JobKind::list) return list_kernels(work);
  const PeakMemory memory = TRY(PeakMemory::begin());
  const bool planned = TRY(plan_all(work));
  if (!planned) return {};
  out.planned_bytes = memory.grown();
  return run_plans(work, out);
}

Status serve() {
  syscall(SYS_close_range, kChildOutputs + 1, ~0U, 0);
  const std::string line = TRY(read_line(kChildIn));
  const Job job = TRY(parse_job(line));
  pin(job.threads);
  Message message;
  message.event = Event::confined;
  message.confined = TRY(
      confine({.memory_bytes = job.memory_bytes + job.evict_bytes + shared_bytes() + kSpareBytes,
               .cpu_seconds = kCpuSecondsMax}));
  TRY(say(message));
  Message done;
  Outcome out;
  TRY(work_on(job, out));
  done.tick_ns = out.tick_ns;
  done.peak_bytes = out.peak_bytes;
  return say(done);
}

}  // namespace

int child_main() {
  const Status done = serve();
  if (done) return 0;
  std::fprintf(stderr, "ki child: %s\n", to_string(done.error()).c_str());
  return 1;
}

}  // namespace ki::runner
