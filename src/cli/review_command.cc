// ki review list: the runs that wait for somebody to look at them.

#include <ostream>

#include "catalog/catalog.h"
#include "catalog/update.h"
#include "cli/commands_trust.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace ki::cli {
namespace {

constexpr std::int64_t kHeldListed = 1000;

struct HeldItem {
  std::string run_id, run_digest, operation, implementation, held_at, reason;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &HeldItem::run_id, "");
    v.field("runDigest", &HeldItem::run_digest, "");
    v.field("operation", &HeldItem::operation, "slug");
    v.field("implementation", &HeldItem::implementation, "slug");
    v.field("heldAt", &HeldItem::held_at, "");
    v.field("reason", &HeldItem::reason, "bytes, operations, ceiling, floor and ratio");
  }
};

struct HeldList {
  std::vector<HeldItem> runs;
  template <class V>
  static void describe(V& v) {
    v.field("runs", &HeldList::runs, "oldest first, at most 1,000");
  }
};

}  // namespace

int review_list(const Context& c) {
  auto catalog = catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::read_only});
  if (!catalog) return report(c, catalog.error());
  const auto held = catalog::held_runs(catalog->connection(), kHeldListed);
  if (!held) return report(c, held.error());
  HeldList list;
  for (const catalog::HeldRun& run : *held) {
    list.runs.push_back({.run_id = run.run_id,
                         .run_digest = run.run_digest,
                         .operation = run.operation_slug,
                         .implementation = run.implementation_slug,
                         .held_at = run.hold.at,
                         .reason = run.hold.reason});
  }
  if (c.output == Output::json) {
    print_json(c, list);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, list.runs);
  } else if (list.runs.empty()) {
    c.out << "No run is held for review.\n";
  } else {
    Table table({{"run"},
                 {.heading = "implementation", .narrowest = kNarrowest},
                 {"held", Align::left, 0, 1},
                 {.heading = "why", .narrowest = kNarrowest}});
    for (const HeldItem& one : list.runs) {
      table.add({one.run_id, one.implementation, one.held_at, one.reason});
    }
    table.print(c.out, !c.quiet, c.width);
    if (!c.quiet) {
      c.out << "\nki review release RUN --reason '...' lets one stand, ki review reject RUN "
               "retracts it.\n";
    }
  }
  return kOk;
}

}  // namespace ki::cli
