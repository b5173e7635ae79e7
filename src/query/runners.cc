// Resolver::runners(): who signed, and who is believed.

#include "base/text.h"
#include "catalog/trust.h"
#include "policy/trust.h"
#include "query/resolver.h"
#include "query/resolver_impl.h"

namespace ki::query {
namespace {

std::string_view state_of(std::string_view action) {
  if (action.empty()) return "unknown";
  return action == catalog::kApprove ? "approved" : "revoked";
}

}  // namespace

Result<RunnersList> Resolver::runners() const {
  TRY(impl_->follow());
  db::Connection& connection = impl_->connection();
  const auto lines = TRY(catalog::list_runners(connection));
  const auto events = TRY(catalog::runner_events(connection));
  RunnersList out;
  auto event = events.begin();  // both are by key
  for (const catalog::RunnerLine& line : lines) {
    RunnerItem& item = out.runners.emplace_back();
    item.key_id = line.key_id;
    item.state = state_of(line.action);
    item.runs = line.runs;
    if (!line.machines.empty()) {
      for (const std::string_view one : split(line.machines, ',')) item.machines.emplace_back(one);
    }
    while (event != events.end() && event->key_id < line.key_id) ++event;
    for (; event != events.end() && event->key_id == line.key_id; ++event) {
      item.decisions.push_back({.id = event->id,
                                .action = event->action,
                                .actor = event->actor,
                                .reason = event->reason,
                                .at = event->at});
    }
  }
  for (const policy::ApprovedProtocol& one : policy::approved_protocols()) {
    out.protocols.push_back({.name = std::string(one.name), .summary = std::string(one.why)});
  }
  return out;
}

}  // namespace ki::query
