#include "runner/environment.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include "base/files.h"
#include "base/text.h"
#include "json/write.h"

namespace ki::runner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;
constexpr std::size_t kTextBytesMax = 200;
constexpr double kLoadShareMax = 0.5;
constexpr double kStealShareMax = 0.01;

// The trimmed text of a file, "" when there is none.
std::string text_of(const fs::path& path) {
  const auto text = read_file(path, kFileBytesMax);
  return text && is_utf8(*text) ? std::string(trim(*text)) : std::string();
}

// "key : value" or "KEY=value", the first of that key.
std::string field_of(std::string_view text, std::string_view key, char separator) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos || trim(line.substr(0, at)) != key) continue;
    std::string_view value = trim(line.substr(at + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    return excerpt(value, kTextBytesMax);
  }
  return {};
}

std::int64_t number_of(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string vendor_of(std::string_view cpuinfo) {
  const std::string id = field_of(cpuinfo, "vendor_id", ':');
  if (id == "AuthenticAMD") return "amd";
  if (id == "GenuineIntel") return "intel";
  return field_of(cpuinfo, "CPU implementer", ':').empty() ? "unknown" : "arm";
}

struct Caches {
  std::string summary;  // "L1 data 32K, L2 unified 1024K"
  std::int64_t last_bytes = 0;
};

Caches caches_of(const fs::path& root) {
  Caches caches;
  std::int64_t last_level = 0;
  std::vector<std::string> parts;
  for (int index = 0; index < 8; ++index) {
    const fs::path cache =
        root / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
    const std::string size = text_of(cache / "size");
    if (size.empty()) break;
    const std::string type = ascii_lower(text_of(cache / "type"));
    const std::int64_t level = number_of(text_of(cache / "level"));
    parts.push_back(fmt::format("L{} {} {}", level, type, size));
    if (type == "instruction" || level < last_level) continue;
    last_level = level;
    caches.last_bytes = number_of(size) * (size.ends_with('M') ? 1 << 20 : 1 << 10);
  }
  caches.summary = join(parts, ", ");
  return caches;
}

std::string container_of(const fs::path& root) {
  if (fs::exists(root / ".dockerenv")) return "docker";
  if (fs::exists(root / "run/.containerenv")) return "podman";
  return {};
}

// What stays as it is until somebody changes it.
std::map<std::string, std::string> settings_of(const fs::path& root, const std::string& cpuinfo) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  std::map<std::string, std::string> all = {
      {"cpu_microcode", field_of(cpuinfo, "microcode", ':')},
      {"cpu_governor", text_of(cpu / "cpu0/cpufreq/scaling_governor")},
      {"cpu_frequency_driver", text_of(cpu / "cpu0/cpufreq/scaling_driver")},
      {"cpu_boost", text_of(cpu / "cpufreq/boost")},
      {"intel_no_turbo", text_of(cpu / "intel_pstate/no_turbo")},
      {"cpu_smt", text_of(cpu / "smt/control")},
      {"cpus_online", text_of(cpu / "online")},
      {"cpus_isolated", text_of(cpu / "isolated")},
      {"numa_nodes", text_of(root / "sys/devices/system/node/online")},
      {"huge_pages", text_of(root / "sys/kernel/mm/transparent_hugepage/enabled")},
      {"aslr", text_of(root / "proc/sys/kernel/randomize_va_space")},
      {"container", container_of(root)},
  };
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

int usable_cores() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

}  // namespace

Facts read_facts(const fs::path& root) {
  const std::string cpuinfo = text_of(root / "proc/cpuinfo");
  const std::string release = text_of(root / "etc/os-release");
  utsname name{};
  uname(&name);
  Facts facts;
  facts.vendor = vendor_of(cpuinfo);
  facts.product = field_of(cpuinfo, "model name", ':');
  if (facts.product.empty()) facts.product = "unknown";
  facts.architecture = ascii_lower(name.machine);
  constexpr std::int64_t kKilo = 1024;
  constexpr std::int64_t kGiB = kKilo * kKilo * kKilo;
  const std::string meminfo = text_of(root / "proc/meminfo");
  const std::int64_t memory = number_of(field_of(meminfo, "MemTotal", ':')) * kKilo;
  facts.memory_bytes = (memory + kGiB - 1) / kGiB * kGiB;
  facts.cores = usable_cores();
  facts.operating_system = field_of(release, "PRETTY_NAME", '=');
  facts.kernel = fmt::format("{} {}", name.sysname, name.release);
  facts.compiler = compiler_name();
  facts.settings = settings_of(root, cpuinfo);
  const Caches caches = caches_of(root);
  facts.last_cache_bytes = caches.last_bytes;
  if (!caches.summary.empty()) facts.settings["cpu_caches"] = caches.summary;
  facts.settings["cores"] = std::to_string(facts.cores);
  facts.machine = sha256("ki-machine/1\n" + text_of(root / "etc/machine-id") + '\n' +
                         text_of(root / "sys/class/dmi/id/product_uuid") + '\n' + facts.product);
  return facts;
}

std::string manifest_of(const Facts& facts, int threads, std::string_view version) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("apiVersion").string("kernelindex.dev/v1alpha1");
  w.key("kind").string("ExecutionEnvironment");
  w.key("metadata").begin_object().key("name").string("ki-bench-host").end_object();
  w.key("spec").begin_object();
  w.key("hardware").begin_object();
  w.key("vendor").string(facts.vendor);
  w.key("product").string(facts.product);
  w.key("architecture").string(facts.architecture);
  if (facts.memory_bytes > 0) w.key("memoryBytes").integer(facts.memory_bytes);
  w.end_object();
  w.key("software").begin_object();
  if (!facts.operating_system.empty()) w.key("operatingSystem").string(facts.operating_system);
  w.key("kernel").string(excerpt(facts.kernel, kTextBytesMax));
  w.key("compiler").string(facts.compiler);
  if (!facts.driver.empty()) w.key("driver").string(facts.driver);
  if (!facts.cuda_toolkit.empty()) w.key("cudaToolkit").string(facts.cuda_toolkit);
  w.key("libraries").begin_object().key("ki").string(version).end_object();
  w.end_object();
  w.key("settings").begin_object().key("environmentVariables").begin_object();
  std::map<std::string, std::string> settings = facts.settings;
  settings["threads"] = std::to_string(threads);
  for (const auto& [key, value] : settings) w.key(key).string(value);
  w.end_object().end_object();
  w.end_object().end_object();
  return out;
}

CpuTimes read_cpu_times(const fs::path& root) {
  // cpu user nice system idle iowait irq softirq steal ...
  CpuTimes times;
  const std::string stat = text_of(root / "proc/stat");
  const std::string_view line = split(stat, '\n').front();
  int column = 0;
  for (const std::string_view word : split(line, ' ')) {
    if (word.empty() || word == "cpu") continue;
    const std::int64_t value = number_of(word);
    if (column < 8) times.total += value;
    if (column == 3 || column == 4) times.idle += value;
    if (column == 7) times.stolen = value;
    ++column;
  }
  return times;
}

double read_load(const fs::path& root) {
  const std::string text = text_of(root / "proc/loadavg");
  double load = 0;
  std::from_chars(text.data(), text.data() + text.size(), load);
  return load;
}

std::map<std::string, std::string> take_readings(const fs::path& root) {
  const std::string meminfo = text_of(root / "proc/meminfo");
  const std::string cpuinfo = text_of(root / "proc/cpuinfo");
  const CpuTimes times = read_cpu_times(root);
  std::map<std::string, std::string> all = {
      {"load", text_of(root / "proc/loadavg")},
      {"cpu_mhz", field_of(cpuinfo, "cpu MHz", ':')},
      {"memory_available", field_of(meminfo, "MemAvailable", ':')},
      {"pressure_cpu", std::string(split(text_of(root / "proc/pressure/cpu"), '\n').front())},
      {"temperature", text_of(root / "sys/class/thermal/thermal_zone0/temp")},
      {"cpu_ticks", std::to_string(times.total)},
      {"cpu_ticks_stolen", std::to_string(times.stolen)},
      {"uptime", text_of(root / "proc/uptime")},
  };
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

std::string busy_reason(const Facts& facts, const CpuTimes& before, const CpuTimes& after,
                        double load) {
  const double most = kLoadShareMax * facts.cores;
  if (load > most) return fmt::format("the load is {:.2f}, above {:.1f}", load, most);
  const std::int64_t total = after.total - before.total;
  const std::int64_t stolen = after.stolen - before.stolen;
  if (total <= 0) return {};
  const double share = static_cast<double>(stolen) / static_cast<double>(total);
  if (share > kStealShareMax) return fmt::format("{:.1f} % of the time is stolen", 100 * share);
  return {};
}

}  // namespace ki::runner
