#include "query/winners.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "policy/ranking.h"
#include "query/mismatch.h"
#include "query/ranked.h"
#include "query/resolver_impl.h"
#include "query/select.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

constexpr std::size_t kSeriesMax = 256;  // as many as can be told apart in one answer
constexpr std::string_view kUnmeasured = "unmeasured";
const std::string kSeed = "seed";  // chooses numbers, not a size

// Every name of an axis that a case of the operation binds, in the order they are stored.
std::vector<std::string> names_of_axes(const OperationSnapshot& snapshot) {
  std::vector<std::string> out;
  for (const WorkloadInfo& workload : snapshot.workloads) {
    for (const auto& [name, value] : workload.axes) {
      if (std::ranges::find(out, name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

// Whether a case stands on the map at all: it is held where the request holds axes.
bool is_held(const Facets& facets, const WorkloadInfo& workload) {
  return !workload.suite && std::ranges::all_of(facets.axes, [&](const AxisFacet& axis) {
    return axis.size.holds(workload.axis(axis.name));
  });
}

std::vector<std::size_t> fitting_cohorts(const OperationSnapshot& snapshot, const Facets& facets) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    if (cohort_satisfies(facets, snapshot, snapshot.cohorts[i])) out.push_back(i);
  }
  return out;
}

// A point as cells are ordered: the row first. One of the two names the row.
struct Point {
  std::size_t row = 0;
  std::int64_t x = 0;
  auto operator<=>(const Point&) const = default;
};

class Map {
 public:
  Map(const RowSource& rows, const Facets& facets)
      : rows_(rows),
        snapshot_(rows.snapshot),
        facets_(facets),
        fitting_(fitting_cohorts(rows.snapshot, facets)) {}

  Status lay_out(const WinnersOptions& options) {
    out_.operation = snapshot_.ref;
    out_.policy_version = std::string(policy::kRankingV2);
    out_.known_axes = axes_by_variety(snapshot_, facets_);
    TRY(choose_axes(options));
    if (out_.x.name.empty()) {
      out_.notes.emplace_back("No measured case of this operation binds an axis");
      out_.off_axes = std::ssize(fitting_);
      return {};
    }
    collect_values();
    place();
    fill();
    find_flips();
    note_choices();
    return {};
  }

  WinnerMap take() { return std::move(out_); }

 private:
  bool by_hardware() const { return out_.y && out_.y->name == kHardwareAxis; }

  Status choose_axes(const WinnersOptions& options) {
    if (options.x == kHardwareAxis) {
      return invalid("x is an axis of the operation; y may be hardware");
    }
    const bool open = options.x.empty() && options.y.empty();
    if (!options.x.empty()) out_.x.name = TRY(axis_named(snapshot_, options.x));
    if (options.y == kHardwareAxis) {
      out_.y.emplace().name = kHardwareAxis;
    } else if (!options.y.empty()) {
      std::string name = TRY(axis_named(snapshot_, options.y));
      out_.y.emplace().name = std::move(name);
    }
    for (const std::string& name : out_.known_axes) {
      if (!out_.x.name.empty()) break;
      if (!out_.y || out_.y->name != name) out_.x.name = name;
    }
    if (out_.y && out_.y->name == out_.x.name) return invalid("x and y are two different axes");
    if (open) add_second_axis();
    return {};
  }

  // Where nothing is asked for: the next axis that varies at all, besides x.
  void add_second_axis() {
    for (const std::string& name : out_.known_axes) {
      if (name == out_.x.name || name == kSeed || values_of(name).size() < 2) continue;
      out_.y.emplace().name = name;
      return;
    }
  }

  // All cases under the conditions count, also those that nobody measured.
  std::set<std::int64_t> values_of(std::string_view axis) const {
    std::set<std::int64_t> out;
    for (const WorkloadInfo& workload : snapshot_.workloads) {
      if (!is_held(facets_, workload)) continue;
      if (const auto value = workload.axis(axis)) out.insert(*value);
    }
    return out;
  }

  void collect_values() {
    const auto bounded = [this](WinnerAxis& axis) {
      const auto all = values_of(axis.name);
      const std::size_t shown = std::min(all.size(), kWinnerValuesMax);
      axis.values.assign(all.begin(), std::next(all.begin(), static_cast<std::ptrdiff_t>(shown)));
      axis.cut = std::ssize(all) - std::ssize(axis.values);
      if (axis.cut == 0) return;
      out_.notes.push_back(axis.name + ": the " + std::to_string(shown) + " smallest of " +
                           std::to_string(all.size()) + " values are shown; the next with axes " +
                           axis.name + "=" + std::to_string(axis.values.back() + 1) + "..");
    };
    bounded(out_.x);
    if (out_.y && !by_hardware()) bounded(*out_.y);
    if (by_hardware()) collect_hardware();
  }

  void collect_hardware() {
    std::map<std::string, std::int64_t> groups;
    for (const auto at : fitting_) {
      const CohortInfo& cohort = snapshot_.cohorts[at];
      if (snapshot_.workloads[cohort.workload].axis(out_.x.name))
        ++groups[std::string(cohort.setting->hardware_model)];
    }
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const auto& [name, count] : groups) order.emplace_back(-count, name);
    std::ranges::sort(order);
    for (const auto& [count, name] : order) {
      if (out_.y->hardware.size() < kWinnerValuesMax) out_.y->hardware.push_back(name);
    }
    out_.y->cut = std::ssize(order) - std::ssize(out_.y->hardware);
    if (out_.y->cut > 0) {
      out_.notes.push_back("hardware: the " + std::to_string(kWinnerValuesMax) +
                           " most measured of " + std::to_string(order.size()) + " are shown");
    }
  }

  std::size_t rows() const {
    if (!out_.y) return 1;
    return by_hardware() ? out_.y->hardware.size() : out_.y->values.size();
  }

  // The point a group stands at; nullopt where it has none of this map.
  std::optional<Point> point_of(const CohortInfo& cohort, bool& off) const {
    const WorkloadInfo& workload = snapshot_.workloads[cohort.workload];
    const auto x = workload.axis(out_.x.name);
    off = !x || workload.suite;
    if (off) return std::nullopt;
    const bool shown = std::ranges::binary_search(out_.x.values, *x);
    if (!out_.y) return shown ? std::optional(Point{.row = 0, .x = *x}) : std::nullopt;
    const auto found = [&](const auto& all, const auto& value) -> std::optional<Point> {
      const auto at = std::ranges::find(all, value);
      if (at == all.end() || !shown) return std::nullopt;
      return Point{.row = static_cast<std::size_t>(at - all.begin()), .x = *x};
    };
    if (by_hardware()) return found(out_.y->hardware, cohort.setting->hardware_model);
    const auto y = workload.axis(out_.y->name);
    off = !y;
    return y ? found(out_.y->values, *y) : std::nullopt;
  }

  void place() {
    for (const auto at : fitting_) {
      bool off = false;
      if (const auto point = point_of(snapshot_.cohorts[at], off)) at_[*point].push_back(at);
      if (off) ++out_.off_axes;
    }
  }

  void fill() {
    for (std::size_t row = 0; row < rows(); ++row) {
      for (const std::int64_t x : out_.x.values) {
        WinnerCell cell;
        cell.x = x;
        if (by_hardware()) {
          cell.hardware = out_.y->hardware[row];
        } else if (out_.y) {
          cell.y = out_.y->values[row];
        }
        const auto found = at_.find(Point{.row = row, .x = x});
        const auto chosen =
            found == at_.end() ? std::nullopt : preferred(facets_, rows_, found->second);
        cell.verdict = kUnmeasured;
        if (chosen) add_group(cell, *chosen, std::ssize(found->second) - 1);
        count(cell.verdict);
        out_.cells.push_back(std::move(cell));
      }
    }
  }

  void add_group(WinnerCell& cell, std::size_t at, std::int64_t others) {
    const CohortInfo& cohort = snapshot_.cohorts[at];
    cell.hardware = cohort.setting->hardware_model;
    Verdict verdict = rows_.verdict(cohort);
    cell.verdict = std::move(verdict.code);
    cell.text = std::move(verdict.text);
    cell.cohort = std::string(cohort.comparison_key);
    cell.series = series_of(at);
    cell.other_cohorts = others;
    const auto figures = best_of_each(rows_, cohort);
    if (figures.empty()) return;
    const RankedFigure& first = figures.front();
    cell.leader = snapshot_.implementations[first.implementation].ref;
    cell.value = rows_.of(first.run)->primary;
    cell.run_id = first.run_id;
    std::vector<Ref> tied;
    for (std::size_t i = 1; i < figures.size() && figures[i].rank == first.rank; ++i) {
      tied.push_back(snapshot_.implementations[figures[i].implementation].ref);
    }
    if (!tied.empty()) cell.tied = std::move(tied);
    if (figures.size() < 2) return;
    cell.second = snapshot_.implementations[figures[1].implementation].ref;
    cell.second_value = figures[1].value;
    if (cell.value) cell.ratio = times_better(*cell.value, figures[1].value);
  }

  // All that two groups must share for their cells to differ in nothing but their place.
  std::string series_key(const CohortInfo& cohort) const {
    const WorkloadInfo& workload = snapshot_.workloads[cohort.workload];
    std::string key = fmt::format("{}|{}|{}|{}|{}|{}", cohort.setting->protocol_key,
                                  cohort.setting->environment_key, cohort.metric, cohort.unit,
                                  cohort.statistic, join(workload.dtypes, "/"));
    for (const auto& [name, value] : other_axes(workload)) {
      key += '|' + name + '=' + std::to_string(value);
    }
    return key;
  }

  std::map<std::string, std::int64_t> other_axes(const WorkloadInfo& workload) const {
    std::map<std::string, std::int64_t> out(workload.axes.begin(), workload.axes.end());
    out.erase(out_.x.name);
    if (out_.y) out.erase(out_.y->name);
    out.erase(kSeed);
    return out;
  }

  std::int64_t series_of(std::size_t at) {
    const CohortInfo& cohort = snapshot_.cohorts[at];
    const auto [known, is_new] = series_at_.try_emplace(series_key(cohort), std::ssize(series_at_));
    if (is_new && out_.series.size() < kSeriesMax) {
      const WorkloadInfo& workload = snapshot_.workloads[cohort.workload];
      const auto text = [](std::string_view stored) { return std::string(stored); };
      out_.series.push_back(
          {.hardware = text(cohort.setting->hardware_model),
           .protocol = text(cohort.setting->protocol_text),
           .environment = text(cohort.setting->environment_text),
           .dtypes = workload.dtypes,
           .pass = cohort.setting->pass
                       ? std::optional(text(policy::name_of(*cohort.setting->pass)))
                       : std::nullopt,
           .metric = text(cohort.metric),
           .unit = text(cohort.unit),
           .statistic = text(cohort.statistic),
           .axes = other_axes(workload),
           .protocol_key = text(cohort.setting->protocol_key),
           .environment_key = text(cohort.setting->environment_key)});
    }
    if (known->second < std::ssize(out_.series)) {
      ++out_.series[static_cast<std::size_t>(known->second)].cells;
    }
    return known->second;
  }

  void count(std::string_view verdict) {
    WinnerCounts& counts = out_.counts;
    ++counts.cells;
    const auto one = [&](policy::VerdictKind kind) { return verdict == policy::name_of(kind); };
    if (one(policy::VerdictKind::winner)) ++counts.winner;
    if (one(policy::VerdictKind::tie)) ++counts.tie;
    if (one(policy::VerdictKind::not_enough_evidence)) ++counts.not_enough_evidence;
    if (one(policy::VerdictKind::only_run)) ++counts.only_run;
    if (one(policy::VerdictKind::none)) ++counts.none;
    if (verdict == kUnmeasured) ++counts.unmeasured;
  }

  const WinnerCell& cell_at(std::size_t row, std::size_t column) const {
    return out_.cells[row * out_.x.values.size() + column];
  }

  void find_flips() {
    const std::size_t columns = out_.x.values.size();
    for (std::size_t row = 0; row < rows(); ++row) {
      walk(columns, out_.x.name,
           [&](std::size_t i) -> const WinnerCell& { return cell_at(row, i); });
    }
    if (!out_.y || by_hardware()) return;  // products have no order, so no neighbours
    for (std::size_t column = 0; column < columns; ++column) {
      walk(rows(), out_.y->name,
           [&](std::size_t i) -> const WinnerCell& { return cell_at(i, column); });
    }
  }

  void walk(std::size_t length, const std::string& axis, auto at) {
    const WinnerCell* before = nullptr;
    std::int64_t between = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const WinnerCell& cell = at(i);
      if (cell.verdict == kUnmeasured) {
        ++between;
        continue;
      }
      if (before != nullptr) compare(*before, cell, axis, between);
      before = &cell;
      between = 0;
    }
  }

  static bool leads_too(const WinnerCell& cell, const Ref& who) {
    const auto is = [&](const Ref& other) { return other.slug == who.slug; };
    return is(*cell.leader) || (cell.tied && std::ranges::any_of(*cell.tied, is));
  }

  // No flip where one of the leaders shares the first rank on the other side as well.
  void compare(const WinnerCell& from, const WinnerCell& to, const std::string& axis,
               std::int64_t between) {
    if (!from.leader || !to.leader) return;
    if (leads_too(from, *to.leader) || leads_too(to, *from.leader)) return;
    const bool along_x = axis == out_.x.name;
    WinnerFlip flip{.along = axis,
                    .from = along_x ? from.x : *from.y,
                    .to = along_x ? to.x : *to.y,
                    .at = along_x ? from.y : std::optional(from.x),
                    .at_hardware = {},
                    .from_leader = *from.leader,
                    .to_leader = *to.leader,
                    .unmeasured_between = between,
                    .comparable = from.series == to.series,
                    .claimed = from.verdict == "winner" && to.verdict == "winner",
                    .text = {}};
    if (by_hardware()) flip.at_hardware = from.hardware;
    flip.text = text_of(flip);
    out_.flips.push_back(std::move(flip));
  }

  static std::string text_of(const WinnerFlip& flip) {
    std::string text = flip.from_leader.name + " leads at " + flip.along + " = " +
                       std::to_string(flip.from) + ", " + flip.to_leader.name + " at " +
                       std::to_string(flip.to);
    if (flip.unmeasured_between > 0) {
      text += "; " + std::to_string(flip.unmeasured_between) + " points between are not measured";
    }
    if (!flip.comparable) {
      text += "; not comparable, the two were measured under different conditions";
    } else if (!flip.claimed) {
      text += "; not a claim, the evidence of one side is a tie or not enough";
    }
    return text;
  }

  void note_choices() {
    if (std::string note = ambiguity_note(facets_); !note.empty()) {
      out_.notes.push_back(std::move(note));
    }
    if (out_.counts.unmeasured == out_.counts.cells) {
      out_.notes.emplace_back("Nothing measured satisfies the conditions");
    }
    const bool several = std::ranges::any_of(
        out_.cells, [](const WinnerCell& cell) { return cell.other_cohorts.value_or(0) > 0; });
    if (several) {
      out_.notes.emplace_back(
          "Some points have several groups that fit; hold more axes, or name hardware, dtype, pass "
          "or metric, to decide which is ranked");
    }
    if (std::ssize(series_at_) > std::ssize(out_.series)) {
      out_.notes.push_back("Only the first " + std::to_string(kSeriesMax) + " of " +
                           std::to_string(series_at_.size()) + " series are listed");
    }
  }

  const RowSource& rows_;
  const OperationSnapshot& snapshot_;
  const Facets& facets_;
  std::vector<std::size_t> fitting_;
  std::map<Point, std::vector<std::size_t>> at_;
  std::map<std::string, std::int64_t> series_at_;
  WinnerMap out_;
};

}  // namespace

Result<std::string> axis_named(const OperationSnapshot& snapshot, std::string_view name) {
  const auto known = names_of_axes(snapshot);
  const auto exact = std::ranges::find(known, name);
  if (exact != known.end()) return *exact;
  for (const std::string& one : known) {
    if (equals_ignoring_case(one, name)) return one;
  }
  std::string message = "no measured case has an axis '" + excerpt(name) + "'";
  message += known.empty() ? "; this operation has none" : "; there are: " + join(known, ", ");
  return invalid(std::move(message));
}

std::vector<std::string> axes_by_variety(const OperationSnapshot& snapshot, const Facets& facets) {
  struct Variety {
    std::set<std::int64_t> measured;
    std::set<std::int64_t> known;
  };
  std::map<std::string, Variety> varieties;
  for (const WorkloadInfo& workload : snapshot.workloads) {
    if (!is_held(facets, workload)) continue;
    for (const auto& [name, value] : workload.axes) varieties[name].known.insert(value);
  }
  for (const auto at : fitting_cohorts(snapshot, facets)) {
    const WorkloadInfo& workload = snapshot.workloads[snapshot.cohorts[at].workload];
    for (const auto& [name, value] : workload.axes) varieties[name].measured.insert(value);
  }
  std::vector<std::string> out = names_of_axes(snapshot);
  std::ranges::stable_sort(out, {}, [&](const std::string& name) {
    const Variety& variety = varieties[name];
    return std::tuple(name == kSeed, -std::ssize(variety.measured), -std::ssize(variety.known));
  });
  return out;
}

Result<std::vector<AxisFacet>> read_axes(std::string_view text, const OperationSnapshot& snapshot) {
  std::vector<AxisFacet> out;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view one = trim(part);
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const auto size =
        equals == std::string_view::npos ? std::nullopt : read_range(trim(one.substr(equals + 1)));
    if (!size || size->least > size->most) {
      return invalid("'" + excerpt(one) +
                     "' is no axis with a size, such as batch=4 or seq=1k..8k");
    }
    std::string name = TRY(axis_named(snapshot, trim(one.substr(0, equals))));
    if (std::ranges::find(out, name, &AxisFacet::name) != out.end()) {
      return invalid("axis '" + excerpt(name) + "' is given twice");
    }
    out.push_back({.name = std::move(name), .size = *size});
  }
  return out;
}

Result<WinnerMap> winners_of(const RowSource& rows, const Facets& facets,
                             const WinnersOptions& options) {
  Map map(rows, facets);
  TRY(map.lay_out(options));
  return map.take();
}

}  // namespace ki::query
