#include "policy/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "json/write.h"
#include "policy/metrics.h"

namespace ki::policy {
namespace {

// Words with a spelling of their own, which names in lower case have lost.
constexpr std::array<std::string_view, 53> kCased = {
    "AMD",        "GPU",     "GIT",       "NHWC",      "VAE",      "UNet",  "LM",    "MTP",
    "SAM",        "GRN",     "SSM",       "FFN",       "FFT",      "RFFT",  "FP8",   "FP16",
    "FP32",       "BF16",    "INT8",      "INT4",      "NVFP4",    "MXFP4", "GEMM",  "GEMV",
    "QR",         "PMPP",    "Cholesky",  "Trimul",    "MLP",      "MoE",   "MLA",   "GQA",
    "KV",         "QKV",     "QK",        "RMS",       "IoU",      "GELU",  "GeGLU", "SiLU",
    "SwiGLU",     "RMSNorm", "LayerNorm", "GroupNorm", "RoPE",     "YaRN",  "Mamba", "Mamba2",
    "ConvNeXtV2", "ResNet",  "Whisper",   "Hyena",     "Conformer"};

constexpr std::string_view kSeparator = " · ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view strip_number(std::string_view name) {
  const auto digits =
      static_cast<std::size_t>(std::ranges::find_if_not(name, is_digit) - name.begin());
  const bool numbered = digits > 0 && digits < name.size() && name[digits] == '_';
  return numbered ? name.substr(digits + 1) : name;
}

std::string cased(std::string_view word) {
  const bool is_lower = std::ranges::none_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  const auto* found = std::ranges::find_if(kCased, [&](std::string_view known) {
    return is_lower && equals_ignoring_case(word, known);
  });
  return std::string(found == kCased.end() ? word : *found);
}

// Lower case, runs of blanks and underscores as one dash.
std::string naming_key(std::string_view text) {
  std::string out;
  for (const char c : ascii_lower(text)) {
    if (!is_blank(c) && c != '_') {
      out += c;
    } else if (!out.ends_with('-')) {
      out += '-';
    }
  }
  return out;
}

bool repeats_operation(std::string_view segment, const ImplementationNaming& naming) {
  constexpr std::size_t kTellingMin = 6;  // shorter names occur inside others by chance
  const std::string key = naming_key(segment);
  if (naming.operation_slug.ends_with("-" + key)) return true;
  for (const std::string& own :
       {naming_key(naming.operation_name), std::string(naming.operation_slug)}) {
    if (key == own) return true;
    if (own.size() >= kTellingMin && key.find(own) != std::string::npos) return true;
  }
  return false;
}

// Rounded half up as readers expect: fmt rounds the exact halves (15.25) to even.
std::string fixed(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  const double scaled = value * scale;
  const bool exact = std::fma(value, scale, -scaled) == 0;
  if (exact && scaled - std::floor(scaled) == 0.5) value = (std::floor(scaled) + 1) / scale;
  return fmt::format("{:.{}f}", value, decimals);
}

struct TimeUnit {
  double nanoseconds;
  std::string_view name;
};

TimeUnit time_unit(double nanoseconds) {
  if (nanoseconds < 1e3) return {1, "ns"};
  if (nanoseconds < 1e6) return {1e3, "µs"};
  if (nanoseconds < 1e9) return {1e6, "ms"};
  return {1e9, "s"};
}

struct AmountUnit {
  double amount;
  std::string_view name;
};

AmountUnit byte_unit(double bytes) {
  constexpr double kKi = 1024;
  if (bytes < kKi) return {1, "bytes"};
  if (bytes < kKi * kKi) return {kKi, "KiB"};
  if (bytes < kKi * kKi * kKi) return {kKi * kKi, "MiB"};
  if (bytes < kKi * kKi * kKi * kKi) return {kKi * kKi * kKi, "GiB"};
  return {kKi * kKi * kKi * kKi, "TiB"};
}

// Of the names of 1, 1e3, 1e6, 1e9 and 1e12.
AmountUnit decimal_unit(double value, const std::array<std::string_view, 5>& names) {
  double amount = 1;
  std::size_t i = 0;
  for (; i + 1 < names.size() && value >= amount * 1e3; ++i) amount *= 1e3;
  return {amount, names[i]};
}

// The unit in which people read an amount, or its rate, of bytes or operations; nullopt: of
// something else. Sizes go by 1024, bandwidths by 1000, as data sheets have them.
std::optional<AmountUnit> amount_unit(double value, std::string_view unit) {
  if (unit == "bytes") return byte_unit(value);
  if (unit == "bytes_s") return decimal_unit(value, {"B", "kB", "MB", "GB", "TB"});
  if (unit == "flops" || unit == "flops_s") {
    return decimal_unit(value, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"});
  }
  return std::nullopt;
}

std::string_view rate_suffix(std::string_view unit) { return unit.ends_with("_s") ? "/s" : ""; }

std::string number_text(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

// "tokens/s" of "tokens_s"; anything else as it is.
std::string plain_unit(std::string_view unit) {
  if (!unit.ends_with("_s")) return std::string(unit);
  return std::string(unit.substr(0, unit.size() - 2)) + "/s";
}

}  // namespace

std::string operation_display_name(std::string_view name) {
  if (name.find(' ') != std::string_view::npos) return std::string(name);
  std::vector<std::string> words;
  for (const std::string_view word : split(strip_number(name), '_')) {
    if (!word.empty()) words.push_back(cased(word));
  }
  if (words.empty()) return std::string(name);
  std::string& first = words.front();
  if (first == ascii_lower(first)) first[0] = ascii_upper(first.substr(0, 1))[0];
  return join(words, " ");
}

std::string implementation_display_name(const ImplementationNaming& naming) {
  std::vector<std::string> kept;
  std::string_view rest = naming.title;
  while (true) {
    const auto end = rest.find(kSeparator);
    const std::string_view segment = rest.substr(0, end);
    if (!trim(segment).empty() && !repeats_operation(segment, naming)) kept.emplace_back(segment);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + kSeparator.size());
  }
  return kept.empty() ? std::string(naming.slug) : join(kept, kSeparator);
}

std::string latency_text(double nanoseconds) {
  const TimeUnit unit = time_unit(nanoseconds);
  if (unit.nanoseconds == 1) return fixed(nanoseconds, 0) + " ns";
  const double scaled = nanoseconds / unit.nanoseconds;
  return fmt::format("{} {}", fixed(scaled, scaled < 10 ? 2 : 1), unit.name);
}

std::string measured_text(double value, std::string_view unit) {
  const auto scale = per_nanosecond(unit);
  if (scale && value >= 0) return latency_text(unit == "s" ? value * 1e9 : value / *scale);
  if (const auto amount = amount_unit(value, unit); amount && value >= 0) {
    const double scaled = value / amount->amount;
    const int digits = amount->amount == 1 ? 0 : scaled < 10 ? 2 : 1;
    return fmt::format("{} {}{}", fixed(scaled, digits), amount->name, rate_suffix(unit));
  }
  return number_text(value) + " " + plain_unit(unit);
}

ShownUnit shown_unit(double value, std::string_view unit) {
  if (const auto scale = per_nanosecond(unit)) {
    const TimeUnit time = time_unit(value / *scale);
    return {.factor = time.nanoseconds * *scale, .name = std::string(time.name)};
  }
  const auto amount = amount_unit(value, unit);
  if (!amount) return {.factor = 1, .name = plain_unit(unit)};
  return {.factor = amount->amount, .name = fmt::format("{}{}", amount->name, rate_suffix(unit))};
}

std::string metric_label(std::string_view metric, std::string_view statistic) {
  std::string words(metric);
  std::ranges::replace(words, '_', ' ');
  const bool plain = statistic.empty() || statistic == "value" || statistic == "unspecified";
  return plain ? words : std::string(statistic) + ' ' + words;
}

std::string spread_text(const Interval& interval, double leader, std::string_view unit) {
  const double half = (interval.high - interval.low) / 2;
  const ShownUnit shown = shown_unit(leader, unit);
  return fmt::format("± {} {}", fixed(half / shown.factor, 2), shown.name);
}

std::string relative_text(std::optional<double> value, std::optional<double> best) {
  if (!value || !best || *best == 0) return "-";
  return fixed(*value / *best, 2) + "×";
}

std::string sol_text(double score) {
  return fmt::format("{:.0f}% of SOL", std::floor(score * 100 + 0.5));
}

std::string_view current_family(std::string_view family) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"normalization", "rmsnorm"},
      {"gqa-paged", "gqa-paged-attention"},
      {"gqa-ragged", "gqa-ragged-attention"},
      {"mla-paged", "mla-paged-attention"},
  };
  for (const auto& [old, now] : kRenamed) {
    if (family == old) return now;
  }
  return family;
}

std::string hardware_slug(std::string_view product) {
  std::string out;
  for (const char c : ascii_lower(product)) {
    if ((c >= 'a' && c <= 'z') || is_digit(c)) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  if (out.ends_with('-')) out.pop_back();
  return out;
}

std::string_view short_revision(std::string_view revision) { return revision.substr(0, 7); }

std::string_view date_text(std::string_view iso) { return iso.substr(0, 10); }

}  // namespace ki::policy
