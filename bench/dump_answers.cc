// dump_answers FILE [OPERATIONS]: what a catalog answers, one JSON line a question: every kind of
// question, of every operation (or of as many). The same catalog gives the same lines, so that two
// commits are compared by comparing their output: an answer may not change because it is found in
// another way.
#include <charconv>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/wire.h"
#include "json/write.h"
#include "query/resolver.h"

namespace {

using namespace ki;

template <class T>
void print(const std::string& question, const Result<T>& answer) {
  std::string text;
  if (answer) {
    json::Writer out(text);
    json::write(out, *answer);
  } else {
    text = to_string(answer.error());
  }
  std::printf("%s\t%s\n", question.c_str(), text.c_str());
}

void ask(const query::Resolver& resolver, const std::string& query,
         const query::SearchOptions& options = {}) {
  print("search " + query + " offset " + std::to_string(options.offset) + " limit " +
            std::to_string(options.limit) + " cohort " + options.cohort,
        resolver.search(query, options));
}

void print_cases(const std::string& slug, const Result<query::ExactAnswers>& answers) {
  if (!answers) return print("cases " + slug, Result<query::Ref>(std::unexpected(answers.error())));
  for (const auto& one : answers->cases) {
    std::string text =
        "case " + slug + " " + one.dtype + "/" + one.hardware + "/" + std::string(one.pass);
    for (const auto& [name, value] : one.axes) text += " " + name + "=" + std::to_string(value);
    std::printf("%s\t%zu\n", text.c_str(), one.cohort);
  }
  for (const auto& ranked : answers->cohorts) {
    print("ranked " + ranked.hardware + ranked.product, Result<query::Cohort>(ranked.cohort));
    for (const auto& name : ranked.also_called) std::printf("%s\n", name.c_str());
    print("verdict", Result<query::Verdict>(ranked.verdict));
    for (const auto& row : ranked.rows) print("row", Result<query::Row>(row));
  }
}

constexpr std::string_view kFacets[] = {"",
                                        "B200 bf16",
                                        "H100",
                                        "A100",
                                        "fp32",
                                        "MI300X backward",
                                        "gpu:h200 fp8",
                                        "language:triton",
                                        "framework:pytorch",
                                        "trust:reproducible",
                                        "license:permissive source:true",
                                        "installable:true license:mit",
                                        "toolkit_version:12.8",
                                        "metric:latency forward",
                                        "cuda>=12",
                                        "tokens=777",
                                        "batch:4 seq:2048 heads:12",
                                        "hidden=4096 trust:verified",
                                        "vendor:nvidia memory:80GB language:cuda",
                                        "author:a project:a",
                                        "project:made package:a",
                                        "language:cuda tokens=16..64",
                                        "language:triton source:true H100",
                                        "trust:verified cohort:0",
                                        "installable:true A100 hidden=256",
                                        "nosuchword"};

void ask_maps(const query::Resolver& resolver, const std::string& slug,
              const query::OperationDossier& dossier) {
  print("winners " + slug, resolver.winners(slug, {}));
  query::TraceRequest trace{.operation = slug};
  for (const auto& workload : dossier.workloads) {
    if (workload.axes.empty() || trace.lines.size() == 24) continue;
    const std::string& axis = workload.axes.begin()->first;
    if (trace.lines.empty()) {
      print("winners " + slug + " " + axis, resolver.winners(slug, {.x = axis, .y = "hardware"}));
    }
    auto& axes = trace.lines.emplace_back().axes;
    for (const auto& [name, value] : workload.axes) {
      std::from_chars(value.text.data(), value.text.data() + value.text.size(), axes[name]);
    }
    if (trace.lines.size() % 4 == 3) axes.begin()->second += 7;  // a case that nobody measured
  }
  print("trace " + slug, resolver.trace(trace, {}));
  trace.hardware = "H100";
  print("trace " + slug + " H100", resolver.trace(trace, {}));
}

void ask_operation(const query::Resolver& resolver, const std::string& slug) {
  for (const std::string_view facets : kFacets) {
    ask(resolver, "op:" + slug + " " + std::string(facets));
  }
  for (const std::int64_t limit : {1, 3, 200}) {
    for (const std::int64_t offset : {0, 2, 40}) {
      ask(resolver, "op:" + slug, {.cohort = {}, .cursor = {}, .offset = offset, .limit = limit});
      ask(resolver, "op:" + slug + " H100 trust:reproducible",
          {.cohort = {}, .cursor = {}, .offset = offset, .limit = limit});
    }
  }
  const auto dossier = resolver.operation(slug);
  print("operation " + slug, dossier);
  print_cases(slug, resolver.cases(slug));
  if (!dossier) return;
  ask_maps(resolver, slug, *dossier);
  std::size_t shown = 0;
  for (const auto& workload : dossier->workloads) {
    if (++shown > 12) break;
    print("operation " + slug + " " + workload.id,
          resolver.operation(slug, {.workload = workload.id, .cohort = {}}));
    std::string query = "op:" + slug;
    for (const auto& [name, value] : workload.axes) query += " " + name + "=" + value.text;
    ask(resolver, query);
    ask(resolver, query + " license:permissive");
    ask(resolver, query + " language:cuda source:true", {.cohort = {}, .cursor = {}, .limit = 3});
    if (!workload.axes.empty()) {
      ask(resolver, "op:" + slug + " " + workload.axes.begin()->first + "=12345");
    }
    ask(resolver, workload.digest);
  }
  shown = 0;
  for (const auto& option : dossier->cohort_options) {
    if (++shown > 8) break;
    ask(resolver, option.query);
    ask(resolver, "op:" + slug, {.cohort = option.key, .cursor = {}, .offset = 0, .limit = 20});
    print("operation " + slug + " " + option.key,
          resolver.operation(slug, {.workload = {}, .cohort = option.key}));
  }
  shown = 0;
  for (const auto& implementation : dossier->implementations) {
    if (++shown > 10) break;
    print("implementation " + implementation.slug, resolver.implementation(implementation.slug));
  }
  std::vector<std::string> runs;
  for (const auto& row : dossier->records) {
    if (!row.run_id || runs.size() == 6) continue;
    runs.push_back(*row.run_id);
    print("run " + *row.run_id, resolver.run(*row.run_id));
  }
  if (runs.size() > 1) print("compare " + slug, resolver.compare(runs));
}

void ask_lists(const query::Resolver& resolver) {
  for (std::string cursor; auto page = resolver.records({.cursor = cursor, .limit = 50});) {
    print("records " + cursor, page);
    if (!page->next_cursor) break;
    cursor = *page->next_cursor;
  }
  std::string cursor;
  for (int i = 0; i < 60; ++i) {
    const auto page = resolver.runs({.cursor = cursor, .limit = 100});
    print("runs " + cursor, page);
    if (!page || !page->next_cursor) break;
    cursor = *page->next_cursor;
  }
  print("operations", resolver.operations());
  print("hardware", resolver.hardware_list());
  const auto models = resolver.models();
  print("models", models);
  if (models) {
    for (const auto& model : models->kernel)
      print("model " + model.model, resolver.model(model.model));
  }
  print("sources", resolver.sources());
  print("coverage", resolver.coverage());
  print("feed", resolver.feed({.since = "2026-01-01T00:00:00Z", .cursor = {}}));
  for (const std::string query :
       {"rmsnorm B200 bf16", "rmsnorm", "attention H100", "H100", "B200 fp8", "gemm A100 fp16",
        "trimul A100", "nothing like this", "", "softmax hidden:4096", "Hopper"}) {
    ask(resolver, query);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: dump_answers FILE [OPERATIONS]\n");
    return 2;
  }
  std::size_t most = 1'000'000;
  if (argc > 2) {
    const std::string_view text(argv[2]);
    std::from_chars(text.data(), text.data() + text.size(), most);
  }
  const FixedClock clock(*parse_instant("2026-10-01T00:00:00Z"));
  const auto resolver = query::Resolver::open(argv[1], clock);
  if (!resolver) {
    std::fprintf(stderr, "%s\n", to_string(resolver.error()).c_str());
    return 1;
  }
  const auto index = resolver->index();
  if (!index) return 1;
  std::size_t asked = 0;
  for (const auto& entry : *index) {
    if (asked++ < most) ask_operation(*resolver, entry.slug);
  }
  ask_lists(*resolver);
}
