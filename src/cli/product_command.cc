// ki hardware PRODUCT and ki projects: one product, and every project.

#include <ostream>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "policy/names.h"
#include "query/listings.h"

namespace ki::cli {
namespace {

void print_product(const Context& c, const query::HardwareDossier& dossier) {
  const query::HardwareItem& product = dossier.product;
  c.out << ink(c, Ink::bold, printable(product.model)) << "  "
        << printable(product.architecture.value_or("architecture unknown")) << ", "
        << query::counted(product.kernel_runs, "run") << " of "
        << query::counted(product.operations, "operation") << '\n';
  Table families({{"family"}, {"operations", Align::right}, {"runs", Align::right}});
  for (const auto& one : dossier.families) {
    families.add({one.family, std::to_string(one.operations), std::to_string(one.runs)});
  }
  if (!families.empty()) families.print(c.out, !c.quiet, c.width);
  if (!c.quiet) {
    c.out << fmt::format("\n{} of {} records on it\n", dossier.records.size(),
                         dossier.records_total);
  }
  print_records(c, dossier.records);
  print_next(c, dossier.next_cursor);
}

}  // namespace

int product(const Context& c, const HolderOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto dossier =
      resolver->product(options.slug, {.cursor = options.page.cursor, .limit = options.page.limit});
  if (!dossier) return report(c, dossier.error());
  switch (c.output) {
    case Output::json:
      print_json(c, *dossier);
      break;
    case Output::jsonl:
      print_json_lines(c, dossier->records);
      break;
    case Output::table:
      print_product(c, *dossier);
      break;
  }
  return kOk;
}

int projects(const Context& c) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto list = resolver->projects();
  if (!list) return report(c, list.error());
  if (c.output == Output::json) {
    print_json(c, *list);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, list->projects);
    return kOk;
  }
  Table table({{.heading = "project", .narrowest = kNarrowest},
               {.heading = "kind", .spare = 2},
               {"implementations", Align::right},
               {"runs", Align::right},
               {"records", Align::right},
               {.heading = "last observed", .spare = 1}});
  for (const auto& one : list->projects) {
    table.add({one.slug, one.kind, std::to_string(one.implementations), std::to_string(one.runs),
               std::to_string(one.records),
               one.last_observed_at ? std::string(policy::date_text(*one.last_observed_at)) : "-"});
  }
  table.print(c.out, !c.quiet, c.width);
  return kOk;
}

}  // namespace ki::cli
