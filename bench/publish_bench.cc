// Publishing 3,000 new runs in one transaction, durable, into an empty catalog and into one that
// has 10,000 already. The floor is what the engine takes for as many rows of the same size with two
// indexes, in one durable transaction too.
#include <filesystem>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "publish/publish.h"
#include "synthetic.h"

namespace {

using namespace ki;
namespace fs = std::filesystem;

constexpr std::size_t kRuns = 3000;
constexpr std::size_t kOperations = 200;
const SystemClock kClock;

constexpr std::string_view kFloorTable =
    "CREATE TABLE floor (id TEXT PRIMARY KEY, digest TEXT UNIQUE, manifest TEXT) STRICT;";
constexpr db::Sql kFloorRow{"floor.row", "INSERT INTO floor VALUES ($1, $2, $3)"};

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("ki-publish-bench-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file() const { return path_ / "ki.db"; }
  void empty() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove(entry.path());
  }

 private:
  fs::path path_;
};

void publish_runs(benchmark::State& state) {
  const Folder folder;
  const auto present = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    folder.empty();
    bench::Synthetic synthetic(kOperations);
    auto catalog = catalog::Catalog::open(folder.file(), kClock, {.mode = db::Mode::create});
    if (!catalog) return state.SkipWithError(to_string(catalog.error()).c_str());
    if (present > 0) {
      if (const auto before = publish::publish(*catalog, synthetic.next(present), kClock);
          !before) {
        return state.SkipWithError(to_string(before.error()).c_str());
      }
    }
    const publish::Bundle bundle = synthetic.next(kRuns);
    state.ResumeTiming();
    const auto report = publish::publish(*catalog, bundle, kClock);
    if (!report) return state.SkipWithError(to_string(report.error()).c_str());
    benchmark::DoNotOptimize(report->inserted);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRuns));
}
BENCHMARK(publish_runs)->Arg(0)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();

// A run is one row of its own, one of its measurement and one of its source link; its manifests are
// about 1.2 KB.
void floor_of_the_engine(benchmark::State& state) {
  const Folder folder;
  const std::string manifest(1200, 'm');
  for (auto _ : state) {
    state.PauseTiming();
    folder.empty();
    auto catalog = catalog::Catalog::open(folder.file(), kClock, {.mode = db::Mode::create});
    if (!catalog) return state.SkipWithError(to_string(catalog.error()).c_str());
    auto& connection = catalog->connection();
    const auto made = connection.script("floor", kFloorTable);
    if (!made) return state.SkipWithError(to_string(made.error()).c_str());
    state.ResumeTiming();
    auto transaction = connection.begin();
    if (!transaction) return state.SkipWithError(to_string(transaction.error()).c_str());
    for (std::size_t i = 0; i < 3 * kRuns; ++i) {
      const std::string id = std::to_string(i * 7919 % 1'000'003);
      const std::string text = i % 3 == 0 ? manifest : std::string();
      const auto done = connection.run(kFloorRow, id, id, text);
      if (!done) return state.SkipWithError(to_string(done.error()).c_str());
    }
    if (const auto done = transaction->commit(); !done) {
      return state.SkipWithError(to_string(done.error()).c_str());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRuns));
}
BENCHMARK(floor_of_the_engine)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
