// Who signed a run, and why it has its level of evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/model_run_standing.h"

namespace ki::query {

struct RunSignatureItem {
  static constexpr std::string_view kWireName = "RunSignatureItem";
  std::string key_id;
  std::string machine;
  std::string protocol;
  std::string statement;
  std::string runner;
  bool protocol_approved = false;
  template <class V>
  static void describe(V& v) {
    v.field("keyId", &RunSignatureItem::key_id, "SHA-256 of the public key that signed");
    v.field("machine", &RunSignatureItem::machine, "digest that tells machines apart");
    v.field("protocol", &RunSignatureItem::protocol, "as signed");
    v.field("statement", &RunSignatureItem::statement, "digest of the signed bytes");
    v.field("runner", &RunSignatureItem::runner, "approved, revoked or unknown: as it stands now");
    v.field("protocolApproved", &RunSignatureItem::protocol_approved, "");
  }
};

struct RunTrust {
  static constexpr std::string_view kWireName = "RunTrust";
  std::vector<Reason> reasons;
  std::vector<RunSignatureItem> signatures;
  std::optional<std::string> agreeing_run_id;
  template <class V>
  static void describe(V& v) {
    v.field("reasons", &RunTrust::reasons, "why the level is not higher, or is as high as it is");
    v.field("signatures", &RunTrust::signatures, "");
    v.field("agreeingRunId", &RunTrust::agreeing_run_id,
            "a run of an independent approved runner that agrees");
  }
};

}  // namespace ki::query
