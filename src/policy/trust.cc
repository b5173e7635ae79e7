#include "policy/trust.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/result.h"

namespace ki::policy {
namespace {

constexpr ApprovedProtocol kProtocols[] = {
    {"paired-cold/1", "candidates in rounds on a quiet machine, caches emptied before each block"},
    {"paired-hot/1", "candidates in rounds on a quiet machine, data just written"},
    {"do-bench/1", "what published harnesses do, one candidate after the other"},
    {"paired-cold-busy/1", "as paired-cold/1 on a shared machine: disturbed rounds stay, counted"},
    {"paired-hot-busy/1", "as paired-hot/1 on a shared machine: disturbed rounds stay, counted"},
};

bool believed(const Signature& one) {
  return one.key_approved && is_approved_protocol(one.protocol);
}

bool independent(const Signature& a, const Signature& b) {
  return a.run != b.run && a.key != b.key && a.machine != b.machine;
}

bool agree(const Signature& a, const Signature& b) {
  return a.figure && b.figure && compare_figures(*a.figure, *b.figure).verdict == Agreement::agrees;
}

const std::optional<Interval>& known(const Figure& figure) {
  return figure.confidence ? figure.confidence : figure.spread;
}

// Of some width, around the value, and with a logarithm.
bool usable(const Figure& figure) {
  const auto& interval = known(figure);
  return interval && interval->low > 0 && interval->low < interval->high &&
         interval->low <= figure.value && figure.value <= interval->high;
}

}  // namespace

std::span<const ApprovedProtocol> approved_protocols() { return kProtocols; }

bool is_approved_protocol(std::string_view name) {
  return std::ranges::find(kProtocols, name, &ApprovedProtocol::name) != std::end(kProtocols);
}

std::string_view name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::agrees:
      return "agrees";
    case Agreement::differs:
      return "differs";
    case Agreement::unclear:
      return "unclear";
  }
  KI_UNREACHABLE();
}

Compared compare_figures(const Figure& claimed, const Figure& measured) {
  Compared out;
  if (!(claimed.value > 0) || !(measured.value > 0)) return out;
  out.ratio = measured.value / claimed.value;
  if (!usable(claimed) || !usable(measured)) return out;
  const Interval& a = *known(claimed);
  const Interval& b = *known(measured);
  const double middle = std::log(out.ratio);
  const double low =
      middle - std::hypot(std::log(measured.value / b.low), std::log(a.high / claimed.value));
  const double high =
      middle + std::hypot(std::log(b.high / measured.value), std::log(claimed.value / a.low));
  out.bounds = Interval{.low = std::exp(low), .high = std::exp(high)};
  const double band = std::log1p(kAgreementMax);
  if (low > band || high < -band) {
    out.verdict = Agreement::differs;
  } else if (std::abs(middle) <= band && (low >= -band || high <= band)) {
    out.verdict = Agreement::agrees;
  }
  return out;
}

std::vector<Vouched> vouch(std::span<const Signature> signatures) {
  std::vector<const Signature*> all;
  for (const Signature& one : signatures) {
    if (believed(one)) all.push_back(&one);
  }
  std::ranges::sort(all, {}, [](const Signature* one) {
    return std::tuple(one->implementation, one->run, one->statement);
  });
  std::vector<Vouched> out;
  for (std::size_t begin = 0; begin < all.size();) {  // the signatures of an implementation
    std::size_t end = begin;
    while (end < all.size() && all[end]->implementation == all[begin]->implementation) ++end;
    const std::span<const Signature* const> peers(all.data() + begin, end - begin);
    for (const Signature* one : peers) {
      const bool same_run = !out.empty() && out.back().run == one->run;
      if (same_run && !out.back().agreeing.empty()) continue;
      const auto other = std::ranges::find_if(peers, [&](const Signature* peer) {
        return independent(*one, *peer) && agree(*one, *peer);
      });
      const std::string_view agreeing = other == peers.end() ? std::string_view{} : (*other)->run;
      const Vouched vouched{one->run, one->statement, one->key, agreeing};
      if (!same_run) {
        out.push_back(vouched);
      } else if (!agreeing.empty()) {
        out.back() = vouched;
      }
    }
    begin = end;
  }
  std::ranges::sort(out, {}, &Vouched::run);
  return out;
}

std::vector<std::string> trust_reasons(const TrustFacts& facts) {
  if (facts.signatures.empty()) return {"NOT_SIGNED"};
  const auto good = [](const SignatureState& one) {
    return one.key_approved && one.protocol_approved;
  };
  if (std::ranges::any_of(facts.signatures, good)) {
    if (!facts.stands) return {"SIGNED_BY_APPROVED_RUNNER", "NOT_STANDING"};
    return {"SIGNED_BY_APPROVED_RUNNER",
            facts.agrees ? "AGREES_INDEPENDENTLY" : "NO_INDEPENDENT_RUN"};
  }
  std::vector<std::string> codes;
  const auto add = [&](const char* code) {
    if (std::ranges::find(codes, code) == codes.end()) codes.emplace_back(code);
  };
  for (const SignatureState& one : facts.signatures) {
    if (!one.key_approved) add(one.key_known ? "RUNNER_REVOKED" : "RUNNER_NOT_APPROVED");
    if (!one.protocol_approved) add("PROTOCOL_NOT_APPROVED");
  }
  return codes;
}

std::string trust_text(std::string_view code) {
  if (code == "NOT_SIGNED") return "no runner signed it";
  if (code == "NOT_STANDING")
    return "it does not stand: it failed, or was taken out of the rankings";
  if (code == "SIGNED_BY_APPROVED_RUNNER") {
    return "an approved runner measured and signed it under an approved protocol";
  }
  if (code == "AGREES_INDEPENDENTLY") {
    return "an independent approved runner, of another key and machine, measured the same";
  }
  if (code == "NO_INDEPENDENT_RUN") return "no independent approved runner has measured the same";
  if (code == "RUNNER_NOT_APPROVED") return "the runner that signed it was never approved here";
  if (code == "RUNNER_REVOKED") return "the approval of the runner that signed it was revoked";
  if (code == "PROTOCOL_NOT_APPROVED") return "its protocol is none of those approved";
  return std::string(code);
}

}  // namespace ki::policy
