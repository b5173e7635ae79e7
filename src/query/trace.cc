#include "query/trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/given.h"
#include "base/text.h"
#include "policy/metrics.h"
#include "policy/ranking.h"
#include "query/chooser.h"
#include "query/mismatch.h"
#include "query/nearest.h"
#include "query/parse.h"
#include "query/ranked.h"
#include "query/resolver_impl.h"
#include "query/select.h"
#include "query/winners.h"

namespace ki::query {
namespace {

constexpr std::size_t kNameBytesMax = 200;
constexpr std::size_t kLackingListed = 20;
constexpr double kWeightMax = 1e15;  // beyond it ones are lost in a sum of 10,000 lines

// What makes two lines ask for the same.
struct Key {
  std::map<std::string, double> axes;
  std::string hardware;
  std::string dtype;
  std::string pass;
  auto operator<=>(const Key&) const = default;
};

struct Natural {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};
using Values = std::set<std::string, Natural>;

// A shape with what was chosen for it.
struct Answered {
  TraceShape shape;
  std::optional<std::size_t> cohort;  // of an exact answer
};

// What two groups share when their values may be added up: everything but the case, and of the
// environment all but its driver, which is the part that says least about a figure.
std::vector<std::pair<std::string_view, std::string>> setting_of(const CohortInfo& cohort) {
  const auto number = [](const auto& value) {
    return value ? std::to_string(*value) : std::string("not stated");
  };
  const auto text = [](std::string_view value) {
    return std::string(value.empty() ? "not stated" : value);
  };
  return {{"hardware", std::string(cohort.setting->hardware_model)},
          {"devices", number(cohort.setting->device_count)},
          {"protocol", fmt::format("{} ({})", cohort.setting->protocol_text,
                                   cohort.setting->protocol_key.substr(0, 19))},
          {"CUDA", text(cohort.setting->toolkit_version)},
          {"framework", text(cohort.setting->framework_version)},
          {"compiler", text(cohort.setting->compiler)},
          {"pass", text(cohort.setting->pass ? policy::name_of(*cohort.setting->pass) : "")},
          {"metric", fmt::format("{} {}", cohort.statistic, cohort.metric)}};
}

class Tracer {
 public:
  Tracer(const RowSource& rows, const TraceRequest& request, const TraceOptions& options)
      : rows_(rows), snapshot_(rows.snapshot), request_(request), options_(options) {}

  TraceAnswer answer() {
    out_.operation = snapshot_.ref;
    out_.policy_version = std::string(policy::kRankingV2);
    for (std::size_t i = 0; i < request_.lines.size(); ++i) {
      const TraceLine& line = request_.lines[i];
      add(line, line.line.value_or(static_cast<std::int64_t>(i) + 1));
    }
    note_what_is_open();
    count();
    judge();
    add_up();
    for (Answered& one : shapes_) {
      if (std::ssize(out_.shapes) < options_.limit) out_.shapes.push_back(std::move(one.shape));
    }
    return std::move(out_);
  }

 private:
  void refuse(std::int64_t line, std::string reason) {
    ++out_.refused_total;
    if (out_.refused.size() >= kTraceRefusedListed) return;
    out_.refused.push_back({.line = line, .reason = std::move(reason)});
  }

  // A line asks for a shape that is known already, for a new one, or is set aside.
  void add(const TraceLine& line, std::int64_t number) {
    const double weight = line.weight.value_or(1);
    if (!(weight > 0 && weight <= kWeightMax)) {
      return refuse(number, "a weight is a number over 0 and at most 1e15");
    }
    Key key{.axes = line.axes,
            .hardware = line.hardware.value_or(request_.hardware.value_or("")),
            .dtype = line.dtype.value_or(request_.dtype.value_or("")),
            .pass = line.pass.value_or(request_.pass.value_or(""))};
    const auto [known, is_new] = at_.try_emplace(std::move(key), Place{});
    if (is_new) open(known->first, known->second, number);
    if (!known->second.refused.empty()) return refuse(number, known->second.refused);
    TraceShape& shape = shapes_[known->second.shape].shape;
    ++shape.lines;
    shape.weight += weight;
    ++out_.lines;
    out_.weight += weight;
  }

  struct Place {
    std::size_t shape = 0;
    std::string refused{};  // why no line of this key can be used
  };

  void open(const Key& key, Place& place, std::int64_t number) {
    const auto request = read(key);
    if (!request) {
      place.refused = request.error();
      return;
    }
    add_note(ambiguity_note(request->facets));
    place.shape = shapes_.size();
    Answered& one = shapes_.emplace_back();
    one.shape.line = number;
    one.shape.hardware = given(key.hardware);
    one.shape.dtype = given(key.dtype);
    one.shape.pass = given(key.pass);
    for (const AxisFacet& axis : request->facets.axes) {
      one.shape.axes[axis.name] = axis.size.least;
    }
    choose(one, *request);
  }

  // Once for all lines of which it is true.
  void add_note(const std::string& note) {
    constexpr std::size_t kNotesMax = 20;
    if (note.empty() || out_.notes.size() == kNotesMax) return;
    if (std::ranges::find(out_.notes, note) == out_.notes.end()) out_.notes.push_back(note);
  }

  // The request that a line makes, or why it makes none.
  std::expected<Request, std::string> read(const Key& key) const {
    if (key.axes.empty()) return std::unexpected("no axis is given");
    KernelRequest out;
    out.operation = RequestOperation{.pass = given(key.pass), .metric = request_.metric};
    out.environment =
        RequestEnvironment{.hardware_product = given(key.hardware), .dtype = given(key.dtype)};
    auto& axes = out.operation->axes.emplace();
    for (const auto& [name, size] : key.axes) {
      const auto known = axis_named(snapshot_, name);
      if (!known) return std::unexpected(known.error().message);
      if (!axes.emplace(*known, size).second) {
        return std::unexpected("axis '" + *known + "' is given twice");
      }
    }
    if (const Issues faults = faults_of(out); !faults.empty()) {
      return std::unexpected(to_error(faults).message);
    }
    Request read = read_request(out);
    if (!read.issues.empty()) return std::unexpected(read.issues.front().message);
    return read;
  }

  void choose(Answered& one, const Request& request) {
    const Selection selection = select(request.facets, rows_, {});
    if (!selection.satisfied || !selection.cohort) {
      const auto near = nearest_cases(request, rows_);
      one.shape.exactness = near && !near->cases.empty() ? "nearest" : "unmeasured";
      if (near && !near->cases.empty()) {
        one.shape.nearest =
            near->cases.front().label + " (" + near->cases.front().distance_text + ")";
      }
      return;
    }
    const auto of_workload = [&](std::size_t cohort) {
      return snapshot_.cohorts[cohort].workload == selection.workload;
    };
    const bool decided = std::ranges::all_of(selection.fitting, of_workload);
    one.shape.exactness = decided ? "exact" : "open";
    if (!decided) see_what_is_open(selection);
    const CohortInfo& cohort = snapshot_.cohorts[*selection.cohort];
    one.shape.verdict = rows_.verdict(cohort).code;
    one.shape.cohort = std::string(cohort.comparison_key);
    one.shape.measured_on = std::string(cohort.setting->hardware_model);
    one.shape.other_cohorts = std::ssize(selection.fitting) - 1;
    if (decided) one.cohort = selection.cohort;
    const auto& figures = figures_of(*selection.cohort);
    if (figures.empty()) return;
    one.shape.leader = snapshot_.implementations[figures.front().implementation].ref;
    one.shape.value = rows_.of(figures.front().run)->primary;
    one.shape.run_id = figures.front().run_id;
  }

  // In what the cases differ that a shape is about.
  void see_what_is_open(const Selection& selection) {
    std::map<std::string, Values> values;
    std::set<std::uint32_t> seen;
    for (const std::size_t cohort : selection.fitting) {
      const std::uint32_t at = snapshot_.cohorts[cohort].workload;
      if (!seen.insert(at).second) continue;
      const WorkloadInfo& workload = snapshot_.workloads[at];
      for (const auto& [name, value] : workload.axes) values[name].insert(std::to_string(value));
      values["dtype"].insert(join(workload.match_dtypes, "/"));
      values["what is measured"].insert(workload.suite ? "suites" : "single cases");
    }
    for (auto& [name, found] : values) {
      if (found.size() > 1) left_open_[name].merge(found);
    }
  }

  // What to add to the lines, so that each is about one case.
  void note_what_is_open() {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> parts;
    for (const auto& [name, values] : left_open_) {
      std::vector<std::string> shown;
      for (const std::string& value : values) {
        if (shown.size() < kShown) shown.push_back(value);
      }
      if (values.size() > kShown) shown.emplace_back("...");
      parts.push_back(name + " (" + join(shown, ", ") + ")");
    }
    if (parts.empty()) return;
    out_.notes.push_back("open: several measured cases fit such a line, which differ in " +
                         join(parts, ", ") + "; give each a column");
  }

  const std::vector<RankedFigure>& figures_of(std::size_t cohort) {
    const auto [known, is_new] = figures_.try_emplace(cohort);
    if (is_new) known->second = best_of_each(rows_, snapshot_.cohorts[cohort]);
    return known->second;
  }

  bool has_figure(std::size_t cohort, std::size_t implementation) {
    const auto& figures = figures_of(cohort);
    return std::ranges::find(figures, implementation, &RankedFigure::implementation) !=
           figures.end();
  }

  void count() {
    const std::map<std::string_view, TraceShare*> shares{{"exact", &out_.coverage.exact},
                                                         {"open", &out_.coverage.open},
                                                         {"nearest", &out_.coverage.nearest},
                                                         {"unmeasured", &out_.coverage.unmeasured}};
    for (const Answered& one : shapes_) {
      TraceShare& share = *shares.at(one.shape.exactness);
      ++share.shapes;
      share.lines += one.shape.lines;
      share.weight += one.shape.weight;
    }
    out_.shapes_total = std::ssize(shapes_);
    if (out_.weight <= 0) return;
    for (const auto& [name, share] : shares) share->share = share->weight / out_.weight;
  }

  void object(std::string code, std::string text) {
    out_.incomparable_because.push_back({.code = std::move(code), .text = std::move(text)});
  }

  // Whether values of all shapes may be added up, and if not, what stands against it.
  void judge() {
    const auto exact =
        std::ranges::count_if(shapes_, [](const Answered& one) { return one.cohort.has_value(); });
    const auto all = std::ssize(shapes_);
    if (all == 0) return object("NO_SHAPES", "no line could be used");
    if (exact < all) {
      object("NOT_EXACT", std::to_string(all - exact) + " of " + std::to_string(all) +
                              " shapes have no exact answer");
    }
    judge_settings();
    for (const Answered& one : shapes_) {
      if (!one.shape.value || !one.cohort) continue;
      if (!policy::per_nanosecond(one.shape.value->unit)) {
        object("NO_DURATION", "a sum of " + one.shape.value->metric + " in " +
                                  one.shape.value->unit + " means nothing");
        break;
      }
      out_.unit = one.shape.value->unit;
    }
    out_.comparable = out_.incomparable_because.empty();
    if (!out_.comparable) out_.unit.reset();
  }

  void judge_settings() {
    std::map<std::string_view, std::map<std::string, std::int64_t>> values;
    std::vector<std::string_view> order;
    for (const Answered& one : shapes_) {
      if (!one.cohort) continue;
      for (auto& [name, value] : setting_of(snapshot_.cohorts[*one.cohort])) {
        if (!values.contains(name)) order.push_back(name);
        ++values[name][value];
      }
    }
    for (const std::string_view name : order) {
      if (values[name].size() < 2) continue;
      std::vector<std::string> parts;
      constexpr std::size_t kListed = 4;
      for (const auto& [value, shapes] : values[name]) {
        if (parts.size() < kListed) {
          parts.push_back(value + " (" + std::to_string(shapes) + " shapes)");
        }
      }
      if (values[name].size() > kListed) {
        parts.push_back(std::to_string(values[name].size() - kListed) + " more");
      }
      object("OTHER_SETTING",
             "the shapes differ in " + std::string(name) + ": " + join(parts, ", "));
    }
  }

  void add_up() {
    struct Sum {
      TraceTotal total;
      double value = 0;
    };
    std::map<std::size_t, Sum> sums;
    double best = 0;
    for (const Answered& one : shapes_) {
      if (!one.cohort) continue;
      if (one.shape.value) best += one.shape.weight * one.shape.value->value;
      for (const RankedFigure& figure : figures_of(*one.cohort)) {
        Sum& sum = sums[figure.implementation];
        ++sum.total.shapes;
        sum.total.weight += one.shape.weight;
        sum.value += one.shape.weight * figure.value;
      }
    }
    for (auto& [implementation, sum] : sums) {
      sum.total.implementation = snapshot_.implementations[implementation].ref;
      sum.total.lacking = std::ssize(shapes_) - sum.total.shapes;
      if (out_.comparable && sum.total.lacking == 0) sum.total.total = sum.value;
      if (sum.total.lacking > 0) sum.total.lacking_lines = lacking_lines(implementation);
      out_.implementations.push_back(std::move(sum.total));
    }
    finish_totals();
    const bool all = std::ranges::all_of(
        shapes_, [](const Answered& one) { return one.shape.value.has_value(); });
    if (out_.comparable && all) out_.best_of_each_shape = best;
  }

  std::vector<std::int64_t> lacking_lines(std::size_t implementation) {
    std::vector<std::int64_t> out;
    for (const Answered& one : shapes_) {
      if (out.size() == kLackingListed) break;
      if (!one.cohort || !has_figure(*one.cohort, implementation)) out.push_back(one.shape.line);
    }
    return out;
  }

  void finish_totals() {
    auto& all = out_.implementations;
    std::ranges::sort(all, {}, [](const TraceTotal& one) {
      return std::tuple(!one.total, one.total.value_or(0), -one.weight,
                        std::string_view(one.implementation.slug));
    });
    if (!all.empty() && all.front().total) {
      const double least = *all.front().total;
      for (TraceTotal& one : all) {
        if (one.total && least > 0) one.ratio = *one.total / least;
      }
    }
    out_.implementations_total = std::ssize(all);
    if (all.size() > kTraceImplementationsMax) all.resize(kTraceImplementationsMax);
  }

  const RowSource& rows_;
  const OperationSnapshot& snapshot_;
  const TraceRequest& request_;
  const TraceOptions& options_;
  std::vector<Answered> shapes_;
  std::map<Key, Place> at_;
  std::map<std::string, Values> left_open_;  // values, by what is open
  std::map<std::size_t, std::vector<RankedFigure>> figures_;
  TraceAnswer out_;
};

}  // namespace

Issues faults_of(const TraceRequest& request) {
  Issues out;
  const auto add = [&](std::string_view pointer, std::string code, std::string message) {
    out.push_back({.code = std::move(code),
                   .message = std::move(message),
                   .pointer = std::string(pointer),
                   .file = {},
                   .place = {}});
  };
  const auto text = [&](std::string_view pointer, std::string_view value) {
    if (value.size() > kNameBytesMax) {
      add(pointer, "too_long", "at most " + std::to_string(kNameBytesMax) + " bytes");
    } else if (!is_utf8(value)) {
      add(pointer, "utf8", "not valid UTF-8");
    }
  };
  text("/operation", request.operation);
  text("/hardware", request.hardware.value_or(""));
  text("/dtype", request.dtype.value_or(""));
  text("/pass", request.pass.value_or(""));
  text("/metric", request.metric.value_or(""));
  if (request.lines.empty() || request.lines.size() > kTraceLinesMax) {
    add("/lines", "out_of_range",
        "1 to " + std::to_string(kTraceLinesMax) + " lines, got " +
            std::to_string(request.lines.size()));
  }
  return out;
}

TraceAnswer trace_of(const RowSource& rows, const TraceRequest& request,
                     const TraceOptions& options) {
  return Tracer(rows, request, options).answer();
}

}  // namespace ki::query
