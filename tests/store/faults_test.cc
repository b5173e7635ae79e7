// Publishing on a disk that fails, and in a program that is killed.

#include <csignal>
#include <random>
#include <set>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "publish/verify.h"
#include "store/store_test.h"
#include "support/faulty_vfs.h"

namespace ki::test {
namespace {

namespace fs = std::filesystem;

class Faults : public StoreTest {
 protected:
  void TearDown() override {
    disarm();
    StoreTest::TearDown();
  }

  // What a catalog holds, as far as its users can tell.
  std::string state(catalog::Catalog& catalog) {
    std::string out;
    for (const auto& [table, rows] : counts(catalog)) {
      out += table + " " + std::to_string(rows) + "\n";
    }
    return out + events(catalog) + "\n" + holder(catalog);
  }

  void expect_clean(catalog::Catalog& catalog) {
    const auto report = publish::verify(catalog);
    ASSERT_TRUE(report) << to_string(report.error());
    for (const auto& finding : report->findings) {
      ADD_FAILURE() << finding.entity << " " << finding.id << " " << finding.field << ": "
                    << finding.stored << ", expected " << finding.expected;
    }
  }

  void copy_database(const fs::path& from, const fs::path& to) {
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(to.string() + suffix);
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  }
};

const std::vector<Provider> kBefore{{"a", 1000, "2026-01-01T00:00:00Z", "row/1"},
                                    {"b", 900, "2026-01-03T00:00:00Z", "row/2"}};
// Supersedes one, rewrites the history, and adds.
const std::vector<Provider> kAfter{{"a", 950, "2026-01-04T00:00:00Z", "row/1"},
                                   {"c", 800, "2026-01-02T00:00:00Z", "row/3"}};

TEST_F(Faults, AFailingDiskLeavesEverythingOrNothing) {
  const fs::path baseline = folder_ / "baseline.db";
  std::string before;
  std::string after;
  {
    catalog::Catalog catalog = open();
    publish_ok(catalog, bundle_of(kBefore));
    before = state(catalog);
    ASSERT_TRUE(catalog.connection().backup(baseline));
  }
  copy_database(baseline, path());
  std::int64_t steps = 0;
  {
    catalog::Catalog catalog = open({.mode = db::Mode::read_write, .vfs = faulty_vfs()});
    disarm();
    publish_ok(catalog, bundle_of(kAfter));
    steps = operations();
    after = state(catalog);
  }
  ASSERT_NE(before, after);
  ASSERT_GT(steps, 5);
  std::set<std::string> seen;
  for (const Fault fault : {Fault::disk_full, Fault::io_error, Fault::torn_write}) {
    for (std::int64_t n = 1; n <= steps + 1; ++n) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " at " + std::to_string(n));
      copy_database(baseline, path());
      bool acknowledged = false;
      {
        catalog::Catalog catalog = open({.mode = db::Mode::read_write, .vfs = faulty_vfs()});
        arm(n, fault);
        acknowledged = publish::publish(catalog, bundle_of(kAfter), clock_).has_value();
      }
      disarm();
      catalog::Catalog reopened = open({.mode = db::Mode::read_write});
      const std::string found = state(reopened);
      EXPECT_TRUE(found == before || found == after) << found;
      if (acknowledged) {
        EXPECT_EQ(found, after);
      }
      expect_clean(reopened);
      publish_ok(reopened, bundle_of(kAfter));
      EXPECT_EQ(state(reopened), after);
      seen.insert(found);
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(seen.size(), 2U);  // both outcomes happened, or the faults did not reach
}

TEST_F(Faults, AFailureWhileTheSchemaIsMadeLeavesAFileThatCanBeUsed) {
  {
    catalog::Catalog made = open({.mode = db::Mode::create, .vfs = faulty_vfs()});
    disarm();
  }
  for (std::int64_t n = 1; n <= 40; ++n) {
    SCOPED_TRACE(n);
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path() + suffix);
    arm(n, Fault::torn_write);
    static_cast<void>(
        catalog::Catalog::open(path(), clock_, {.mode = db::Mode::create, .vfs = faulty_vfs()}));
    disarm();
    catalog::Catalog reopened = open();
    publish_ok(reopened, bundle_of(kBefore));
    expect_clean(reopened);
    if (HasFailure()) return;
  }
}

TEST_F(Faults, AKilledProgramLosesNothingThatWasAcknowledged) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  {
    catalog::Catalog made = open();
  }
  int acknowledged = 0;
  int kills_while_running = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  for (int round = 0; round < 15 && std::chrono::steady_clock::now() < until; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // publishes one run after the other and says so after each
      catalog::Catalog catalog = open({.mode = db::Mode::read_write});
      for (int i = acknowledged; i < acknowledged + 1000; ++i) {
        const std::string name = "p" + std::to_string(round) + "-" + std::to_string(i);
        const auto report =
            publish::publish(catalog, bundle_of({{name, 100000 - i}}), SystemClock());
        if (!report || ::write(pipe_ends[1], "x", 1) != 1) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(pipe_ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 200));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    kills_while_running += WIFSIGNALED(status) ? 1 : 0;
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    char byte = 0;
    while (::read(pipe_ends[0], &byte, 1) == 1) ++acknowledged;
    ::close(pipe_ends[0]);

    catalog::Catalog reopened = open({.mode = db::Mode::read_write});
    const int stored = std::stoi(text(reopened, "SELECT COUNT(*) FROM run"));
    EXPECT_GE(stored, acknowledged);
    EXPECT_LE(stored, acknowledged + round + 1);  // at most one a round was not yet acknowledged
    expect_clean(reopened);
    if (HasFailure()) return;
  }
  EXPECT_GT(acknowledged, 0);
  EXPECT_GT(kills_while_running, 0);
}

TEST_F(Faults, TwoWritersEachGetEverythingIn) {
  {
    catalog::Catalog made = open();
  }
  constexpr int kBundles = 12;
  const auto publish_all = [&](const std::string& name) {
    catalog::Catalog catalog = open({.mode = db::Mode::read_write});
    for (int i = 0; i < kBundles; ++i) {
      const std::string own = name + std::to_string(i);
      const std::string shared = "shared" + std::to_string(i);
      const auto report = publish::publish(
          catalog, bundle_of({{own, 2000 - i}, {shared, 3000 - i}}), SystemClock());
      EXPECT_TRUE(report) << to_string(report.error());
    }
  };
  std::thread first(publish_all, "first");
  std::thread second(publish_all, "second");
  first.join();
  second.join();
  catalog::Catalog reopened = open({.mode = db::Mode::read_write});
  EXPECT_EQ(text(reopened, "SELECT COUNT(*) FROM run"), std::to_string(3 * kBundles));
  expect_clean(reopened);
}

}  // namespace
}  // namespace ki::test
