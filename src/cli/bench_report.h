// What `ki bench` says of what it measured: for tables and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "runner/ceilings.h"
#include "runner/evidence.h"

namespace ki::cli {

// What is known of one case, for --json and for the table.
struct BenchRow {
  std::string provider;
  std::string status;
  std::string text;
  std::optional<double> median_ns;
  std::optional<double> low_ns;  // 95 % interval of the median
  std::optional<double> high_ns;
  std::optional<double> p20_ns;
  std::optional<double> p80_ns;
  std::int64_t samples = 0;
  std::optional<double> behind;  // time over the leader's, minus 1
  std::optional<double> behind_low;
  std::optional<double> behind_high;
  std::optional<double> gb_per_s;          // bytes that must move over the median
  std::optional<double> floor_share;       // the floor over the median
  std::optional<std::int64_t> peak_bytes;  // beside inputs and outputs, its workspace counted
  std::string verdict;  // leads, best, tie, slower, not_enough_evidence, alone, ""
  bool two_modes = false;
  template <class V>
  static void describe(V& v) {
    v.field("provider", &BenchRow::provider, "");
    v.field("status", &BenchRow::status, "");
    v.field("text", &BenchRow::text, "why it did not pass");
    v.field("medianNs", &BenchRow::median_ns, "");
    v.field("lowNs", &BenchRow::low_ns, "");
    v.field("highNs", &BenchRow::high_ns, "");
    v.field("p20Ns", &BenchRow::p20_ns, "");
    v.field("p80Ns", &BenchRow::p80_ns, "");
    v.field("samples", &BenchRow::samples, "");
    v.field("behind", &BenchRow::behind, "");
    v.field("behindLow", &BenchRow::behind_low, "");
    v.field("behindHigh", &BenchRow::behind_high, "");
    v.field("gbPerS", &BenchRow::gb_per_s, "");
    v.field("floorShare", &BenchRow::floor_share, "the case's floor over the median");
    v.field("peakBytes", &BenchRow::peak_bytes,
            "memory that it held at most beside inputs and outputs; null: not measured");
    v.field("verdict", &BenchRow::verdict, "");
    v.field("twoModes", &BenchRow::two_modes, "");
  }
};

struct BenchCase {
  std::string operation;
  std::string title;   // "rms-norm forward fp32 rows=4096 hidden=4096"
  std::string scaled;  // "seq 1024 of 16384": smaller than the operation's own case
  std::string protocol;
  std::int64_t launches = 0;
  std::int64_t rounds = 0;
  std::int64_t void_rounds = 0;
  std::int64_t disturbed = 0;
  std::string void_reason;
  std::string evidence;                // file
  std::optional<runner::Floor> floor;  // of a call; unknown without ceilings
  // What a difference has to exceed to be claimed, as a share, and the noise in that; paired alone.
  std::optional<double> threshold;
  std::optional<double> noise_floor;
  bool noise_is_known = false;  // by past sessions of this runner; else by this one's own launches
  std::vector<BenchRow> rows;
  template <class V>
  static void describe(V& v) {
    v.field("operation", &BenchCase::operation, "");
    v.field("case", &BenchCase::title, "");
    v.field("scaled", &BenchCase::scaled, "what is smaller than in the operation's own case");
    v.field("protocol", &BenchCase::protocol, "");
    v.field("launches", &BenchCase::launches, "");
    v.field("rounds", &BenchCase::rounds, "");
    v.field("voidRounds", &BenchCase::void_rounds, "");
    v.field("disturbedRounds", &BenchCase::disturbed, "");
    v.field("voidReason", &BenchCase::void_reason, "");
    v.field("evidence", &BenchCase::evidence, "");
    v.field("floor", &BenchCase::floor, "by the ceilings measured for it; null: none were");
    v.field("threshold", &BenchCase::threshold,
            "what a difference has to exceed to be claimed: 0.01 is one percent");
    v.field("noiseFloor", &BenchCase::noise_floor, "how far two names of one kernel come apart");
    v.field("noiseIsKnown", &BenchCase::noise_is_known,
            "by past sessions of this runner; else the floor is that of this session's launches");
    v.field("rows", &BenchCase::rows, "");
  }
};

// A case that was asked for and not measured.
struct BenchLeftOut {
  std::string title;
  std::string why;
  template <class V>
  static void describe(V& v) {
    v.field("case", &BenchLeftOut::title, "");
    v.field("why", &BenchLeftOut::why, "");
  }
};

// One kernel of now against its namesake of the baseline.
struct BenchChange {
  std::string title;  // the case
  std::string kernel;
  std::optional<double> base_ns;
  std::optional<double> now_ns;
  std::optional<double> change;  // 0.02: two percent slower
  std::optional<double> low;
  std::optional<double> high;
  std::string verdict;  // faster, slower, tie, not_enough_evidence, same_binary, void, or a status
  std::string why;
  template <class V>
  static void describe(V& v) {
    v.field("case", &BenchChange::title, "");
    v.field("kernel", &BenchChange::kernel, "");
    v.field("baseNs", &BenchChange::base_ns, "median");
    v.field("nowNs", &BenchChange::now_ns, "");
    v.field("change", &BenchChange::change, "0.02: two percent slower");
    v.field("changeLow", &BenchChange::low, "of the 95 % interval");
    v.field("changeHigh", &BenchChange::high, "");
    v.field("verdict", &BenchChange::verdict,
            "faster, slower, tie, not_enough_evidence, same_binary, void, or how the run ended");
    v.field("why", &BenchChange::why, "");
  }
};

struct BenchReport {
  std::vector<runner::Rate> ceilings;  // of this machine; empty: not measured
  std::vector<BenchCase> cases;
  std::vector<BenchLeftOut> left_out;
  std::vector<BenchChange> changes;  // with --against
  template <class V>
  static void describe(V& v) {
    v.field("ceilings", &BenchReport::ceilings, "what this machine can do; empty: not measured");
    v.field("cases", &BenchReport::cases, "");
    v.field("changes", &BenchReport::changes, "what became of each kernel, with --against");
    v.field("leftOut", &BenchReport::left_out, "cases that were not measured, and why");
  }
};

// `rates`: those of the evidence's ceilings; empty where it has none.
BenchCase case_of(const runner::Evidence& evidence, std::string title,
                  const std::vector<runner::Rate>& rates);

// How each candidate of a case ended that none passed: "native: incorrect_numerical: ..."; "" where
// one did.
std::string why_none_passed(const BenchCase& one);

void print_case(const Context& context, const BenchCase& one);
// All cases in one table: the end of a tour or a sweep.
void print_summary(const Context& context, const BenchReport& report);
void print_left_out(const Context& context, const BenchReport& report);
void print_ceilings(const Context& context, const std::vector<runner::Rate>& rates);

}  // namespace ki::cli
