#include "runner/environment.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "manifest/manifest.h"

namespace ki::runner {
namespace {

namespace fs = std::filesystem;

class Machine : public testing::Test {
 protected:
  Machine() : root_(fs::temp_directory_path() / ("ki-machine-" + std::to_string(getpid()))) {
    put("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Pebble 9000\n");
    put("proc/meminfo", "MemTotal:       24000000 kB\nMemAvailable:   20000000 kB\n");
    put("proc/stat", "cpu  100 0 50 800 20 0 10 20 0 0\ncpu0 1 1 1 1\n");
    put("proc/loadavg", "0.42 0.30 0.20 1/99 7\n");
    put("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    put("etc/machine-id", "0123456789abcdef\n");
    put("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
    put("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    put("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
    put("sys/devices/system/cpu/cpu0/cache/index1/size", "2M\n");
    put("sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n");
    put("sys/devices/system/cpu/cpu0/cache/index1/level", "3\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  }
  ~Machine() override { fs::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  fs::path root_;
};

TEST_F(Machine, IsToldByItsFacts) {
  const Facts facts = read_facts(root_);
  EXPECT_EQ(facts.vendor, "intel");
  EXPECT_EQ(facts.product, "Pebble 9000");
  EXPECT_EQ(facts.memory_bytes, std::int64_t{23} << 30);
  EXPECT_EQ(facts.last_cache_bytes, 2 << 20);
  EXPECT_EQ(facts.operating_system, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(facts.settings.at("cpu_governor"), "powersave");
  EXPECT_EQ(facts.settings.count("container"), 0U);  // unknown is not written
}

TEST_F(Machine, HasOneManifestWhateverItsReadings) {
  const auto digest = [&](int threads) {
    const auto manifest = manifest::decode_json(manifest_of(read_facts(root_), threads, "1.0"));
    EXPECT_TRUE(manifest) << to_string(manifest.error());
    return manifest->digest();
  };
  const Digest before = digest(2);
  put("proc/loadavg", "9.9 9.9 9.9 1/99 7\n");
  put("proc/meminfo", "MemTotal:       24000100 kB\nMemAvailable:   10 kB\n");
  EXPECT_EQ(digest(2), before);
  EXPECT_NE(digest(1), before);
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_NE(digest(2), before);
}

TEST_F(Machine, WithoutAnythingToReadIsUnknownAndStillAManifest) {
  fs::remove_all(root_);
  const Facts facts = read_facts(root_);
  EXPECT_EQ(facts.product, "unknown");
  EXPECT_TRUE(manifest::decode_json(manifest_of(facts, 1, "1.0")));
  EXPECT_TRUE(take_readings(root_).empty() || take_readings(root_).contains("cpu_ticks"));
}

TEST_F(Machine, IsBusyByLoadOrByStolenTime) {
  Facts facts = read_facts(root_);
  facts.cores = 4;
  const CpuTimes now = read_cpu_times(root_);
  EXPECT_EQ(now.total, 1000);
  EXPECT_EQ(now.stolen, 20);
  EXPECT_EQ(busy_reason(facts, now, now, 2.0), "");
  EXPECT_THAT(busy_reason(facts, now, now, 2.01), testing::HasSubstr("load"));
  EXPECT_EQ(busy_reason(facts, {0, 0, 0}, {1000, 10, 0}, 0), "");
  EXPECT_THAT(busy_reason(facts, {0, 0, 0}, {1000, 11, 0}, 0), testing::HasSubstr("stolen"));
}

TEST_F(Machine, IsAnotherMachineByItsId) {
  const Digest before = read_facts(root_).machine;
  EXPECT_EQ(read_facts(root_).machine, before);
  put("etc/machine-id", "another\n");
  EXPECT_NE(read_facts(root_).machine, before);
}

}  // namespace
}  // namespace ki::runner
