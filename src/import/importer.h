// Importers turn published benchmark data into manifests. Each reads one kind of source into a
// bundle and a report, without touching a catalog; run_import() then compares the bundle with the
// catalog (a dry run, the default) or publishes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "import/report.h"
#include "publish/bundle.h"

namespace ki::importer {

inline constexpr std::size_t kInputBytesMax = std::size_t{256} << 20;

// One input as it was read. `name` is how the user named it ("-" for standard input).
struct InputFile {
  std::string name;
  std::string bytes;
};

// Reads a file or standard input ("-"), at most kInputBytesMax bytes.
Result<InputFile> read_input(const std::string& path);

// Called now and then with bytes done of bytes in all; total is 0 when it is not known.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// What an importer made of its files: nothing is written yet.
struct Prepared {
  publish::Bundle bundle;
  Report report;
  // Where each object of the bundle stands, of importers whose objects can do without each other:
  // one that cannot be published is then refused alone.
  std::map<Digest, std::string> places = {};
};

// How an input was read, for its snapshot.
struct ParserFacts {
  std::string media_type;
  std::string parser_name;
  std::string parser_version;
};

// Files the input as a snapshot of the bundle and an input of the report.
void add_input(Prepared& prepared, const InputFile& file, const ParserFacts& facts);

struct ImportOptions {
  bool publish = false;         // false: a dry run, nothing is written
  std::string actor = "local";  // for the audit row
};

// Publishes `prepared`, or checks what publishing it would do, and returns its report completed
// with what is new, what exists and what stays pending. Errors: those of publish::publish.
Result<Report> run_import(catalog::Catalog& catalog, Prepared prepared, const Clock& clock,
                          const ImportOptions& options);

}  // namespace ki::importer
