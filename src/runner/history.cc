#include "runner/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "manifest/manifest.h"
#include "runner/cases.h"
#include "runner/evaluate.h"
#include "stats/change_points.h"
#include "stats/compare.h"

namespace ki::runner {
namespace {

struct Key {
  std::string title, kernel, library, workload, protocol, environment, runner;
  auto operator<=>(const Key&) const = default;
};

struct Track {
  History history;
  double effect_min = 0;
};

// The median that a run claims; nullopt when it did not pass.
std::optional<double> median_of(const manifest::Manifest& run) {
  const json::Value* at = run.spec().find("status");
  if (at == nullptr || at->string() != "passed") return std::nullopt;
  at = &run.spec();
  for (const char* member : {"timing", "latencyNs", "median"}) {
    at = at->find(member);
    if (at == nullptr) return std::nullopt;
  }
  if (!at->is_number() || at->number() <= 0) return std::nullopt;
  return at->number();
}

const Measured* find_candidate(const Session& session, const manifest::Manifest& run) {
  const std::string_view implementation = run.spec().find("implementationDigest")->string();
  const auto found =
      std::ranges::find(session.candidates, implementation, &Measured::implementation);
  return found == session.candidates.end() ? nullptr : &*found;
}

Status add_session(const SignedEvidence& signed_by, std::map<Key, Track>& all) {
  const Session& s = signed_by.evidence.session;
  const std::string& runner = signed_by.statement.predicate.runner.key_id;
  const std::string title = title_of(s.operation, s.pass, s.dtype, s.axes);
  for (const std::string& text : signed_by.evidence.runs) {
    const auto run = manifest::decode_json(text);
    if (!run) return std::unexpected(to_error(run.error()));
    const auto median = median_of(*run);
    const Measured* m = find_candidate(s, *run);
    if (!median || m == nullptr) continue;
    const std::string kernel = name_of(m->provider, m->variant);
    Track& track = all[{title, kernel, m->library, s.workload_digest, s.protocol_digest,
                        s.environment_digest, runner}];
    History& h = track.history;
    h.title = title;
    h.kernel = kernel;
    h.protocol = s.protocol;
    h.threads = s.threads;
    h.runner = runner;
    h.operation = s.operation;
    track.effect_min = s.effect_min;
    HistoryPoint point;
    point.at = s.started_at;
    point.run = to_string(run->digest());
    point.binary = m->binary;
    point.median_ns = *median;
    h.points.push_back(std::move(point));
  }
  return {};
}

void mark_changes(Track& track) {
  auto& points = track.history.points;
  std::ranges::sort(points, {},
                    [](const HistoryPoint& point) { return std::tie(point.at, point.run); });
  std::vector<double> logs;
  for (const HistoryPoint& point : points) logs.push_back(std::log(point.median_ns));
  for (const auto& change : stats::change_points(logs, track.effect_min)) {
    points[change.first].change = std::expm1(change.change);
  }
}

}  // namespace

Result<std::vector<History>> histories(const std::vector<SignedEvidence>& sessions) {
  std::map<Key, Track> all;
  for (const SignedEvidence& one : sessions) {
    TRY(add_session(one, all));
  }
  std::vector<History> out;
  for (auto& [key, track] : all) {
    mark_changes(track);
    out.push_back(std::move(track.history));
  }
  return out;
}

std::optional<PastSession> past_session(const SignedEvidence& session, const NoiseOf& whose) {
  const Session& s = session.evidence.session;
  const bool is_same = session.statement.predicate.runner.key_id == whose.runner &&
                       s.machine == whose.machine && s.protocol == whose.protocol &&
                       s.threads == whose.threads;
  if (!is_same) return std::nullopt;
  PastSession past{.at = s.started_at,
                   .twin_medians = twin_medians_of(s, session.evidence.launches)};
  if (past.twin_medians.empty()) return std::nullopt;
  return past;
}

std::optional<double> floor_of_past(std::vector<PastSession> sessions) {
  std::ranges::sort(sessions, std::ranges::greater(), &PastSession::at);
  if (sessions.size() > kFloorSessionsMax) sessions.resize(kFloorSessionsMax);
  std::vector<std::vector<double>> medians;
  for (PastSession& one : sessions) medians.push_back(std::move(one.twin_medians));
  return stats::noise_floor(medians);
}

bool became_slower(const History& history) {
  for (auto point = history.points.rbegin(); point != history.points.rend(); ++point) {
    if (point->change) return *point->change > 0;
  }
  return false;
}

}  // namespace ki::runner
