#include "runner/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "json/write.h"
#include "kernels/manifest_text.h"
#include "manifest/manifest.h"
#include "stats/random.h"

namespace ki::runner {
namespace {

std::uint64_t seed_of_session(const Session& session) {
  return std::strtoull(session.seed.c_str(), nullptr, 16);
}

double shortest_median(const std::vector<Series>& block_ns) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Series& place : block_ns) {
    for (const auto& launch : place) shortest = std::min(shortest, stats::median(launch));
  }
  return shortest;
}

bool is_same_binary(const Measured& a, const Measured& b) {
  return a.binary == b.binary && a.provider == b.provider && a.variant == b.variant;
}

// Where a candidate first stands in the lineup; its size when nowhere.
std::size_t place_of(const Session& session, std::size_t candidate) {
  const auto at = std::ranges::find(session.lineup, static_cast<std::int64_t>(candidate));
  return static_cast<std::size_t>(at - session.lineup.begin());
}

// The samples of all good launches, by place of the lineup.
struct Collected {
  std::vector<Series> call_ns;
  std::vector<Series> block_ns;
};

Collected collect(const Session& session, const std::vector<Launch>& launches,
                  const Protocol& protocol, Evaluation& out) {
  const std::size_t places = session.lineup.size();
  Collected all{std::vector<Series>(places), std::vector<Series>(places)};
  for (const Launch& launch : launches) {
    const Columns columns = columns_of(launch, places, protocol);
    if (!is_good(columns, protocol)) {
      ++out.void_launches;
      continue;
    }
    ++out.launches;
    out.rounds += columns.rounds;
    out.void_rounds += columns.void_rounds;
    out.disturbed += columns.disturbed;
    for (std::size_t place = 0; place < places; ++place) {
      all.call_ns[place].push_back(columns.call_ns[place]);
      all.block_ns[place].push_back(columns.block_ns[place]);
    }
  }
  return all;
}

// What an effect of a paired session has to exceed. The second baseline is last; where it comes
// apart from the first, the session is void.
stats::CompareOptions options_of(const Session& session, const Collected& all, Evaluation& out) {
  const auto twin = stats::log_ratios(all.call_ns.front(), all.call_ns.back());
  double own_floor = 0;
  for (const auto& launch : twin) {
    out.twin_medians.push_back(stats::median(launch));
    own_floor = std::max(own_floor, std::abs(out.twin_medians.back()));
  }
  stats::CompareOptions options;
  options.effect_min = session.effect_min;
  options.floor = session.floor;
  options.tick_share = static_cast<double>(session.tick_ns) / shortest_median(all.block_ns);
  options.bootstrap = {.resamples = 10'000, .confidence = 0.95, .seed = seed_of_session(session)};
  if (stats::comes_apart(stats::measure_effect(twin, options.bootstrap), options)) {
    out.void_reason = "the baseline under two names came apart: the machine was not steady enough";
  }
  if (!options.floor) options.floor = own_floor;
  out.floor = *options.floor;
  out.threshold = stats::threshold_of(options);
  return options;
}

// Judges the pairs of a paired session.
void compare(const Session& session, const Collected& all, Evaluation& out) {
  const stats::CompareOptions options = options_of(session, all, out);
  if (out.timings.size() < 2) return;
  out.leading = stats::find_leader(std::span(all.call_ns).first(all.call_ns.size() - 1), options);
  const auto& leader = session.candidates[out.timings[out.leading->leader].candidate];
  for (stats::Versus& versus : out.leading->others) {
    const auto& other = session.candidates[out.timings[versus.candidate].candidate];
    if (is_same_binary(leader, other)) versus.outcome = stats::Outcome::tie;
  }
}

std::int64_t whole_ns(double ns) { return std::max<std::int64_t>(1, std::llround(ns)); }

void write_timing(json::Writer& w, const Timing& timing, const Digest& samples) {
  const stats::Summary& s = timing.summary;
  w.key("timing").begin_object();
  w.key("primaryStatistic").string("median");
  w.key("samples").integer(static_cast<std::int64_t>(s.count));
  w.key("latencyNs").begin_object();
  w.key("median").integer(whole_ns(s.median));
  w.key("mean").integer(whole_ns(s.mean));
  w.key("p05").integer(whole_ns(s.p05));
  w.key("p95").integer(whole_ns(s.p95));
  w.key("minimum").integer(whole_ns(s.minimum));
  w.key("maximum").integer(whole_ns(s.maximum));
  w.key("mad").integer(std::llround(s.mad));
  w.key("confidence95").begin_array();
  w.integer(whole_ns(timing.median.interval.low)).integer(whole_ns(timing.median.interval.high));
  w.end_array();
  w.end_object();
  w.key("rawSamples").begin_object();
  w.key("uri").string("urn:" + to_string(samples));
  w.key("digest").string(to_string(samples));
  w.end_object();
  w.end_object();
  w.key("measurements").begin_array();
  for (const auto& [statistic, value] : {std::pair("p20", s.p20), std::pair("p80", s.p80)}) {
    w.begin_object();
    w.key("metric").string("latency").key("unit").string("ns");
    w.key("statistic").string(statistic).key("value").number(value);
    w.key("sampleCount").integer(static_cast<std::int64_t>(s.count));
    w.end_object();
  }
  w.end_array();
}

std::string status_of(const Measured& candidate, const Evaluation& evaluation, bool timed) {
  if (candidate.status != "passed") return candidate.status;
  return timed && evaluation.void_reason.empty() ? "passed" : "incomplete_evidence";
}

// The JSON member where two manifests first differ, with both values.
Error difference(std::string_view stated, std::string_view computed, std::string where) {
  const auto at = std::ranges::mismatch(stated, computed).in1 - stated.begin();
  const std::size_t from = std::string_view(stated).rfind('"', static_cast<std::size_t>(at));
  const std::size_t start = from == std::string_view::npos || from < 30 ? 0 : from - 30;
  return {.code = Code::denied,
          .message = fmt::format("the samples give ...{}..., it says ...{}...",
                                 excerpt(computed.substr(std::min(start, computed.size()))),
                                 excerpt(stated.substr(std::min(start, stated.size())))),
          .where = std::move(where)};
}

Status check_manifests(const Evidence& evidence) {
  std::map<std::string, std::string> known;  // digest -> kind
  for (const std::string& text : evidence.manifests) {
    const auto manifest = manifest::decode_json(text);
    if (!manifest) return std::unexpected(to_error(manifest.error()));
    known[to_string(manifest->digest())] = manifest::name_of(manifest->kind());
  }
  const Session& s = evidence.session;
  std::vector<std::pair<std::string, std::string>> needed = {
      {s.operation_digest, "OperationSpec"},
      {s.workload_digest, "WorkloadCase"},
      {s.protocol_digest, "BenchmarkProtocol"},
      {s.environment_digest, "ExecutionEnvironment"}};
  for (const Measured& candidate : s.candidates) {
    needed.emplace_back(candidate.implementation, "ImplementationRevision");
  }
  for (const auto& [digest, kind] : needed) {
    const auto found = known.find(digest);
    if (found == known.end() || found->second != kind) {
      return fail(Code::denied, fmt::format("there is no {} of this digest in it", kind), digest);
    }
  }
  const auto expected = manifest::decode_json(manifest_of(*find_protocol(s.protocol), s.pass));
  if (!expected || to_string(expected->digest()) != s.protocol_digest) {
    return fail(Code::denied, fmt::format("this is not {}, {} pass", s.protocol, s.pass),
                s.protocol_digest);
  }
  return {};
}

}  // namespace

Evaluation evaluate(const Session& session, const std::vector<Launch>& launches) {
  Evaluation out;
  const Protocol* protocol = find_protocol(session.protocol);
  const std::size_t needed = protocol != nullptr && protocol->order == Order::paired ? 2 : 1;
  if (protocol == nullptr || session.lineup.size() < needed) {
    out.void_reason = "nothing was measured";
    return out;
  }
  const bool paired = protocol->order == Order::paired;
  const std::size_t places = session.lineup.size();
  const Collected all = collect(session, launches, *protocol, out);
  if (out.launches == 0) {
    out.void_reason = "no launch was quiet and long enough";
    return out;
  }
  if (out.launches < static_cast<std::size_t>(protocol->launches_min)) {
    out.void_reason = fmt::format("{} of the {} launches that {} takes were good", out.launches,
                                  protocol->launches_min, protocol->name);
  }
  const std::size_t own = paired ? places - 1 : places;  // without the second baseline
  for (std::size_t place = 0; place < own; ++place) {
    out.timings.push_back(timing_of(static_cast<std::size_t>(session.lineup[place]),
                                    all.call_ns[place], static_cast<double>(session.tick_ns),
                                    seed_of_session(session)));
  }
  if (paired) compare(session, all, out);
  return out;
}

std::vector<double> twin_medians_of(const Session& session, const std::vector<Launch>& launches) {
  std::vector<double> medians;
  const Protocol* protocol = find_protocol(session.protocol);
  if (protocol == nullptr || protocol->order != Order::paired) return medians;
  if (session.lineup.size() < 2) return medians;
  Evaluation unused;
  const Collected all = collect(session, launches, *protocol, unused);
  if (unused.launches == 0) return medians;
  for (const auto& launch : stats::log_ratios(all.call_ns.front(), all.call_ns.back())) {
    medians.push_back(stats::median(launch));
  }
  return medians;
}

std::vector<std::vector<double>> samples_of(const Session& session,
                                            const std::vector<Launch>& launches,
                                            std::size_t candidate) {
  const Protocol* protocol = find_protocol(session.protocol);
  const std::size_t place = place_of(session, candidate);
  if (protocol == nullptr || place == session.lineup.size()) return {};
  Evaluation unused;
  return std::move(collect(session, launches, *protocol, unused).call_ns[place]);
}

std::vector<Change> changes_of(const Session& session, const std::vector<Launch>& launches,
                               const Evaluation& evaluation, const std::vector<Pair>& pairs) {
  std::vector<Change> changes;
  const Protocol* protocol = find_protocol(session.protocol);
  if (protocol == nullptr || protocol->order != Order::paired) return changes;
  if (!evaluation.void_reason.empty()) return changes;
  Evaluation unused;
  const Collected all = collect(session, launches, *protocol, unused);
  const stats::CompareOptions options = options_of(session, all, unused);
  std::vector<double> p_values;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::size_t base = place_of(session, pairs[i].base);
    const std::size_t now = place_of(session, pairs[i].now);
    if (base == session.lineup.size() || now == session.lineup.size()) continue;
    stats::BootstrapOptions own = options.bootstrap;
    own.seed = stats::seed_of(options.bootstrap.seed, 1000 + i);
    changes.emplace_back().pair = pairs[i];
    changes.back().effect =
        stats::measure_effect(stats::log_ratios(all.call_ns[base], all.call_ns[now]), own);
    p_values.push_back(changes.back().effect.pooled.p_value);
  }
  const std::vector<double> adjusted = stats::holm(p_values, p_values.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Change& change = changes[i];
    change.same_binary =
        is_same_binary(session.candidates[change.pair.base], session.candidates[change.pair.now]);
    change.outcome = change.same_binary ? stats::Outcome::tie
                                        : stats::decide(change.effect, adjusted[i], options);
  }
  return changes;
}

std::size_t good_launches(const Session& session, const std::vector<Launch>& launches) {
  const Protocol* protocol = find_protocol(session.protocol);
  if (protocol == nullptr) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(launches, [&](const Launch& launch) {
    return is_good(columns_of(launch, session.lineup.size(), *protocol), *protocol);
  }));
}

std::string run_of(const Session& session, std::size_t candidate, const Evaluation& evaluation,
                   const Digest& samples) {
  const Measured& measured = session.candidates[candidate];
  if (!was_run(measured)) return {};
  const auto timing = std::ranges::find(evaluation.timings, candidate, &Timing::candidate);
  const bool timed = timing != evaluation.timings.end();
  const std::string status = status_of(measured, evaluation, timed);
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("apiVersion").string(manifest::kApiVersion);
  w.key("kind").string("BenchmarkRun");
  w.key("metadata").begin_object();
  w.key("name").string("run-" + session.id.substr(0, 13) + '-' + std::to_string(candidate));
  w.end_object();
  w.key("spec").begin_object();
  w.key("implementationDigest").string(measured.implementation);
  w.key("workloadDigest").string(session.workload_digest);
  w.key("protocolDigest").string(session.protocol_digest);
  w.key("environmentDigest").string(session.environment_digest);
  w.key("status").string(status);
  if (measured.outputs_checked > 0) {
    w.key("correctness").begin_object();
    w.key("comparator").string(kernels::kComparator).end_object();
  }
  if (timed && status == "passed") write_timing(w, *timing, samples);
  if (timed) {
    w.key("evidence").begin_object().key("rawSamples").begin_object();
    w.key("uri").string("urn:" + to_string(samples)).key("digest").string(to_string(samples));
    w.end_object().end_object();
  }
  w.key("observedAt").string(session.started_at);
  w.end_object();
  w.end_object();
  return out;
}

std::vector<std::string> runs_of(const Session& session, const std::vector<Launch>& launches) {
  const Evaluation evaluation = evaluate(session, launches);
  const Digest samples = samples_digest(launches);
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < session.candidates.size(); ++i) {
    std::string run = run_of(session, i, evaluation, samples);
    if (!run.empty()) runs.push_back(std::move(run));
  }
  return runs;
}

std::optional<Floor> floor_of(const Session& session, const Measured& candidate,
                              const std::vector<Rate>& rates) {
  const Protocol* protocol = find_protocol(session.protocol);
  // What a worker's calls find in caches is not known, nor whether they run on this processor.
  if (protocol == nullptr || protocol->timed_by == TimedBy::worker) return std::nullopt;
  return floor_of({.cache = protocol->cache,
                   .dtype = session.dtype,
                   .threads = session.threads,
                   .bytes = candidate.cost_bytes,
                   .operations = candidate.cost_flops},
                  rates);
}

Status check_claims(const Evidence& evidence) {
  const Session& session = evidence.session;
  if (find_protocol(session.protocol) == nullptr) {
    return fail(Code::denied, "this program knows no protocol of that name", session.protocol);
  }
  if (session.rules != stats::kCompareRules) {
    return fail(Code::denied, "this program knows no such rules", session.rules);
  }
  if (session.effect_min != find_protocol(session.protocol)->effect_min) {
    return fail(Code::denied, "the protocol has another minimum effect", "/session/effectMin");
  }
  TRY(check_manifests(evidence));
  const std::vector<std::string> computed = runs_of(session, evidence.launches);
  if (computed.size() != evidence.runs.size()) {
    return fail(Code::denied, fmt::format("the samples give {} runs, it has {}", computed.size(),
                                          evidence.runs.size()));
  }
  for (std::size_t i = 0; i < computed.size(); ++i) {
    // Both through one reader and writer, so that spelling is no difference.
    const auto mine = manifest::decode_json(computed[i]);
    const auto theirs = manifest::decode_json(evidence.runs[i]);
    if (!mine) return std::unexpected(to_error(mine.error()));
    if (!theirs) return std::unexpected(to_error(theirs.error()));
    if (mine->digest() == theirs->digest()) continue;
    return std::unexpected(difference(theirs->canonical_body(), mine->canonical_body(),
                                      "run " + to_string(theirs->digest())));
  }
  return {};
}

}  // namespace ki::runner
