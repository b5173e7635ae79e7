#include "import/export/export.h"

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "import/export/lines.h"
#include "import/export/reader.h"
#include "import/known_sources.h"
#include "import/looks_like.h"

namespace ki::importer {
namespace {

// Some lines, copied so that they outlive the piece of text they were cut from.
struct Batch {
  struct Line {
    std::size_t offset;
    std::size_t size;
    std::int64_t number;
  };
  std::string text;
  std::vector<Line> lines;
  std::vector<ReadLine> read{};  // of the lines, once they are

  std::string_view text_of(const Line& line) const {
    return std::string_view(text).substr(line.offset, line.size);
  }
};

Batch read(Batch batch) {
  batch.read.reserve(batch.lines.size());
  for (const Batch::Line& line : batch.lines) {
    batch.read.push_back(read_line(batch.text_of(line)));
  }
  return batch;
}

// Reads lines one batch ahead on another thread, while the reader takes those before them.
class ReadAhead {
 public:
  explicit ReadAhead(ExportReader& reader) : reader_(reader) {}

  void add(std::string_view line, std::int64_t number) {
    constexpr std::size_t kBatchBytes = std::size_t{512} << 10;
    batch_.lines.push_back({batch_.text.size(), line.size(), number});
    batch_.text += line;
    if (batch_.text.size() >= kBatchBytes) pass_on();
  }
  void finish() {
    pass_on();
    take();
  }

 private:
  void pass_on() {
    // Where no thread can be had, the batch is read when it is taken.
    constexpr auto kPolicy = std::launch::async | std::launch::deferred;
    auto next = std::async(kPolicy, read, std::exchange(batch_, {}));
    take();
    ahead_ = std::move(next);
  }
  void take() {
    if (!ahead_.valid()) return;
    Batch batch = ahead_.get();
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      const Batch::Line& line = batch.lines[i];
      reader_.add(std::move(batch.read[i]), batch.text_of(line), line.number);
    }
  }

  ExportReader& reader_;
  Batch batch_;
  std::future<Batch> ahead_;
};

}  // namespace

Result<Prepared> prepare_export(const InputFile& file, const Progress& progress) {
  if (trim(file.bytes).empty()) {
    return fail(Code::invalid, "is empty; an export has one JSON object a line", file.name);
  }
  // Of a file of another kind every line would be refused, one by one.
  const Content content = content_of(file.bytes);
  if (content != Content::catalog_export && content != Content::unknown) {
    std::string what =
        "is no catalog export: none of its first lines is {\"table\": ..., \"row\": ...}";
    if (const auto looks = looks_like(content); !looks.empty() && content != Content::compressed) {
      what += "; it " + std::string(looks);
    }
    return fail(Code::invalid, std::move(what), file.name);
  }
  Prepared prepared;
  prepared.report.source = "catalog-export";
  prepared.report.parser_version = kExportParserVersion;
  prepared.bundle.source = source_of(prepared.report.source);
  add_input(
      prepared, file,
      {.media_type = file.name.ends_with(".zst") ? "application/zstd" : "application/x-ndjson",
       .parser_name = "export",
       .parser_version = std::string(kExportParserVersion)});
  ExportReader reader(prepared, file.name);
  ReadAhead ahead(reader);
  const auto read = for_each_line(
      file.bytes, [&](std::string_view line, std::int64_t number, std::uint64_t consumed) {
        constexpr std::int64_t kLinesPerStep = 512;
        if (progress && number % kLinesPerStep == 0) progress(consumed, file.bytes.size());
        ahead.add(line, number);
      });
  if (!read) return fail(read.error().code, read.error().message, file.name);
  ahead.finish();
  reader.finish();
  if (progress) progress(file.bytes.size(), file.bytes.size());
  return prepared;
}

}  // namespace ki::importer
