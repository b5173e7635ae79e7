// ki export: the catalog as JSON lines, compressed when the name says so.

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>

#include "api/exports.h"
#include "base/digest.h"
#include "base/files.h"
#include "catalog/catalog.h"
#include "catalog/dump.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "json/write.h"

namespace ki::cli {
namespace {

constexpr int kCompressionLevel = 12;

using Sink = std::function<Status(std::string_view bytes)>;

// Lines into a sink, through zstd or not.
class LineWriter {
 public:
  LineWriter(Sink sink, bool compressed) : sink_(std::move(sink)) {
    if (!compressed) return;
    stream_.reset(ZSTD_createCCtx());
    KI_CHECK(stream_ != nullptr);
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }

  Status line(std::string_view text) {
    pending_ += text;
    pending_ += '\n';
    return pending_.size() < kChunk ? Status{} : flush(ZSTD_e_continue);
  }
  Status finish() { return flush(ZSTD_e_end); }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;

  Status flush(ZSTD_EndDirective directive) {
    if (!stream_) {
      TRY(sink_(pending_));
    } else {
      compressed_.resize(ZSTD_CStreamOutSize());
      ZSTD_inBuffer in{pending_.data(), pending_.size(), 0};
      std::size_t left = 1;
      while (left != 0 && (in.pos < in.size || directive == ZSTD_e_end)) {
        ZSTD_outBuffer out{compressed_.data(), compressed_.size(), 0};
        left = ZSTD_compressStream2(stream_.get(), &out, &in, directive);
        if (ZSTD_isError(left) != 0) return fail(Code::internal, ZSTD_getErrorName(left));
        TRY(sink_({compressed_.data(), out.pos}));
      }
    }
    pending_.clear();
    return {};
  }

  struct Free {
    void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
  };
  Sink sink_;
  std::unique_ptr<ZSTD_CCtx, Free> stream_;
  std::string pending_;
  std::vector<char> compressed_;
};

Result<std::int64_t> write_lines(const Context& c, Sink sink, bool compressed) {
  const auto catalog = TRY(catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::read_only}));
  LineWriter writer(std::move(sink), compressed);
  const std::int64_t lines = TRY(catalog::dump(
      catalog.connection(), [&](std::string_view line) { return writer.line(line); }));
  TRY(writer.finish());
  return lines;
}

Result<std::int64_t> write_export(const Context& c, const std::filesystem::path& path) {
  const bool compressed = path.extension() == ".zst";
  if (path.extension() != ".jsonl" && (!compressed || path.stem().extension() != ".jsonl")) {
    return fail(Code::invalid, "an export is named .jsonl or .jsonl.zst", path.string());
  }
  NewFile file = TRY(NewFile::create(path));
  const auto sink = [&](std::string_view bytes) { return file.write(bytes); };
  const std::int64_t lines = TRY(write_lines(c, sink, compressed));
  TRY(file.finish());
  return lines;
}

// Writes the export into a folder that servers offer (`ki serve --exports`), under the name that
// says its day and content. Of earlier ones the newest stay, so that whoever is fetching one can
// end.
struct Snapshot {
  std::string name;
  std::int64_t lines = 0;
};
Result<Snapshot> write_snapshot(const Context& c, const std::filesystem::path& folder) {
  NewFile file = TRY(NewFile::create(folder / "catalog.jsonl.zst"));
  Sha256 digest;
  const auto sink = [&](std::string_view bytes) {
    digest.add(bytes);
    return file.write(bytes);
  };
  Snapshot out;
  out.lines = TRY(write_lines(c, sink, true));
  out.name = api::export_name(clock().now(), digest.finish());
  if (const Status done = file.finish_as(folder / out.name); !done) {
    // The same day and the same content: it is there.
    if (done.error().code != Code::conflict) return std::unexpected(done.error());
  }
  constexpr std::size_t kKept = 3;
  std::vector<std::string> names = api::exports_in(folder);
  for (std::size_t i = kKept; i < names.size(); ++i) {
    std::error_code ignored;
    if (names[i] != out.name) std::filesystem::remove(folder / names[i], ignored);
  }
  return out;
}

Result<std::int64_t> write_to_output(const Context& c) {
  const auto sink = [&](std::string_view bytes) -> Status {
    c.out << bytes;
    if (!c.out.good()) return fail(Code::unavailable, "cannot write", "standard output");
    return {};
  };
  return write_lines(c, sink, false);
}

int say(const Context& c, const std::string& file, std::int64_t lines) {
  keep(c, fmt::format("{} is whole, {} lines", file, lines));
  if (c.output != Output::table) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("file").string(file).key("lines").integer(lines).end_object();
    print_json_text(c, text);
  } else if (!c.quiet) {
    c.out << file << ": " << lines << " lines\n";
  }
  return kOk;
}

}  // namespace

int export_catalog(const Context& c, const std::string& file) {
  const bool standard_output = file == "-";
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    const std::filesystem::path folder = file;
    auto written = write_snapshot(c, folder);
    if (!written) return report(c, written.error(), {file});
    return say(c, (folder / written->name).string(), written->lines);
  }
  const auto lines = standard_output ? write_to_output(c) : write_export(c, file);
  if (!lines) return report(c, lines.error(), {file});
  return standard_output ? kOk : say(c, file, *lines);
}

}  // namespace ki::cli
