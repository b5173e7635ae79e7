// ki runner approve, revoke, list: which runners this catalog believes.

#include <ostream>

#include "catalog/trust.h"
#include "cli/commands_trust.h"
#include "cli/evidence_keys.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "publish/trust.h"
#include "query/listings.h"

namespace ki::cli {
namespace {

struct Decided {
  std::string action;
  std::string key_id;
  std::string event_id;
  std::int64_t groups = 0;
  template <class V>
  static void describe(V& v) {
    v.field("action", &Decided::action, "");
    v.field("keyId", &Decided::key_id, "");
    v.field("eventId", &Decided::event_id, "");
    v.field("groups", &Decided::groups, "comparison groups whose levels were worked out anew");
  }
};

// The id of the key that is meant.
Result<std::string> key_of(const RunnerOptions& options) {
  if (options.runner.empty()) {
    const std::string path = TRY(runner_key_path(options.key));
    const auto own = signing::SigningKey::load(path);
    if (own) return to_string(own->id());
    Error error = own.error();
    if (error.code == Code::not_found) {
      error.message = "this runner has no key yet; ki runner init makes one, or name another";
    }
    return std::unexpected(std::move(error));
  }
  if (parse_digest(options.runner)) return options.runner;
  const auto id = signing::key_id(options.runner);
  if (id) return to_string(*id);
  return fail(Code::invalid,
              "a runner is named by the id of its key (sha256:...) or by its public key (64 hex "
              "digits); ki runner key shows both",
              "runner");
}

int decide(const Context& c, const RunnerOptions& options, std::string_view action) {
  const auto key = key_of(options);
  if (!key) return report(c, key.error(), {"runner"});
  auto catalog = catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::read_write});
  if (!catalog) return report(c, catalog.error());
  const publish::Justification why{.actor = options.actor, .reason = options.reason};
  const bool approves = action == catalog::kApprove;
  const auto done = approves ? publish::approve_runner(*catalog, *key, why, clock())
                             : publish::revoke_runner(*catalog, *key, why, clock());
  if (!done) {
    return report_options(c, done.error(),
                          {{"keyId", "runner"}, {"reason", "--reason"}, {"actor", "--actor"}});
  }
  const std::string did = std::string(approves ? "approved" : "revoked") + " runner " + *key;
  keep(c, did);
  if (c.output != Output::table) {
    print_json(c, Decided{.action = std::string(action),
                          .key_id = *key,
                          .event_id = done->event_id,
                          .groups = done->cohorts});
  } else {
    c.out << did << "; levels follow in " << query::counted(done->cohorts, "comparison group")
          << '\n';
  }
  return kOk;
}

}  // namespace

int runner_approve(const Context& c, const RunnerOptions& options) {
  return decide(c, options, catalog::kApprove);
}

int runner_revoke(const Context& c, const RunnerOptions& options) {
  return decide(c, options, catalog::kRevoke);
}

int runner_list(const Context& c) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto list = resolver->runners();
  if (!list) return report(c, list.error());
  if (c.output == Output::json) {
    print_json(c, *list);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, list->runners);
    return kOk;
  }
  Table table({{"key"},
               {"state"},
               {.heading = "runs", .align = Align::right},
               {"since"},
               {"by"},
               {.heading = "reason", .narrowest = kNarrowest}});
  for (const query::RunnerItem& one : list->runners) {
    const query::RunnerDecision now =
        one.decisions.empty() ? query::RunnerDecision() : one.decisions.back();
    const auto shown = [](const std::string& text) { return text.empty() ? "-" : text; };
    table.add({one.key_id, one.state, std::to_string(one.runs), shown(now.at), shown(now.actor),
               shown(now.reason)});
  }
  if (table.empty()) {
    c.out << "No runner has signed anything here, and none was decided about.\n";
  } else {
    table.print(c.out, !c.quiet, c.width);
  }
  if (!c.quiet) {
    c.out << "\nApproved protocols\n";
    for (const query::ProtocolItem& one : list->protocols) {
      c.out << "  " << one.name << ": " << one.summary << '\n';
    }
  }
  return kOk;
}

}  // namespace ki::cli
