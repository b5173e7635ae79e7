#include "evidence/plausibility.h"

#include <algorithm>

#include <fmt/format.h>

#include "manifest/manifest.h"
#include "policy/names.h"
#include "runner/cases.h"
#include "runner/ceilings.h"
#include "runner/evaluate.h"

namespace ki::evidence {
namespace {

std::string time_text(double ns) { return policy::measured_text(ns, "ns"); }

// What a call costs by our own count, where the suite has the case.
void raise_costs(const runner::Session& session, runner::Measured& candidate) {
  const auto bound = runner::bind_job({.operation = session.operation,
                                       .pass = session.pass,
                                       .dtype = session.dtype,
                                       .axes = session.axes,
                                       .scalars = session.scalars,
                                       .protocol = {},
                                       .candidates = {},
                                       .seed = {}});
  if (!bound) return;
  candidate.cost_bytes = std::max(candidate.cost_bytes, bound->bytes());
  candidate.cost_flops = std::max(candidate.cost_flops, bound->flops());
}

std::string reason_of(const runner::Floor& floor, double median_ns) {
  std::string text = fmt::format(
      "faster than its machine can be: {} a call, and at the best rates ", time_text(median_ns));
  text += fmt::format("measured in its session the floor is {}, {:.2f} times as long",
                      time_text(floor.best_ns), floor.best_ns / median_ns);
  const auto part = [&](double amount, const char* what, const std::optional<runner::Rate>& rate) {
    if (!rate || amount <= 0) return;
    text += fmt::format("; {:.0f} {} at {:.4g} a second at best ({}, threads: {}, median {:.4g})",
                        amount, what, rate->best, rate->name, rate->threads, rate->median);
    text += " take " + time_text(amount / rate->best * 1e9);
  };
  part(floor.bytes, "bytes", floor.bandwidth);
  part(floor.operations, "operations", floor.arithmetic);
  return text;
}

// The digest of the run of an implementation, if it passed.
std::optional<Digest> run_of(const runner::Evidence& evidence, const std::string& implementation) {
  for (const std::string& text : evidence.runs) {
    const auto run = manifest::decode_json(text);
    if (!run) continue;
    const json::Value* const by = run->spec().find("implementationDigest");
    const json::Value* const status = run->spec().find("status");
    const bool passed = status != nullptr && status->is_string() && status->string() == "passed";
    if (passed && by != nullptr && by->is_string() && by->string() == implementation) {
      return run->digest();
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<publish::HoldEntry> implausible(const runner::Evidence& evidence) {
  std::vector<publish::HoldEntry> out;
  if (!evidence.ceilings) return out;
  const auto rates = runner::rates_of(*evidence.ceilings);
  const runner::Evaluation judged = runner::evaluate(evidence.session, evidence.launches);
  for (const runner::Timing& timing : judged.timings) {
    runner::Measured candidate = evidence.session.candidates[timing.candidate];
    raise_costs(evidence.session, candidate);
    const auto floor = runner::floor_of(evidence.session, candidate, rates);
    const double median_ns = timing.summary.median;
    if (!floor || !(median_ns > 0) || median_ns >= floor->best_ns) continue;
    const auto run = run_of(evidence, candidate.implementation);
    if (run) out.push_back({.run = *run, .reason = reason_of(*floor, median_ns)});
  }
  return out;
}

}  // namespace ki::evidence
