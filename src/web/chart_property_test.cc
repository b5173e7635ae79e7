// What every chart keeps, whatever it is made of: places are finite and inside the drawing, the
// chart is small, its markup whole, outside text harmless, and its table holds what is drawn.
#include <random>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "web/chart_testing.h"

namespace ki::web::svg {
namespace {

using testing::count_of;
using testing::Element;
using testing::elements_of;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ChartName kName{.title = "A \"chart\" <of> 'things'", .id = "c1"};

// Text of the outside that must not become markup, reorder text or fill the page.
const std::vector<std::string> kHostile = {"<script>alert(1)</script>",
                                           "\" onload=\"x",
                                           "'&amp;<!--",
                                           std::string(10'000, '"'),
                                           std::string(3000, '<'),
                                           "\xE2\x80\xAE"
                                           "evil",
                                           "\xFF\xFE broken",
                                           std::string("\0null", 5),
                                           "plain",
                                           ""};

double number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  EXPECT_TRUE(end != text.c_str() && (*end == '\0' || std::string_view(end) == "%")) << text;
  EXPECT_TRUE(std::isfinite(value)) << text;
  return value;
}

// A place across is a share of the width, one down pixels of the drawing's height.
void expect_inside(const Element& element, double height) {
  constexpr double kRounding = 0.011;
  for (const auto& [key, text] : element.attributes) {
    const bool across = key == "x" || key == "x1" || key == "x2" || key == "cx";
    const bool down = key == "y" || key == "y1" || key == "y2" || key == "cy";
    if (!across && !down && key != "width" && key != "height") continue;
    if (element.name == "text" && key == "x" && text.contains(' ')) {  // a place a letter
      for (const std::string_view one : split(text, ' ')) {
        EXPECT_LE(number_of(std::string(one)), 100 + kRounding);
      }
      continue;
    }
    const double value = number_of(text);
    if (element.name == "text" && key == "x" && text == "-8") continue;  // left of the area
    EXPECT_GE(value, 0) << element.name << " " << key;
    if (text.ends_with('%')) {
      EXPECT_LE(value, 100 + kRounding) << element.name << " " << key;
    }
    if (down || key == "height") {
      EXPECT_LE(value, height + kRounding) << element.name << " " << key;
    }
  }
  const auto end_of = [&](const char* from, const char* size) {
    return number_of(element.attribute(from)) + number_of(element.attribute(size));
  };
  if (element.name != "rect") return;
  EXPECT_LE(end_of("y", "height"), height + kRounding);
  if (element.attribute("x").ends_with('%')) {
    EXPECT_LE(end_of("x", "width"), 100 + kRounding);
  }
}

// Points of a path in a stretched view.
void expect_path_inside(const std::string& path, double height) {
  const std::regex point(R"(([ML])([-+0-9.e]+) ([-+0-9.e]+)|V([-+0-9.e]+)|H([-+0-9.e]+)|h0|v5|z)");
  std::string rest = std::regex_replace(path, point, "");
  EXPECT_EQ(rest, "") << "not of the steps that charts use";
  for (std::sregex_iterator at(path.begin(), path.end(), point), end; at != end; ++at) {
    if ((*at)[2].matched) {
      EXPECT_GE(number_of((*at)[2]), 0);
      EXPECT_LE(number_of((*at)[2]), kAcross);
      EXPECT_LE(number_of((*at)[3]), height + 0.011);
    }
    if ((*at)[5].matched) {
      EXPECT_LE(number_of((*at)[5]), kAcross);
    }
    if ((*at)[4].matched) {
      EXPECT_LE(number_of((*at)[4]), height + 0.011);
    }
  }
}

void expect_sound(const Html& chart) {
  const std::string html(chart.text());
  if (html.empty()) return;
  EXPECT_LE(html.size(), kChartBytesMax);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("\xE2\x80\xAE"), std::string::npos);
  const auto all = elements_of(html);
  ASSERT_FALSE(all.empty());
  std::set<std::string> ids;
  for (const Element& element : all) {
    for (const auto& [key, value] : element.attributes) {
      EXPECT_FALSE(key == "style" || key.starts_with("on")) << key;
    }
    const std::string id = element.attribute("id");
    if (!id.empty()) {
      EXPECT_TRUE(ids.insert(id).second) << id;
    }
  }
  for (const Element& element : all) {
    const std::string target = element.attribute("href");
    if (target.starts_with('#')) {
      EXPECT_TRUE(ids.contains(target.substr(1))) << target;
    }
    const bool is_in_drawing = std::ranges::any_of(element.inside, [&](std::size_t i) {
      return !all[i].attribute("role").empty() && all[i].name == "svg";
    });
    if (!is_in_drawing) continue;
    std::size_t drawing = 0;
    for (const std::size_t i : element.inside) {
      if (all[i].name == "svg" && !all[i].attribute("role").empty()) drawing = i;
    }
    const double height = number_of(all[drawing].attribute("height"));
    const bool is_defined =
        std::ranges::any_of(element.inside, [&](std::size_t i) { return all[i].name == "defs"; });
    if (is_defined || element.name == "pattern") continue;
    expect_inside(element, height);
    if (element.name == "path") expect_path_inside(element.attribute("d"), height);
  }
  const Element& drawing = all[2];
  EXPECT_EQ(drawing.name, "svg");
  EXPECT_TRUE(drawing.attribute("role") == "img" || drawing.attribute("role") == "group");
  EXPECT_EQ(drawing.attribute("aria-labelledby"), "c1-title c1-desc");
  EXPECT_TRUE(ids.contains("c1-title") && ids.contains("c1-desc"));
  EXPECT_EQ(count_of(all, "a", "") > 0 && drawing.attribute("role") == "img" &&
                std::ranges::any_of(all,
                                    [&](const Element& element) {
                                      return element.name == "a" && !element.inside.empty() &&
                                             std::ranges::find(element.inside, 2U) !=
                                                 element.inside.end();
                                    }),
            false)
      << "an image holds no links";
}

// Values and names of every kind that a chart may be given.
class Any {
 public:
  explicit Any(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t times) { return below(times) == 0; }
  std::string text() { return one_in(2) ? kHostile[below(kHostile.size())] : "name " + letter(); }
  std::string letter() { return std::string(1, static_cast<char>('a' + below(26))); }
  double value() {
    if (one_in(12)) return std::vector<double>{kNone, kInfinity, -kInfinity, 0, -3}[below(5)];
    const double powers = std::uniform_real_distribution<double>(-9, 12)(random_);
    return one_in(3) ? 15e6 : std::pow(10.0, powers);
  }
  std::vector<double> values(std::size_t count) {
    std::vector<double> out(count);
    const double base = std::abs(value());
    const bool wild = one_in(3);
    for (double& one : out) one = wild ? value() : base * (1 + 0.01 * double(below(100)));
    return out;
  }
  std::optional<query::Interval> interval(double about) {
    if (one_in(3)) return std::nullopt;
    if (one_in(8)) return query::Interval{.low = value(), .high = value()};
    return query::Interval{.low = about * 0.9, .high = about * 1.2};
  }
  query::Primary primary() {
    query::Primary out = testing::latency(value());
    out.spread = interval(out.value);
    out.statistic = text();
    if (one_in(6)) out.unit = text();
    return out;
  }
  query::Ref ref() { return {.name = text(), .slug = letter()}; }

 private:
  std::mt19937 random_;
};

constexpr unsigned kSeed = 41'130;
constexpr int kRounds = 150;

template <class Make>
void for_any(Make make) {
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    Any any(kSeed + static_cast<unsigned>(round));
    make(any);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Charts, ADotPlotIsSoundOfAnything) {
  for_any([](Any& any) {
    std::vector<std::vector<double>> samples(any.below(40));
    std::vector<Mark> marks;
    for (auto& one : samples) {
      if (any.one_in(3)) one = any.values(any.below(900));
      const double value = any.value();
      marks.push_back({.label = any.text(),
                       .value = value,
                       .interval = any.interval(value),
                       .leader = any.one_in(5),
                       .interval_name = "p20 to p80",
                       .samples = one});
    }
    const Html chart = dot_plot({.marks = marks, .unit = any.one_in(4) ? "bytes" : "ns"}, kName);
    expect_sound(chart);
    const Scale scale = Scale::of(marks);
    for (const Mark& mark : marks) elements_of(strip(scale, mark).text());
    const auto all = elements_of(chart.text());
    const auto drawn = std::ranges::count_if(all, [&](const Element& element) {
      return element.name == "circle" && std::ranges::any_of(element.inside, [&](std::size_t i) {
               return !all[i].attribute("role").empty();
             });
    });
    EXPECT_EQ(static_cast<std::size_t>(drawn), testing::rows_of(all).size());
  });
}

TEST(Charts, SamplesAreSoundOfAnything) {
  for_any([](Any& any) {
    const auto values = any.values(any.below(any.one_in(3) ? 20'000 : 600));
    SampleSet set{.values = values, .unit = "ns", .metric = "latency"};
    if (any.one_in(2)) set.median = any.value();
    if (any.one_in(2)) set.spread = any.interval(15e6);
    if (any.one_in(2)) set.trend = query::SampleTrend{.first = any.value(), .last = any.value()};
    if (any.one_in(2)) set.modes = query::SampleModes{.low = any.value(), .high = any.value()};
    expect_sound(samples_chart(set, kName));
  });
}

TEST(Charts, ASweepIsSoundOfAnything) {
  for_any([](Any& any) {
    query::Sweep sweep;
    sweep.axis = any.text();
    sweep.unit = any.one_in(4) ? any.text() : "ns";
    sweep.metric_label = any.text();
    sweep.environment_label = any.text();
    const std::size_t cases = 1 + any.below(any.one_in(4) ? 700 : 9);
    for (std::size_t i = 0; i < cases; ++i) {
      sweep.cases.push_back(any.one_in(20) ? any.value() : static_cast<double>(64 * (i + 1)));
    }
    std::ranges::sort(sweep.cases);
    for (std::size_t i = 0; i < any.below(14); ++i) {
      query::SweepSeries& line = sweep.series.emplace_back();
      line.implementation = any.ref();
      for (const double x : sweep.cases) {
        if (any.one_in(3)) continue;
        line.points.push_back({.x = x, .value = any.value(), .workload_id = "", .run_id = "r"});
      }
    }
    sweep.crossings = query::crossings_of(sweep.series, sweep.cases);
    expect_sound(scaling_chart(sweep, kName));
    for (const double x : sweep.cases) {
      sweep.work.push_back({.x = x, .bytes = any.value(), .flops = any.value()});
    }
    for (const char* unit : {"bytes_s", "flops_s"}) {
      expect_sound(rate_chart(sweep, {.unit = unit, .peak = any.value()}, kName));
    }
  });
}

TEST(Charts, AWinnerMapIsSoundOfAnything) {
  const std::vector<std::string> verdicts = {"winner",   "tie",  "not_enough_evidence",
                                             "only_run", "none", "unmeasured"};
  for_any([&](Any& any) {
    query::WinnerMap map;
    map.operation = {.name = any.text(), .slug = std::string(100, 's')};
    map.x.name = any.text();
    const std::size_t columns = any.below(any.one_in(3) ? 65 : 9);
    for (std::size_t i = 0; i < columns; ++i) map.x.values.push_back(1LL << (i % 60));
    std::size_t rows = 1;
    if (!any.one_in(4)) {
      rows = any.below(any.one_in(3) ? 65 : 9);
      map.y = query::WinnerAxis{.name = any.text(), .values = {}, .hardware = {}, .cut = 0};
      const bool by_hardware = any.one_in(3);
      if (by_hardware) map.y->name = query::kHardwareAxis;
      for (std::size_t i = 0; i < rows; ++i) {
        if (by_hardware) map.y->hardware.push_back(any.text());
        if (!by_hardware) map.y->values.push_back(static_cast<std::int64_t>(i));
      }
    }
    for (std::size_t i = 0; i < rows * columns; ++i) {
      query::WinnerCell cell;
      cell.verdict = verdicts[any.below(verdicts.size())];
      if (cell.verdict != "unmeasured") cell.cohort = "sha256:" + std::string(64, 'c');
      if (cell.verdict != "unmeasured" && cell.verdict != "none") cell.leader = any.ref();
      if (any.one_in(2)) cell.ratio = any.value();
      map.cells.push_back(std::move(cell));
    }
    expect_sound(winner_map(map, kName));
  });
}

TEST(Charts, AStaircaseIsSoundOfAnything) {
  for_any([](Any& any) {
    query::Holder holder;
    for (std::size_t i = 0; i < any.below(any.one_in(3) ? 300 : 8); ++i) {
      query::RecordStep& step = holder.history.emplace_back();
      step.at = any.one_in(4) ? any.text() : fmt::format("{:04}-01-01T00:00:00.000Z", 3000 - i);
      step.run_id = any.text();
      step.implementation = any.ref();
      step.value = any.primary();
      if (any.one_in(2)) step.improvement_pct = any.value();
      step.cause = any.one_in(3) ? any.text() : "new_run";
    }
    expect_sound(record_staircase(holder, kName));
    elements_of(record_steps(holder).text());
  });
}

TEST(Charts, AComparisonIsSoundOfAnything) {
  for_any([](Any& any) {
    query::Comparison comparison;
    comparison.comparable = !any.one_in(4);
    CompareSamples samples;
    std::vector<std::vector<double>> held(10);
    for (std::size_t i = 0; i < any.below(10); ++i) {
      query::CompareRun& run = comparison.runs.emplace_back();
      run.run_id = any.text();
      run.implementation = any.ref();
      if (!any.one_in(5)) run.primary = any.primary();
      if (!any.one_in(3)) run.ratio = any.value();
      run.ratio_interval = any.interval(1);
      if (any.one_in(2)) held[i] = any.values(any.below(1000));
      samples.emplace_back(held[i]);
    }
    expect_sound(distributions_chart(comparison, samples, kName));
    expect_sound(ratio_chart(comparison, kName));
  });
}

}  // namespace
}  // namespace ki::web::svg
