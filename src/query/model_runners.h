// Which runners signed something here, which of them are believed, and what they may measure by.
#pragma once

#include <string>
#include <vector>

#include "json/wire.h"

namespace ki::query {

struct RunnerDecision {
  static constexpr std::string_view kWireName = "RunnerDecision";
  std::string id;
  std::string action;
  std::string actor;
  std::string reason;
  std::string at;
  template <class V>
  static void describe(V& v) {
    v.field("id", &RunnerDecision::id, "");
    v.field("action", &RunnerDecision::action, "approve or revoke");
    v.field("actor", &RunnerDecision::actor, "who decided");
    v.field("reason", &RunnerDecision::reason, "");
    v.field("at", &RunnerDecision::at, "");
  }
};

struct RunnerItem {
  static constexpr std::string_view kWireName = "RunnerItem";
  std::string key_id;
  std::string state;
  std::vector<std::string> machines;
  std::int64_t runs = 0;
  std::vector<RunnerDecision> decisions;
  template <class V>
  static void describe(V& v) {
    v.field("keyId", &RunnerItem::key_id, "SHA-256 of its public key");
    v.field("state", &RunnerItem::state,
            "approved, revoked, or unknown: it signed something and nobody decided about it");
    v.field("machines", &RunnerItem::machines,
            "digests that tell machines apart; the first and the last of more than two");
    v.field("runs", &RunnerItem::runs, "that it signed");
    v.field("decisions", &RunnerItem::decisions, "oldest first; the newest counts");
  }
};

struct ProtocolItem {
  static constexpr std::string_view kWireName = "ProtocolItem";
  std::string name;
  std::string summary;
  template <class V>
  static void describe(V& v) {
    v.field("name", &ProtocolItem::name, "as runners sign it");
    v.field("summary", &ProtocolItem::summary, "");
  }
};

struct RunnersList {
  static constexpr std::string_view kWireName = "RunnersList";
  std::vector<RunnerItem> runners;
  std::vector<ProtocolItem> protocols;
  template <class V>
  static void describe(V& v) {
    v.field("runners", &RunnersList::runners, "by key");
    v.field("protocols", &RunnersList::protocols,
            "under which a run of an approved runner is verified");
  }
};

}  // namespace ki::query
