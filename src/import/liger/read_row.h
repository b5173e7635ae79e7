// One row of the table, read as far as it can be without building anything.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "import/liger/bind.h"
#include "import/liger/build.h"
#include "import/liger/rows.h"
#include "json/value.h"

namespace ki::importer::liger {

// The figures of a row, in the unit they are stored in.
struct Figures {
  bool is_latency = true;
  std::string unit;           // ns, bytes, or the source's label as a token (not converted)
  bool is_converted = true;   // false: `unit` is a label whose meaning is not known for sure
  std::vector<Value> values;  // the median first; p20 and p80 where they are stated
  std::vector<std::pair<std::string, double>> native;  // "ms_50" and so on, unconverted
};

// What a row says.
struct Reading {
  const Row* row = nullptr;
  std::string_view file;
  Pass pass{};
  const Kernel* kernel = nullptr;  // nullptr: see `uncurated`
  Binding binding;
  Uncurated uncurated;
  std::string why_uncurated;
  Maker maker;
  Gpu gpu;
  Figures figures;
  Instant observed{};
  std::string external_id;  // of the public index; memory figures add "/memory"
};

// Why a row is left out. `bucket` is "" for a fault of the row (an issue), else the reason by rule
// under which it is counted, with `name` what is counted.
struct Refusal {
  std::string bucket;
  std::string name;
  std::string problem;
};

// Reads rows. Keeps parsed configurations, of which a table has few.
class RowReader {
 public:
  explicit RowReader(Mapping mapping) : mapping_(mapping) {}
  std::expected<Reading, Refusal> read(const Row& row, std::string_view file);

 private:
  std::expected<Reading, Refusal> read_distinct(const Row& row);
  std::expected<Reading, Refusal> read_public(const Row& row);
  // nullptr when it is no JSON object.
  const json::Value* config_of(const std::string& text);

  Mapping mapping_;
  std::map<std::string, json::Document> configs_;
};

}  // namespace ki::importer::liger
