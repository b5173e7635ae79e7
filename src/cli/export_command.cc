// ki export: the catalog as JSON lines, compressed when the name says so.

#include <fstream>
#include <memory>
#include <ostream>
#include <vector>

#include <zstd.h>

#include "catalog/catalog.h"
#include "catalog/dump.h"
#include "cli/commands.h"
#include "cli/open.h"

namespace ki::cli {
namespace {

constexpr int kCompressionLevel = 12;

// Lines into a stream, through zstd or not.
class LineWriter {
 public:
  LineWriter(std::ostream& out, bool compressed) : out_(out) {
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
      out_ << pending_;
    } else {
      compressed_.resize(ZSTD_CStreamOutSize());
      ZSTD_inBuffer in{pending_.data(), pending_.size(), 0};
      std::size_t left = 1;
      while (left != 0 && (in.pos < in.size || directive == ZSTD_e_end)) {
        ZSTD_outBuffer out{compressed_.data(), compressed_.size(), 0};
        left = ZSTD_compressStream2(stream_.get(), &out, &in, directive);
        if (ZSTD_isError(left) != 0) return fail(Code::internal, ZSTD_getErrorName(left));
        out_.write(compressed_.data(), static_cast<std::streamsize>(out.pos));
      }
    }
    pending_.clear();
    if (!out_.good()) return fail(Code::unavailable, "cannot write; is the disk full?");
    return {};
  }

  struct Free {
    void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
  };
  std::ostream& out_;
  std::unique_ptr<ZSTD_CCtx, Free> stream_;
  std::string pending_;
  std::vector<char> compressed_;
};

Result<std::int64_t> write_lines(const Context& c, std::ostream& out, bool compressed) {
  const auto catalog = TRY(catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::read_only}));
  LineWriter writer(out, compressed);
  const std::int64_t lines = TRY(catalog::dump(
      catalog.connection(), [&](std::string_view line) { return writer.line(line); }));
  TRY(writer.finish());
  return lines;
}

// Into a file beside the target, which takes its name only when it is whole.
Result<std::int64_t> write_export(const Context& c, const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return fail(Code::conflict, "exists already", path.string());
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  if (!out) return fail(Code::unavailable, "cannot create the file", partial.string());
  auto lines = write_lines(c, out, path.extension() == ".zst");
  out.close();
  std::error_code error;
  if (lines && out.good()) {
    std::filesystem::rename(partial, path, error);
    if (!error) return lines;
    lines = fail(Code::unavailable, "cannot rename: " + error.message(), partial.string());
  }
  std::filesystem::remove(partial, error);
  if (lines) return fail(Code::unavailable, "cannot write; is the disk full?", path.string());
  return lines;
}

}  // namespace

int export_catalog(const Context& c, const std::string& file) {
  const bool standard_output = file == "-";
  const auto lines = standard_output ? write_lines(c, c.out, false) : write_export(c, file);
  if (!lines) return report(c, lines.error());
  if (!standard_output && !c.quiet) c.out << file << ": " << *lines << " lines\n";
  return kOk;
}

}  // namespace ki::cli
