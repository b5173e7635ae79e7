// The words under which things are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/facts.h"

namespace ki::policy {

// "004_fused_add_rmsnorm_h2048" -> "Fused add RMSNorm h2048". A name with a blank in it was written
// for people and stays.
std::string operation_display_name(std::string_view name);

struct ImplementationNaming {
  std::string_view title;  // "" when there is none
  std::string_view slug;
  std::string_view operation_name;  // as stored, not the display name
  std::string_view operation_slug;
};

// The title without the parts that repeat the operation: "amd-fp8-mm · submission 32750" under
// gpumode-amd-fp8-mm is "submission 32750". The slug when nothing is left.
std::string implementation_display_name(const ImplementationNaming& naming);

// "512 ns", "15.10 ms", "1.24 µs", "24.1 ms": two decimals below 10 of the unit, else one.
// Requires a finite value >= 0.
std::string latency_text(double nanoseconds);

// A value of a metric for people: times (units ns, us, ms, s) as latency_text, bytes in powers of
// 1024 ("2.60 GiB"), bandwidths and operations in powers of 1000 ("57.1 GB/s", "4.19 MFLOP"), other
// rates a second ("512 tokens/s"), anything else "<value> <unit>".
std::string measured_text(double value, std::string_view unit);

// The unit that measured_text chooses for a value, and how many of the metric's unit it is: {1e6,
// "ms"} for 15.1e6 "ns", {1, "tokens/s"} for "tokens_s". For axes, which show all of their values
// in one unit.
struct ShownUnit {
  double factor = 1;
  std::string name;
};
ShownUnit shown_unit(double value, std::string_view unit);

// "median latency", "peak memory": what a value is, in words.
std::string metric_label(std::string_view metric, std::string_view statistic);

// Half the width of an interval in the unit that measured_text chooses for `leader`, two decimals:
// "± 0.12 ms". Other units than times: "± <half> <unit>".
std::string spread_text(const Interval& interval, double leader, std::string_view unit);

// "1.60×"; "-" without both values or when the best is 0.
std::string relative_text(std::optional<double> value, std::optional<double> best);

// "73% of SOL".
std::string sol_text(double score);

// The word a family is listed under. Four were renamed in the public catalog's listing, while their
// manifests, whose digests depend on it, keep the old word ("normalization" is "rmsnorm" now).
std::string_view current_family(std::string_view family);

// "NVIDIA GeForce RTX 4090" -> "nvidia-geforce-rtx-4090"; no length limit.
std::string hardware_slug(std::string_view product);

// The first 7 characters of a source revision.
std::string_view short_revision(std::string_view revision);

// The first 10 characters of an ISO instant: its date.
std::string_view date_text(std::string_view iso);

}  // namespace ki::policy
