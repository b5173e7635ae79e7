// ki resolve serving, ki show serving-run, ki serving: results of served models.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "json/read.h"
#include "json/write.h"
#include "policy/names.h"
#include "query/listings.h"
#include "query/serving_parts.h"

namespace ki::cli {
namespace {

using query::ServingFigure;
using query::ServingGroup;
using query::ServingRow;

constexpr std::string_view kOutput = "output_token_throughput_tps";

std::string number_text(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

std::string figure_text(const ServingFigure& figure) {
  return number_text(figure.value) + " " + policy::shown_unit(1, figure.unit).name;
}

// The figure of a metric: of `statistic`, or of the first there is, which is named unless the
// source names none; "-" when it is not reported.
std::string figure_of(const ServingRow& row, std::string_view metric,
                      std::string_view statistic = {}) {
  for (const ServingFigure& figure : row.measurements) {
    if (figure.metric == metric && (statistic.empty() || figure.statistic == statistic)) {
      const bool said = !statistic.empty() || figure.statistic == "reported";
      return number_text(figure.value) + (said ? "" : " (" + figure.statistic + ")");
    }
  }
  return "-";
}

std::string rank_of(const ServingRow& row) {
  if (row.rank) return std::to_string(*row.rank);
  return row.on_frontier ? "◆" : "-";
}

// Bounds that rows are listed under although nobody measured them: the load that they were tested
// under declares a bound that implies them.
void print_declared(const Context& c, const ServingGroup& group) {
  if (c.quiet || group.rows.empty()) return;
  for (std::size_t i = 0; i < group.rows.front().constraints.size(); ++i) {
    const auto unmeasured = std::ranges::count_if(group.rows, [&](const ServingRow& row) {
      return row.constraints[i].state == policy::ConstraintState::declared;
    });
    if (unmeasured == 0) continue;
    const auto& bound = group.rows.front().constraints[i];
    c.out << printable(fmt::format("{} ({}): not measured in {} of {} rows, only declared by the "
                                   "benchmark's load",
                                   bound.constraint, bound.statistic, unmeasured,
                                   group.rows.size()))
          << '\n';
  }
}

void print_group(const Context& c, const ServingGroup& group) {
  if (!c.quiet) {
    c.out << '\n' << ink(c, Ink::bold, printable(group.description)) << '\n';
    if (group.ranking) {
      const auto& by = *group.ranking;
      c.out << "Ranked by " << printable(by.metric + " " + by.statistic) << ", " << by.direction
            << (by.statistic_chosen == "reported"
                    ? ": the statistic that is reported here, the usual one is missing"
                    : "")
            << '\n';
    }
  }
  Table table({{"#", Align::right},
               {.heading = "configuration", .narrowest = kNarrowest},
               {.heading = "stack", .narrowest = kNarrowest, .spare = 2},
               {"tokens/s", Align::right},
               {.heading = "ttft p99", .align = Align::right, .spare = 3},
               {.heading = "gpus", .align = Align::right, .spare = 4},
               {.heading = "quality", .spare = 5},
               {"run"}});
  for (const ServingRow& row : group.rows) {
    table.add({rank_of(row), row.configuration, row.stack, figure_of(row, kOutput),
               figure_of(row, "ttft_ms", "p99"), std::to_string(row.hardware.total),
               row.quality_policy, short_run(row.run_digest)});
  }
  if (!table.empty()) table.print(c.out, !c.quiet, c.width);
  const auto more = [&](std::int64_t total, std::size_t shown, std::string_view what) {
    const auto rest = total - static_cast<std::int64_t>(shown);
    if (rest > 0 && !c.quiet) c.out << "... and " << rest << " more " << what << '\n';
  };
  more(group.rows_total, group.rows.size(), "rows");
  print_declared(c, group);
  for (const auto& excluded : group.excluded) {
    c.out << "excluded: " << printable(excluded.configuration) << ": "
          << printable(join(excluded.reasons, ", ")) << '\n';
  }
  more(group.excluded_total, group.excluded.size(), "excluded");
}

void print_answer(const Context& c, const query::ServingAnswer& answer) {
  for (const std::string& note : answer.notes) c.err << "note: " << printable(note) << '\n';
  if (!c.quiet) {
    c.out << fmt::format("{} · {} of {} runs match, {} keep every bound, in {}\n",
                         answer.policy_version, answer.matching_runs, answer.total_runs,
                         answer.feasible_runs, query::counted(answer.groups_total, "group"));
  }
  for (const ServingGroup& group : answer.groups) print_group(c, group);
  print_next(c, answer.next_cursor);
}

// The request of a file, which holds one.
std::expected<query::ServingRequest, Issues> read_request(const std::string& name,
                                                          std::string_view text) {
  const auto documents = parse_documents(name, text);
  if (!documents) return std::unexpected(documents.error());
  if (documents->size() != 1) {
    return std::unexpected(Issues{{.code = "invalid_type",
                                   .message = "holds no or several documents; give one request",
                                   .pointer = {},
                                   .file = {},
                                   .place = {}}});
  }
  auto request = json::read<query::ServingRequest>(documents->front().root, text);
  if (!request) return request;
  if (Issues faults = faults_of(*request); !faults.empty()) {
    return std::unexpected(std::move(faults));
  }
  return request;
}

void print_dossier(const Context& c, const query::ServingRunDossier& run) {
  c.out << ink(c, Ink::bold, printable(run.cohort.description)) << '\n';
  Table table({{"fact"}, {.heading = "value", .narrowest = kNarrowest}});
  const auto add = [&](std::string fact, std::string value) {
    table.add({std::move(fact), std::move(value)});
  };
  add("status", run.run.status);
  add("observed", run.run.observed_at);
  add("model", run.model.name + " (" + run.model.slug + ")");
  add("model licence", run.model.license.value_or("unknown"));
  add("stack", query::stack_label(run.stack.name, run.stack.version));
  add("configuration", run.configuration.summary);
  add("dtype", run.configuration.dtype.value_or("unknown"));
  for (const auto& fact : run.configuration.facts) add("  " + fact.key, fact.value);
  add("load", fmt::format("{}, {}, {}", run.workload.name,
                          run.workload.streaming ? "streaming" : "not streaming",
                          run.workload.load_generation));
  for (const auto& bound : run.workload.slo) {
    add("  declares", fmt::format("{} {} {} {} {}", bound.metric, bound.statistic, bound.op,
                                  number_text(bound.value), bound.unit));
  }
  add("topology", fmt::format("{}, {} a node, {}, {} in all", run.topology.accelerator_model,
                              run.topology.per_node, query::counted(run.topology.nodes, "node"),
                              run.topology.total));
  add("harness", run.harness);
  add("quality", run.cohort.quality_policy);
  for (const auto& figure : run.measurements) {
    add(figure.metric + " " + figure.statistic, figure_text(figure));
  }
  for (const auto& caveat : run.caveats) add("caveat", caveat);
  if (run.lifecycle.retracted) {
    add("retracted", run.lifecycle.retracted->at + ": " + run.lifecycle.retracted->reason);
  }
  add("source", run.attribution.line);
  if (run.attribution.license) add("source licence", *run.attribution.license);
  add("cohort", run.cohort.key);
  add("run", run.run.digest);
  table.print(c.out, false, c.width);
}

}  // namespace

int resolve_serving(const Context& c, const SearchOptions& options) {
  if (!options.cohort.empty()) {
    c.err << "ki: --cohort is of kernels; a request about serving names model and workload\n";
    return kUsage;
  }
  const auto text = read_file(options.manifest, json::kManifestLimits.bytes_max);
  if (!text) return report(c, text.error());
  auto request = read_request(options.manifest, *text);
  if (!request) {
    for (Issue& issue : request.error()) issue.file = options.manifest;
    return report(c, request.error());
  }
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto answer =
      resolver->resolve_serving(*request, {.cursor = options.cursor, .limit = options.limit});
  if (!answer) return report(c, answer.error());
  if (c.output == Output::json) {
    print_json(c, *answer);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, answer->groups);
  } else {
    print_answer(c, *answer);
  }
  return kOk;
}

int serving_run(const Context& c, const std::string& id) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto run = resolver->serving_run(id);
  if (!run) return report(c, run.error());
  c.output == Output::table ? print_dossier(c, *run) : print_json(c, *run);
  return kOk;
}

int serving_runs(const Context& c, const ServingRunsOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto page = resolver->serving_runs({.model = options.model,
                                            .workload = options.workload,
                                            .hardware = options.hardware,
                                            .cursor = options.page.cursor,
                                            .limit = options.page.limit});
  if (!page) return report(c, page.error());
  if (c.output == Output::json) {
    print_json(c, *page);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, page->runs);
    print_not_applied(c, page->not_applied);
    return kOk;
  }
  Table table({{"run"},
               {.heading = "model", .narrowest = kNarrowest},
               {.heading = "load", .narrowest = kNarrowest, .spare = 2},
               {.heading = "stack", .narrowest = kNarrowest, .spare = 3},
               {.heading = "configuration", .narrowest = kNarrowest, .spare = 1},
               {.heading = "hardware", .narrowest = kProduct},
               {"gpus", Align::right},
               {.heading = "observed", .spare = 4}});
  for (const auto& run : page->runs) {
    table.add({short_run(run.digest), run.model, run.workload, run.stack, run.configuration,
               run.hardware, std::to_string(run.total_accelerators),
               run.observed_at.substr(0, 10)});
  }
  table.print(c.out, !c.quiet, c.width);
  print_next(c, page->next_cursor);
  print_not_applied(c, page->not_applied);
  return kOk;
}

int serving_configurations(const Context& c) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  std::vector<query::ServingConfigurationItem> all;
  for (;;) {
    auto page = resolver->serving_configurations(all.empty() ? "" : all.back().id);
    if (!page) return report(c, page.error());
    const bool last = std::ssize(*page) < query::kConfigurationsMax;
    std::ranges::move(*page, std::back_inserter(all));
    if (last) break;
  }
  if (c.output == Output::json) {
    print_json(c, all);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, all);
    return kOk;
  }
  Table table({{.heading = "stack", .narrowest = kNarrowest},
               {.heading = "configuration", .narrowest = kNarrowest},
               {.heading = "dtype", .spare = 2},
               {"runs", Align::right},
               {.heading = "digest", .spare = 1}});
  for (const auto& one : all) {
    table.add({one.stack, one.summary, one.dtype.value_or("unknown"), std::to_string(one.runs),
               short_run(one.digest)});
  }
  table.print(c.out, !c.quiet, c.width);
  return kOk;
}

int serving_overview(const Context& c) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto overview = resolver->serving_overview();
  if (!overview) return report(c, overview.error());
  if (c.output == Output::json) {
    print_json(c, *overview);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, overview->pairs);
    return kOk;
  }
  const auto best_text = [](const std::optional<query::ServingBest>& best) {
    return best ? fmt::format("{:.6g}, {} {}", best->value, best->total, best->accelerator_model)
                : std::string("-");
  };
  Table table({{.heading = "model", .narrowest = kNarrowest},
               {.heading = "load", .narrowest = kNarrowest},
               {"runs", Align::right},
               {.heading = "configurations", .align = Align::right, .spare = 2},
               {.heading = "most tokens/s", .narrowest = kProduct},
               {.heading = "most of one accelerator", .narrowest = kProduct, .spare = 1}});
  for (const auto& pair : overview->pairs) {
    table.add({pair.model.name, pair.workload.name, std::to_string(pair.runs),
               std::to_string(pair.configurations), best_text(pair.best),
               best_text(pair.best_per_accelerator)});
  }
  table.print(c.out, !c.quiet, c.width);
  return kOk;
}

}  // namespace ki::cli
