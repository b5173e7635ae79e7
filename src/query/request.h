// A query after reading: the words that name an operation, and the facets that steer and filter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/assessment.h"
#include "policy/licence.h"
#include "policy/taxonomy.h"
#include "policy/version.h"
#include "query/model_reading.h"

namespace ki::query {

// Hardware asked for by name. A name that nobody lists is compared as a part of the model.
struct HardwareFacet {
  std::string requested;                  // as shown: "H100", "RTX 4090"
  std::optional<policy::GpuReading> gpu;  // what the name can mean
  std::string part;                       // lower case; used when `gpu` is empty
};

struct ArchitectureFacet {
  std::string requested;
  policy::ArchitectureReading reading;
};

struct DtypeFacet {
  std::string requested;
  policy::DtypeReading reading;
};

// Whole numbers from one bound to the other: one value, or a range that is open at an end.
struct Range {
  static constexpr std::int64_t kMax = std::int64_t{1} << 53;  // where numbers stop being exact
  std::int64_t least = 0;
  std::int64_t most = kMax;

  bool one() const { return least == most; }
  bool holds(std::int64_t value) const { return least <= value && value <= most; }
  bool holds(const std::optional<std::int64_t>& value) const { return value && holds(*value); }
  // The value of the range that is nearest to another.
  std::int64_t nearest(std::int64_t value) const { return std::clamp(value, least, most); }
  std::string text() const;  // "2048", "1024..8192", ">= 64", "<= 64"
};

// "2048", "2k", "1k..8k", "1k..", ">=64", "<8k", where k is 1024 and M 1024 k; nullopt for anything
// else. A range may be empty (least > most).
std::optional<Range> read_range(std::string_view text);

struct AxisFacet {
  std::string name;
  Range size{};
  bool soft = false;  // read from a plain word ("causal"): counts only where the axis exists
  std::string token{};
};

struct PassFacet {
  policy::Pass pass = policy::Pass::forward;
  bool soft = false;  // read from a plain word ("backward"): counts only where a run states a pass
};

struct CudaFacet {
  Range major;
  std::string typed;
};

// A fact of the environment, the protocol or the implementation that is compared as text.
enum class Text { driver, compiler, protocol, statistic, project, package, author };
std::string_view name_of(Text text);

struct TextFacet {
  Text text = Text::driver;
  std::string requested;         // lower case
  std::optional<Range> major{};  // of a driver: its leading number, when a range was asked for
};

struct Facets {
  std::optional<HardwareFacet> hardware;
  std::optional<std::string> vendor;  // nvidia, amd
  std::optional<Range> memory_gb;     // of one device
  std::optional<Range> device_count;
  std::optional<ArchitectureFacet> architecture;
  std::optional<CudaFacet> cuda;
  std::vector<DtypeFacet> dtypes;           // every one must be satisfied
  std::optional<std::string> quantization;  // w4a16
  std::optional<std::string> layout;
  std::optional<std::string> framework;
  std::optional<std::string> language;
  std::optional<std::vector<std::int64_t>> shape;
  std::string shape_token;
  std::vector<AxisFacet> axes;
  std::optional<PassFacet> pass;
  std::optional<std::string> metric;
  std::vector<TextFacet> texts;
  std::string cohort;  // the start of a comparison key, "sha256:..."; "" = none
  // What an answer must satisfy to be used; they never change what is compared.
  std::optional<policy::EvidenceLevel> trust;
  std::optional<policy::LicenceFilter> license;
  std::optional<bool> source;
  std::optional<bool> installable;
  std::optional<policy::Versions> framework_version;
  std::optional<policy::Versions> toolkit_version;

  bool requires_anything() const;  // one of those
  bool binds_case() const;         // a shape or an axis was given
  bool has_hardware_or_dtype() const;
  bool empty() const;
};

// A word of the operation's name, with the readings it belongs to.
struct NameWord {
  std::string text;         // lower case
  std::size_t reading = 0;  // position in Request::readings
  bool quoted = false;      // meant as it stands
};

struct Request {
  std::string text;                 // the query, trimmed
  std::vector<std::string> tokens;  // as cut
  std::vector<NameWord> words;      // free text and op: values, in order
  // The words of each quoted text, lower case: an operation has them in that order, side by side.
  std::vector<std::vector<std::string>> phrases;
  std::string operation_key;  // a name given as structure or as op:, to be taken exactly
  std::string family;         // "" = none
  std::string model;          // "" = none
  std::string digest;         // "sha256:...", "" = none
  Facets facets;
  std::vector<Reading> readings;
  std::vector<QueryIssue> issues;
  std::vector<std::string> notes;  // what was read differently from what was typed
};

// Of two readings of one facet the later counts. The earlier one is no condition any more; a note
// says so where the two differ.
void replace_reading(Request& request, std::size_t earlier, std::size_t later);

}  // namespace ki::query
