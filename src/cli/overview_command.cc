// ki hardware, ki models, ki projects, ki sources, ki changes: what the catalog covers.

#include <ostream>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "policy/names.h"
#include "query/listings.h"

namespace ki::cli {
namespace {

std::string or_dash(const std::optional<std::string>& text) { return text.value_or("-"); }

std::string date_or_dash(const std::optional<std::string>& at) {
  return at ? std::string(policy::date_text(*at)) : "-";
}

std::string freshness_text(const query::SourceItem& source) {
  if (!source.freshness_days) return "-";
  const std::string days = fmt::format("{} days", *source.freshness_days);
  return source.stale.value_or(false) ? days + ", out of date" : days;
}

void print_models(const Context& c, const query::ModelsList& models) {
  Table kernel({{"model"}, {"operations", Align::right}, {"runs", Align::right}});
  for (const auto& model : models.kernel) {
    kernel.add({model.model, std::to_string(model.operations), std::to_string(model.runs)});
  }
  if (!kernel.empty()) kernel.print(c.out, !c.quiet, c.width);
  Table serving({{"served model"},
                 {.heading = "name", .narrowest = kNarrowest},
                 {"parameters", Align::right},
                 {"runs", Align::right}});
  for (const auto& model : models.serving) {
    serving.add({model.slug, model.name,
                 model.parameter_count ? std::to_string(*model.parameter_count) : "-",
                 std::to_string(model.runs)});
  }
  if (!kernel.empty() && !serving.empty()) c.out << '\n';
  if (!serving.empty()) serving.print(c.out, !c.quiet, c.width);
  if (kernel.empty() && serving.empty() && !c.quiet) c.out << "No operation names a model\n";
}

std::vector<std::string> entry_cells(const query::ModelEntry& entry) {
  const query::Row& shown = entry.deployable ? *entry.deployable : entry.fastest;
  const std::string_view claim = query::claim_note(entry.verdict);
  return {entry.family,
          entry.operation.slug,
          value_text(entry.fastest.primary) + (claim.empty() ? "" : ", ") + std::string(claim),
          entry.fastest.implementation.name,
          entry.deployable ? value_text(shown.primary) : "-",
          entry.deployable ? shown.implementation.name : "none can be used as it is",
          short_run(entry.fastest.run_digest)};
}

void print_model(const Context& c, const query::ModelDossier& model) {
  c.out << ink(c, Ink::bold, printable(model.model.slug)) << "  "
        << query::counted(model.stats.operations, "operation") << ", "
        << query::counted(model.stats.runs, "run") << '\n';
  print_not_applied(c, model.not_applied);
  if (!model.resolved && !c.quiet) c.out << "No operation is tagged with exactly this model\n";
  if (!model.model.related_tags.empty() && !c.quiet) {
    c.out << "Related: " << printable(join(model.model.related_tags, ", ")) << '\n';
  }
  std::vector<std::string> gpus;
  for (const auto& gpu : model.gpus) gpus.push_back(fmt::format("{} ({})", gpu.model, gpu.runs));
  if (!gpus.empty() && !c.quiet) {
    c.out << "Measured on: " << printable(join(gpus, ", "))
          << "; shown: " << printable(model.selected_gpu.value_or("-")) << '\n';
  }
  Table table({{.heading = "family", .spare = 3},
               {"operation"},
               {"fastest", Align::right},
               {.heading = "implementation", .narrowest = kNarrowest},
               {.heading = "usable", .align = Align::right, .spare = 2},
               {.heading = "usable implementation", .narrowest = kNarrowest, .spare = 2},
               {.heading = "run", .spare = 1}});
  for (const auto& group : model.groups) {
    for (const auto& entry : group.entries) table.add(entry_cells(entry));
  }
  if (!table.empty()) table.print(c.out, !c.quiet, c.width);
  Table gaps({{.heading = "not ranked there"}, {.heading = "measured on", .narrowest = kProduct}});
  for (const auto& gap : model.gaps) {
    gaps.add(
        {gap.operation.slug, gap.measured_on.empty() ? "nothing" : join(gap.measured_on, ", ")});
  }
  if (!gaps.empty()) {
    c.out << '\n';
    gaps.print(c.out, !c.quiet, c.width);
  }
  if (model.left_out > 0) {
    c.out << query::counted(model.left_out, "more operation")
          << (model.left_out == 1 ? " was" : " were") << " measured there\n";
  }
}

// One line of the feed: what happened, in words.
std::string sentence(const query::RecordEntry& entry) {
  const std::string by =
      entry.improvement_pct ? " (" + query::percent_text(*entry.improvement_pct) + "% better)" : "";
  return entry.operation.slug + " on " + entry.hardware + ", " + entry.workload_summary + ": " +
         entry.implementation.name + " " + value_text(entry.value) + ", was " +
         entry.previous.implementation.name + " " + value_text(entry.previous.value) + by;
}
std::string sentence(const query::ImportEntry& entry) {
  return fmt::format("{}: {} of {} on {}, {} measured for the first time", entry.source.name,
                     query::counted(entry.runs, "run"),
                     query::counted(entry.operations, "operation"), join(entry.hardware, ", "),
                     query::counted(entry.first_records, "group"));
}
std::string sentence(const query::CorrectionEntry& entry) {
  return entry.operation.slug + ": run " + entry.run_id + " of " + entry.implementation.name +
         " was " + entry.action + (entry.reason ? ": " + *entry.reason : "");
}

void print_feed(const Context& c, const query::Feed& feed) {
  Table table({{"date"}, {"kind"}, {.heading = "what", .narrowest = kProduct}});
  for (const auto& day : feed.days) {
    for (const auto& one : day.entries) {
      std::visit([&](const auto& entry) { table.add({day.date, entry.kind, sentence(entry)}); },
                 one);
    }
  }
  if (table.empty()) {
    if (!c.quiet) c.out << "Nothing changed after " << feed.from << '\n';
    return;
  }
  table.print(c.out, !c.quiet, c.width);
  print_next(c, feed.next_cursor);
}

void print_stats(const Context& c, const query::ProjectDossier& project) {
  c.out << ink(c, Ink::bold, printable(project.project.name)) << "  " << project.project.kind
        << '\n';
  Table facts({{""}, {""}});
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) facts.add({"  " + std::string(name), value});
  };
  add("slug", project.project.slug);
  add("repository", project.project.repository_url.value_or(""));
  if (project.project.host) {
    add("host", project.project.host->kind + ": " + project.project.host->id);
  }
  add("licences", join(project.project.licenses, ", "));
  add("implementations", std::to_string(project.stats.implementations));
  add("runs", std::to_string(project.stats.runs));
  add("hardware", join(project.stats.hardware, ", "));
  add("last observed", date_or_dash(project.stats.last_observed_at));
  facts.print(c.out, false);
}

}  // namespace

int hardware(const Context& c) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto list = resolver->hardware_list();
  if (!list) return report(c, list.error());
  if (c.output == Output::json) {
    print_json(c, list->hardware);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, list->hardware);
    return kOk;
  }
  Table table({{.heading = "model", .narrowest = kProduct},
               {.heading = "vendor", .spare = 3},
               {.heading = "architecture", .spare = 2},
               {"runs", Align::right},
               {.heading = "serving runs", .align = Align::right, .spare = 4},
               {"operations", Align::right},
               {.heading = "families", .align = Align::right, .spare = 1},
               {.heading = "last observed", .spare = 1}});
  for (const auto& item : list->hardware) {
    table.add({item.model, or_dash(item.vendor), or_dash(item.architecture),
               std::to_string(item.kernel_runs), std::to_string(item.serving_runs),
               std::to_string(item.operations), std::to_string(item.families),
               date_or_dash(item.last_observed_at)});
  }
  table.print(c.out, !c.quiet, c.width);
  return kOk;
}

int models(const Context& c, const ModelOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  if (!options.slug.empty()) {
    const auto model = resolver->model(options.slug, options.gpu);
    if (!model) return report(c, model.error());
    c.output == Output::table ? print_model(c, *model) : print_json(c, *model);
    return kOk;
  }
  const auto list = resolver->models();
  if (!list) return report(c, list.error());
  if (c.output == Output::jsonl) {
    print_json_lines(c, list->kernel);
    print_json_lines(c, list->serving);
    return kOk;
  }
  c.output == Output::json ? print_json(c, *list) : print_models(c, *list);
  return kOk;
}

int project(const Context& c, const HolderOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto dossier =
      resolver->project(options.slug, {.cursor = options.page.cursor, .limit = options.page.limit});
  if (!dossier) return report(c, dossier.error());
  if (c.output == Output::jsonl) {
    print_json_lines(c, dossier->records);
    return kOk;
  }
  if (c.output == Output::json) {
    print_json(c, *dossier);
    return kOk;
  }
  print_stats(c, *dossier);
  if (!c.quiet) {
    c.out << fmt::format("\n{} of {} records held\n", dossier->records.size(),
                         dossier->records_total);
  }
  print_records(c, dossier->records);
  print_next(c, dossier->next_cursor);
  return kOk;
}

int sources(const Context& c) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto list = resolver->sources();
  if (!list) return report(c, list.error());
  if (c.output == Output::json) {
    print_json(c, *list);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, list->sources);
    return kOk;
  }
  Table table({{"source"},
               {.heading = "name", .narrowest = kNarrowest, .spare = 2},
               {.heading = "kind", .spare = 4},
               {"runs", Align::right},
               {"published", Align::right},
               {.heading = "operations", .align = Align::right, .spare = 1},
               {.heading = "products", .align = Align::right, .spare = 1},
               {.heading = "last published", .spare = 3},
               {.heading = "fresh for", .spare = 3}});
  for (const auto& source : list->sources) {
    table.add({source.slug, source.name, source.kind, std::to_string(source.runs),
               std::to_string(source.indexed), std::to_string(source.breadth),
               std::to_string(source.hardware), date_or_dash(source.last_published_at),
               freshness_text(source)});
  }
  table.print(c.out, !c.quiet, c.width);
  if (!c.quiet && !table.empty()) {
    c.out << "runs: those that can be ranked, of the published ones; operations: and served "
             "models;\nfresh for: after its last file was read or its last run published; then "
             "it counts as out of date\n";
  }
  return kOk;
}

int changes(const Context& c, const ChangesOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto feed = resolver->feed({.since = options.since, .cursor = options.cursor});
  if (!feed) return report(c, feed.error());
  if (c.output == Output::jsonl) {
    for (const auto& day : feed->days) print_json_lines(c, day.entries);
    return kOk;
  }
  c.output == Output::json ? print_json(c, *feed) : print_feed(c, *feed);
  if (c.output == Output::table && feed->days.empty()) {
    if (const auto done = print_waiting(c, *resolver); !done) return report(c, done.error());
  }
  return kOk;
}

}  // namespace ki::cli
