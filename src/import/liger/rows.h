// The rows of Liger-Kernel's benchmark table (all_benchmark_data.csv), found by column name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/importer.h"

namespace ki::importer::liger {

struct Row {
  std::size_t file = 0;     // index among the files that were read
  std::int64_t number = 0;  // data record, the header not counted
  std::int64_t line = 0;
  std::string kernel;
  std::string provider;
  std::string mode;
  std::string metric;
  std::string unit;
  std::string x_name;
  std::string x_value;
  std::string y50;
  std::string y20;
  std::string y80;
  std::string config;
  std::string gpu;
  std::string timestamp;
  std::string liger_version;
  std::vector<std::pair<std::string, std::string>> extra;  // columns we do not know
};

// Reads a table. Fields lose blanks at both ends. A record whose fields do not match the header
// becomes an issue of `report`; an unknown column a drift warning. Code::invalid for a file that
// is no such table: not UTF-8, another separator than a comma, a column missing or named twice.
Result<std::vector<Row>> read_rows(const InputFile& file, Report& report, const Progress& progress);

}  // namespace ki::importer::liger
