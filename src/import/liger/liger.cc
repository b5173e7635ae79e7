#include "import/liger/liger.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "import/known_sources.h"
#include "import/liger/mapper.h"
#include "import/liger/read_row.h"
#include "import/liger/rows.h"
#include "manifest/documents.h"

namespace ki::importer {

using liger::Mapping;
using liger::Pass;

namespace {

constexpr Pass kPasses[] = {Pass::forward, Pass::backward, Pass::full};

std::string_view word_of(Mapping mapping) {
  return mapping == Mapping::distinct ? "distinct" : "kernelindex-1";
}

std::optional<Pass> pass_of(const manifest::Manifest& protocol) {
  std::optional<Pass> by_name;
  for (const Pass pass : kPasses) {
    if (protocol.digest() == liger::public_protocol_digest(pass)) return pass;
    if (protocol.name().find(name_of(pass)) == std::string_view::npos) continue;
    if (by_name) return std::nullopt;
    by_name = pass;
  }
  return by_name;
}

Status check(const LigerOptions& options) {
  for (const Pass pass : kPasses) {
    std::set<Digest> given;
    for (const GivenProtocol& one : options.protocols) {
      if (one.pass == pass) given.insert(one.manifest.digest());
    }
    if (given.size() > 1) {
      return fail(Code::invalid,
                  fmt::format("more than one protocol is given for the {} pass", name_of(pass)));
    }
  }
  return {};
}

void count(Report& report, const liger::Reading& reading) {
  const auto& values = reading.figures.values;
  ++report.discovered[reading.figures.is_latency ? "speedRows" : "memoryRows"];
  const bool equal = values.size() == 3 && std::ranges::all_of(values, [&](const auto& value) {
                       return value.value == values.front().value;
                     });
  if (reading.figures.is_latency && equal) ++report.discovered["speedRowsOfEqualQuantiles"];
}

}  // namespace

Result<Mapping> parse_mapping(std::string_view word) {
  for (const Mapping mapping : {Mapping::distinct, Mapping::kernelindex_1}) {
    if (word_of(mapping) == word) return mapping;
  }
  return fail(Code::invalid,
              fmt::format("mapping \"{}\" is neither distinct nor kernelindex-1", excerpt(word)));
}

Result<GivenProtocol> read_protocol(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  std::optional<Pass> pass;
  if (equals != std::string_view::npos) pass = liger::parse_pass(argument.substr(0, equals));
  const std::string path(pass ? argument.substr(equals + 1) : argument);
  const InputFile file = TRY(read_input(path));
  manifest::Documents documents = manifest::read_documents(file.bytes, file.name);
  std::vector<manifest::Manifest> found;
  for (manifest::Entry& entry : documents.entries) {
    if (entry.manifest.kind() != manifest::Kind::benchmark_protocol) continue;
    const auto same = [&](const auto& other) { return other.digest() == entry.manifest.digest(); };
    if (std::ranges::none_of(found, same)) found.push_back(std::move(entry.manifest));
  }
  if (found.empty() && !documents.issues.empty())
    return std::unexpected(to_error(documents.issues));
  if (found.size() != 1) {
    return fail(Code::invalid,
                fmt::format("{} BenchmarkProtocol manifests where one is needed", found.size()),
                path);
  }
  if (!pass) pass = pass_of(found.front());
  if (!pass) {
    return fail(Code::invalid,
                fmt::format("the protocol does not tell which pass it is for; name it, as in "
                            "--protocol backward={}",
                            path),
                path);
  }
  return GivenProtocol{*pass, std::move(found.front())};
}

Result<Prepared> prepare_liger(std::span<const InputFile> files, const LigerOptions& options,
                               const Progress& progress) {
  TRY(check(options));
  Prepared prepared;
  Report& report = prepared.report;
  report.source = "liger-kernel-bench";
  report.parser_version = fmt::format("{} ({})", kLigerParserVersion, word_of(options.mapping));

  std::vector<std::vector<liger::Row>> tables;  // readings borrow from it
  tables.reserve(files.size());
  std::vector<const InputFile*> read;
  std::vector<liger::Reading> readings;
  liger::RowReader reader(options.mapping);
  for (const InputFile& file : files) {
    auto rows = liger::read_rows(file, report, progress);
    if (!rows) {
      add_issue(report, file.name, 0, 0, "the whole file", rows.error().message);
      continue;
    }
    tables.push_back(std::move(*rows));
    for (liger::Row& row : tables.back()) {
      row.file = read.size();
      auto reading = reader.read(row, file.name);
      if (reading) {
        count(report, *reading);
        readings.push_back(std::move(*reading));
      } else if (const auto& refusal = reading.error(); refusal.bucket.empty()) {
        add_issue(report, file.name, row.number, row.line,
                  fmt::format("{}/{}", row.kernel, row.provider), refusal.problem);
      } else {
        skip_row(report, {.reason = refusal.bucket,
                          .name = refusal.name,
                          .file = file.name,
                          .row = row.number,
                          .line = row.line});
      }
    }
    read.push_back(&file);
  }
  liger::Mapper mapper(options, report);
  TRY(mapper.add(std::move(readings)));
  prepared.bundle = mapper.take();
  prepared.bundle.source = source_of(report.source);
  for (const InputFile* file : read) {
    add_input(prepared, *file,
              {.media_type = "text/csv",
               .parser_name = "liger",
               .parser_version = report.parser_version});
  }
  return prepared;
}

}  // namespace ki::importer
