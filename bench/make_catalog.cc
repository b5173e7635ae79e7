// make_catalog FILE RUNS [OPERATIONS]: a new catalog of made-up records, for measuring how answers
// grow with it.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "publish/publish.h"
#include "synthetic.h"

namespace {

using namespace ki;

std::size_t number(const char* text) {
  std::size_t value = 0;
  const std::string_view all(text);
  std::from_chars(all.data(), all.data() + all.size(), value);
  return value;
}

int failed(const Error& error) {
  std::fprintf(stderr, "%s\n", to_string(error).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runs = argc > 2 ? number(argv[2]) : 0;
  const std::size_t operations = argc > 3 ? number(argv[3]) : 2000;
  if (runs == 0 || operations == 0) {
    std::fprintf(stderr, "usage: make_catalog FILE RUNS [OPERATIONS]\n");
    return 2;
  }
  const SystemClock clock;
  // A batch touches pages all over the file; with room for them none is written twice.
  constexpr std::int64_t kCacheKib = std::int64_t{4} << 20;
  auto catalog = catalog::Catalog::open(argv[1], clock,
                                        {.mode = db::Mode::create, .write_cache_kib = kCacheKib});
  if (!catalog) return failed(catalog.error());
  bench::Synthetic synthetic(operations);
  const auto begin = std::chrono::steady_clock::now();
  // So does each batch by itself: few large ones write fewer of them.
  constexpr std::size_t kBatch = 50'000;
  for (std::size_t made = 0; made < runs; made += kBatch) {
    const auto bundle = synthetic.next(std::min(kBatch, runs - made));
    const auto report = publish::publish(*catalog, bundle, clock);
    if (!report) return failed(report.error());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%zu runs, %.0f s\n", std::min(runs, made + kBatch), took.count());
    std::fflush(stdout);
  }
}
