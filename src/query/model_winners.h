// Who leads where: one operation over one or two of its axes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_winners_parts.h"

namespace ki::query {

inline constexpr std::size_t kWinnerValuesMax = 64;  // of each axis of a map
inline constexpr std::string_view kHardwareAxis = "hardware";

// What a winner map is asked for; "" leaves it open.
struct WinnersOptions {
  std::string x{};     // axis; "" = the one that varies most
  std::string y{};     // axis or "hardware"; "" = none where x is given, else the next that varies
  std::string axes{};  // what other axes are held at: "batch=4,seq=1k..8k"
  std::string hardware{};
  std::string dtype{};
  std::string pass{};
  std::string metric{};
};

// One point of the map.
struct WinnerCell {
  static constexpr std::string_view kWireName = "WinnerCell";
  std::int64_t x = 0;
  std::optional<std::int64_t> y;
  std::optional<std::string> hardware;
  std::string verdict;
  std::optional<std::string> text;
  std::optional<Ref> leader;
  std::optional<std::vector<Ref>> tied;
  std::optional<Primary> value;
  std::optional<std::string> run_id;
  std::optional<Ref> second;
  std::optional<double> second_value;
  std::optional<double> ratio;
  std::optional<std::string> cohort;
  std::optional<std::int64_t> series;
  std::optional<std::int64_t> other_cohorts;
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("x", &WinnerCell::x, "value of the first axis");
    v.field("y", &WinnerCell::y, "value of the second axis", kOptional);
    v.field("hardware", &WinnerCell::hardware, "of the cohort; of the row where y is hardware",
            kOptional);
    v.field("verdict", &WinnerCell::verdict,
            "winner, tie, not_enough_evidence, only_run or none, as of every ranking; unmeasured");
    v.field("text", &WinnerCell::text, "the verdict in one sentence", kOptional);
    v.field("leader", &WinnerCell::leader, "at rank 1; a verdict other than winner claims nothing",
            kOptional);
    v.field("tied", &WinnerCell::tied, "other implementations that share rank 1", kOptional);
    v.field("value", &WinnerCell::value, "the leader's", kOptional);
    v.field("runId", &WinnerCell::run_id, "the leader's", kOptional);
    v.field("second", &WinnerCell::second, "the best other implementation", kOptional);
    v.field("secondValue", &WinnerCell::second_value, "", kOptional);
    v.field("ratio", &WinnerCell::ratio, "how many times better the leader's value is", kOptional);
    v.field("cohort", &WinnerCell::cohort, "the comparison key of the group that is ranked here",
            kOptional);
    v.field("series", &WinnerCell::series, "position in series", kOptional);
    v.field("otherCohorts", &WinnerCell::other_cohorts,
            "further groups that fit this point; this one is chosen as a search chooses",
            kOptional);
  }
};

// Two measured neighbours with other leaders.
struct WinnerFlip {
  static constexpr std::string_view kWireName = "WinnerFlip";
  std::string along;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::optional<std::int64_t> at;
  std::optional<std::string> at_hardware;
  Ref from_leader;
  Ref to_leader;
  std::int64_t unmeasured_between = 0;
  bool comparable = false;
  bool claimed = false;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("along", &WinnerFlip::along, "the axis");
    v.field("from", &WinnerFlip::from, "its smaller value");
    v.field("to", &WinnerFlip::to, "the next measured one");
    v.field("at", &WinnerFlip::at, "value of the other axis");
    v.field("atHardware", &WinnerFlip::at_hardware, "where the other axis is hardware");
    v.field("fromLeader", &WinnerFlip::from_leader, "");
    v.field("toLeader", &WinnerFlip::to_leader, "");
    v.field("unmeasuredBetween", &WinnerFlip::unmeasured_between,
            "points of the map between the two that nobody measured");
    v.field("comparable", &WinnerFlip::comparable,
            "both are of one series; otherwise more than the axis differs");
    v.field("claimed", &WinnerFlip::claimed, "both verdicts are winner");
    v.field("text", &WinnerFlip::text, "one sentence");
  }
};

struct WinnerCounts {
  static constexpr std::string_view kWireName = "WinnerCounts";
  std::int64_t cells = 0;
  std::int64_t winner = 0;
  std::int64_t tie = 0;
  std::int64_t not_enough_evidence = 0;
  std::int64_t only_run = 0;
  std::int64_t none = 0;
  std::int64_t unmeasured = 0;
  template <class V>
  static void describe(V& v) {
    v.field("cells", &WinnerCounts::cells, "");
    v.field("winner", &WinnerCounts::winner, "");
    v.field("tie", &WinnerCounts::tie, "");
    v.field("notEnoughEvidence", &WinnerCounts::not_enough_evidence, "");
    v.field("onlyRun", &WinnerCounts::only_run, "");
    v.field("none", &WinnerCounts::none, "measured, but nothing is ranked");
    v.field("unmeasured", &WinnerCounts::unmeasured, "");
  }
};

struct WinnerMap {
  static constexpr std::string_view kWireName = "WinnerMap";
  std::string generated_at;
  std::string policy_version;
  Ref operation;
  WinnerAxis x;
  std::optional<WinnerAxis> y;
  WinnerCounts counts;
  std::vector<WinnerCell> cells;
  std::vector<WinnerFlip> flips;
  std::vector<WinnerSeries> series;
  std::int64_t off_axes = 0;
  std::vector<std::string> known_axes;
  std::vector<std::string> notes;
  template <class V>
  static void describe(V& v) {
    v.field("generatedAt", &WinnerMap::generated_at, "");
    v.field("policyVersion", &WinnerMap::policy_version, "ranking policy");
    v.field("operation", &WinnerMap::operation, "");
    v.field("x", &WinnerMap::x, "");
    v.field("y", &WinnerMap::y, "null for a map over one axis");
    v.field("counts", &WinnerMap::counts, "cells by verdict");
    v.field("cells", &WinnerMap::cells, "every point, row by row: at most 64 x 64");
    v.field("flips", &WinnerMap::flips,
            "where the leader changes between measured neighbours; nothing is interpolated");
    v.field("series", &WinnerMap::series, "what cells are measured under");
    v.field("offAxes", &WinnerMap::off_axes,
            "fitting groups that stand at no point: suites, and cases without these axes");
    v.field("knownAxes", &WinnerMap::known_axes, "axes of the operation, most varying first");
    v.field("notes", &WinnerMap::notes, "what was cut and what was chosen");
  }
};

}  // namespace ki::query
