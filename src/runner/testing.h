// Evidence as a session would have kept it, for tests that measure nothing.
#pragma once

#include <cmath>
#include <string>

#include "kernels/manifest_text.h"
#include "kernels/registry.h"
#include "manifest/manifest.h"
#include "runner/cases.h"
#include "runner/environment.h"
#include "runner/evaluate.h"
#include "stats/random.h"

namespace ki::runner::testing_support {

// Two candidates, the second a tenth slower, as a session would have kept them.
inline Evidence make_evidence(double slower = 0.1, double disturbed_share = 0) {
  const kernels::Operation& operation = kernels::operations().front();
  Job job;
  job.operation = operation.slug;
  for (const auto& [axis, value] : operation.cases.front().axes) job.axes[axis] = value;
  job.dtype = kernels::name_of(operation.cases.front().dtype);
  const kernels::Bound bound = *bind_job(job);
  Evidence e;
  Session& s = e.session;
  const auto add = [&](const std::string& text) { return *add_manifest(e, text); };
  const Protocol& protocol = *find_protocol("paired-cold/1");
  s.id = "019a0000-0000-7000-8000-000000000000";
  s.version = "1";
  s.protocol = protocol.name;
  s.operation = job.operation;
  s.pass = "forward";
  s.dtype = job.dtype;
  s.axes = job.axes;
  s.seed = "0123456789abcdef";
  s.rules = stats::kCompareRules;
  s.effect_min = protocol.effect_min;
  s.tick_ns = 20;
  s.started_at = "2026-01-02T03:04:05.000Z";
  s.finished_at = "2026-01-02T03:05:05.000Z";
  s.machine = to_string(sha256("machine"));
  s.operation_digest = add(kernels::operation_manifest(operation));
  s.workload_digest = add(kernels::workload_manifest(bound, s.operation_digest, kDistribution));
  s.protocol_digest = add(manifest_of(protocol, s.pass));
  Facts facts;
  facts.vendor = "amd";
  facts.product = "P";
  facts.architecture = "x86_64";
  facts.kernel = "k";
  facts.compiler = "c";
  s.environment_digest = add(manifest_of(facts, 1, "1"));
  for (const char* provider : {"one", "two"}) {
    Measured m;
    m.provider = provider;
    m.status = "passed";
    m.binary = to_string(sha256(provider));
    m.outputs_checked = 9;
    ImplementationText text;
    text.provider = provider;
    text.language = "c";
    text.binary = m.binary;
    text.architecture = "x86_64";
    text.operation_digest = s.operation_digest;
    text.dtype = s.dtype;
    m.implementation = add(implementation_manifest(text));
    add(project_manifest(project_of(m)));
    s.candidates.push_back(m);
  }
  s.lineup = {0, 1, 0};
  stats::Random random(5);
  for (std::int64_t launch = 0; launch < 5; ++launch) {
    Launch one{.launch = launch, .samples = {}};
    for (std::int64_t round = 0; round < 50; ++round) {
      for (std::int64_t place = 0; place < 3; ++place) {
        const double ns = 1e6 * (1 + (place == 1 ? slower : 0)) * std::exp(0.01 * random.normal());
        one.samples.insert(one.samples.end(), {round, place, place, 100, std::llround(ns),
                                               random.uniform() < disturbed_share ? 1 : 0});
      }
    }
    e.launches.push_back(std::move(one));
  }
  e.runs = runs_of(s, e.launches);
  return e;
}

}  // namespace ki::runner::testing_support
