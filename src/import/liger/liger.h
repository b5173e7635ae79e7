// Liger-Kernel's published benchmark table (benchmark/data/all_benchmark_data.csv, BSD-2-Clause) as
// manifests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/importer.h"
#include "import/liger/build.h"

namespace ki::importer {

// A protocol manifest to bind the runs of one pass to, instead of ours.
struct GivenProtocol {
  liger::Pass pass{};
  manifest::Manifest manifest;
};

struct LigerOptions {
  liger::Mapping mapping = liger::Mapping::distinct;
  std::vector<GivenProtocol> protocols{};  // at most one a pass
};

inline constexpr std::string_view kLigerParserVersion = "liger/1";

// "distinct" or "kernelindex-1". Code::invalid for another word.
Result<liger::Mapping> parse_mapping(std::string_view word);

// Reads what follows `--protocol`: "FILE" or "PASS=FILE". The file holds a BenchmarkProtocol, or a
// document with one beside a run. Its pass is PASS, else that of a public protocol known by its
// digest, else the one that metadata.name contains. Code::invalid when that does not settle it.
Result<GivenProtocol> read_protocol(std::string_view argument);

// Reads tables into one bundle. Bad rows become issues of the report while the good ones go in;
// rows that say the same are imported once. The order of the rows does not matter. Code::invalid
// for a file that is no such table, or two protocols for one pass.
//
// Mapping distinct: memory rows become measurements of peak_memory; a kernel, or a configuration of
// it, whose signature is not known becomes an operation that claims nothing it does not know, and
// the report lists it. Mapping kernelindex_1: such rows and memory rows are counted under the
// reasons of the public index and left out.
Result<Prepared> prepare_liger(std::span<const InputFile> files, const LigerOptions& options,
                               const Progress& progress = {});

}  // namespace ki::importer
