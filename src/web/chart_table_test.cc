// The table below a chart is what the chart draws: as many entries, the same values in the same
// order, standing where their size says.
#include <regex>

#include "web/chart_testing.h"

namespace ki::web::svg {
namespace {

using testing::Element;
using testing::elements_of;
using testing::rows_of;

constexpr ChartName kName{.title = "t", .id = "t"};

// Those of a name inside the drawing itself, not in the legend.
std::vector<Element> drawn(const std::vector<Element>& all, std::string_view name) {
  std::vector<Element> out;
  for (const Element& element : all) {
    const bool inside = std::ranges::any_of(element.inside, [&](std::size_t i) {
      return !all[i].attribute("aria-labelledby").empty();
    });
    if (inside && element.name == name) out.push_back(element);
  }
  return out;
}

double number_of(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

// Greater values stand farther on: `places` grow as `values` do.
void expect_placed(const std::vector<double>& places, const std::vector<double>& values) {
  ASSERT_EQ(places.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (values[i] >= values[j]) continue;
      EXPECT_LE(places[i], places[j]) << values[i] << " and " << values[j];
    }
  }
}

TEST(ChartTables, OfADotPlot) {
  const auto samples = testing::example_samples();
  const auto marks = testing::example_marks(samples);
  const auto all = elements_of(dot_plot({.marks = marks, .unit = "ns"}, kName).text());
  const auto rows = rows_of(all);
  ASSERT_EQ(rows.size(), marks.size());
  std::vector<double> places;
  std::vector<double> values;
  for (const Element& circle : drawn(all, "circle")) {
    places.push_back(number_of(circle.attribute("cx")));
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    EXPECT_EQ(rows[i][0], marks[i].label);
    EXPECT_EQ(rows[i][1], value_text(marks[i].value, "ns"));
    values.push_back(marks[i].value);
  }
  expect_placed(places, values);
  EXPECT_EQ(rows[0][2], "15.0 ms to 15.3 ms");
  EXPECT_EQ(rows[2][2], "spread unknown");
  EXPECT_EQ(std::ranges::count(rows[0][4], ',') + 1, std::ssize(samples)) << "each sample drawn";
}

TEST(ChartTables, OfSamples) {
  const auto values = testing::example_samples();
  const auto all = elements_of(
      samples_chart({.values = values, .unit = "ns", .metric = "latency"}, kName).text());
  std::vector<double> listed;
  for (const auto& row : rows_of(all, 0)) {
    for (std::size_t i = 1; i < row.size(); ++i) listed.push_back(number_of(row[i]));
  }
  ASSERT_EQ(listed.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(listed[i], values[i], 0.5);
  std::vector<double> heights;
  for (const Element& path : drawn(all, "path")) {
    if (path.attribute("class") != "chart-dots") continue;
    const std::string places = path.attribute("d");
    const std::regex dot(R"(M([0-9.]+) ([0-9.]+)h0)");
    for (std::sregex_iterator at(places.begin(), places.end(), dot), end; at != end; ++at) {
      heights.push_back(-number_of((*at)[2]));
    }
  }
  expect_placed(heights, listed);
  double counted = 0;
  std::size_t bars = 0;
  for (const auto& row : rows_of(all, 1)) {
    counted += number_of(row[2]);
    if (row[2] != "0") ++bars;
  }
  EXPECT_EQ(counted, static_cast<double>(values.size()));
  EXPECT_EQ(drawn(all, "rect").size(), bars);
}

TEST(ChartTables, OfManySamplesSayHowMuchEachDotIs) {
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(1e6 + (i * 7919) % 1000);
  const std::string html(
      samples_chart({.values = values, .unit = "ns", .metric = "latency"}, kName).text());
  EXPECT_NE(html.find("5000 samples: each dot is the median of up to 25 neighbours"),
            std::string::npos);
  std::size_t cells = 0;
  for (const auto& row : rows_of(elements_of(html), 0)) cells += row.size() - 1;
  EXPECT_EQ(cells, points_of(values, 200).size());
}

TEST(ChartTables, OfASweep) {
  const query::Sweep sweep = testing::example_sweep();
  const auto all = elements_of(scaling_chart(sweep, kName).text());
  const auto rows = rows_of(all);
  ASSERT_EQ(rows.size(), sweep.cases.size());
  std::vector<double> values;
  for (std::size_t line = 0; line < sweep.series.size(); ++line) {
    auto point = sweep.series[line].points.begin();
    for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
      const bool is_measured =
          point != sweep.series[line].points.end() && point->x == sweep.cases[i];
      EXPECT_EQ(rows[i][line + 1],
                is_measured ? value_text(point->value, sweep.unit) : "not measured");
      if (is_measured) values.push_back((point++)->value);
    }
  }
  std::vector<double> heights;
  for (const Element& mark : drawn(all, "use")) heights.push_back(-number_of(mark.attribute("y")));
  expect_placed(heights, values);
  EXPECT_EQ(rows_of(all, 1).size(), sweep.crossings.size());
}

TEST(ChartTables, ALineIsBrokenWhereNothingWasMeasured) {
  const auto all = elements_of(scaling_chart(testing::example_sweep(), kName).text());
  std::vector<std::ptrdiff_t> pieces;
  for (const Element& path : drawn(all, "path")) {
    if (path.attribute("class") == "chart-line") {
      pieces.push_back(std::ranges::count(path.attribute("d"), 'M'));
    }
  }
  EXPECT_EQ(pieces, (std::vector<std::ptrdiff_t>{2, 1, 1})) << "Liger has no value at 4096";
}

TEST(ChartTables, OfAWinnerMap) {
  const query::WinnerMap map = testing::example_map();
  const auto all = elements_of(winner_map(map, kName).text());
  std::vector<std::string> cells;
  for (const auto& row : rows_of(all)) cells.insert(cells.end(), row.begin() + 1, row.end());
  ASSERT_EQ(cells.size(), map.cells.size());
  EXPECT_EQ(cells[0], "B, 1.21×");
  EXPECT_EQ(cells[1], "B, 1.01×, tie");
  EXPECT_EQ(cells[7], "A, 1.30×, not enough evidence");
  EXPECT_EQ(cells[10], "C, only run");
  EXPECT_EQ(cells[12], "none ranked");
  EXPECT_EQ(cells[13], "not measured");
  const auto links = drawn(all, "a");
  EXPECT_EQ(std::ssize(links),
            std::ranges::count_if(cells, [](const auto& text) { return text != "not measured"; }));
  for (const Element& link : links) {
    EXPECT_TRUE(link.attribute("href").starts_with("/operations/liger-rope?cohort=sha256"));
  }
  EXPECT_EQ(std::ssize(drawn(all, "circle")), std::ranges::count(cells, "not measured"));
}

TEST(ChartTables, ALargeWinnerMapIsAnOverviewOfLetters) {
  query::WinnerMap map = testing::example_map();
  map.x.values.clear();
  map.y->values.clear();
  map.cells.clear();
  for (std::int64_t i = 0; i < 14; ++i) map.x.values.push_back(i);
  for (std::int64_t i = 0; i < 14; ++i) {
    map.y->values.push_back(i);
    for (std::int64_t j = 0; j < 14; ++j) {
      map.cells.push_back((i + j) % 5 == 0 ? testing::cell(j, i, "unmeasured")
                                           : testing::cell(j, i, "winner", i < j ? "a" : "b", 2));
    }
  }
  const auto all = elements_of(winner_map(map, kName).text());
  EXPECT_TRUE(drawn(all, "a").empty());
  std::string letters;
  for (const Element& text : drawn(all, "text")) {
    if (text.attribute("x").contains(' ')) letters += text.text;
  }
  std::string listed;
  for (const auto& row : rows_of(all)) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      listed += row[i] == "not measured" ? "·" : row[i].substr(0, 1);
    }
  }
  EXPECT_EQ(letters, listed);
}

TEST(ChartTables, OfARecord) {
  const query::Holder holder = testing::example_holder();
  const auto all = elements_of(record_staircase(holder, kName).text());
  const auto rows = rows_of(all);
  ASSERT_EQ(rows.size(), holder.history.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const query::RecordStep& step = holder.history[rows.size() - 1 - i];
    EXPECT_EQ(rows[i][1], step.implementation.name);
    EXPECT_EQ(rows[i][2], value_text(step.value.value, "ns"));
    values.push_back(step.value.value);
  }
  std::vector<double> heights;
  for (const Element& mark : drawn(all, "use")) heights.push_back(-number_of(mark.attribute("y")));
  expect_placed(heights, values);
}

TEST(ChartTables, OfAComparison) {
  const query::Comparison comparison = testing::example_comparison();
  const auto all = elements_of(distributions_chart(comparison, {}, kName).text());
  const auto rows = rows_of(all);
  ASSERT_EQ(rows.size(), comparison.runs.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], comparison.runs[i].implementation.name);
    EXPECT_EQ(rows[i][1], value_text(comparison.runs[i].primary->value, "ns"));
    values.push_back(comparison.runs[i].primary->value);
  }
  std::vector<double> places;
  for (const Element& mark : drawn(all, "use")) places.push_back(number_of(mark.attribute("x")));
  expect_placed(places, values);
  const auto ratios = elements_of(ratio_chart(comparison, kName).text());
  EXPECT_EQ(rows_of(ratios).size(), 2U);
  EXPECT_EQ(rows_of(ratios)[0][1], "1.596");
  EXPECT_EQ(rows_of(ratios)[1][2], "spread unknown");
}

TEST(ChartTables, RatiosAreForRunsThatMayBeCompared) {
  query::Comparison comparison = testing::example_comparison();
  comparison.comparable = false;
  EXPECT_TRUE(ratio_chart(comparison, kName).empty());
}

}  // namespace
}  // namespace ki::web::svg
