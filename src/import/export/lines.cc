#include "import/export/lines.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <zstd.h>

namespace ki::importer {

namespace {

using LineFunction = std::function<void(std::string_view, std::int64_t, std::uint64_t)>;

// Cuts text that comes in pieces into lines.
class Cutter {
 public:
  Cutter(const LineFunction& line, const LineLimits& limits) : line_(line), limits_(limits) {}

  Status feed(std::string_view piece, std::uint64_t consumed) {
    text_bytes_ += piece.size();
    if (text_bytes_ > limits_.text_bytes_max) {
      return fail(Code::too_large,
                  fmt::format("the text is longer than {} bytes", limits_.text_bytes_max));
    }
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end);
      if (rest_.size() + part.size() > limits_.line_bytes_max) {
        return fail(Code::too_large, fmt::format("line {} is longer than {} bytes", number_ + 1,
                                                 limits_.line_bytes_max));
      }
      if (end == std::string_view::npos) {
        rest_ += part;
        return {};
      }
      if (rest_.empty()) {
        emit(part, consumed);
      } else {
        rest_ += part;
        emit(rest_, consumed);
        rest_.clear();
      }
      piece.remove_prefix(end + 1);
    }
    return {};
  }

  void finish(std::uint64_t consumed) {
    if (!rest_.empty()) emit(rest_, consumed);
  }

 private:
  void emit(std::string_view text, std::uint64_t consumed) {
    ++number_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!text.empty()) line_(text, number_, consumed);
  }

  const LineFunction& line_;
  const LineLimits& limits_;
  std::string rest_;  // of a line that goes on in the next piece
  std::int64_t number_ = 0;
  std::uint64_t text_bytes_ = 0;
};

Status decompress(std::string_view bytes, Cutter& cutter) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  KI_CHECK(stream != nullptr);
  constexpr int kWindowLogMax = 27;  // 128 MiB, what the zstd program accepts
  KI_CHECK(!ZSTD_isError(ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kWindowLogMax)));
  std::string buffer(std::size_t{1} << 20, '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t missing = 0;
  bool is_full = false;
  while (in.pos < in.size || is_full) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    missing = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(missing)) {
      return fail(Code::invalid,
                  fmt::format("the zstd compression is damaged: {}", ZSTD_getErrorName(missing)));
    }
    is_full = out.pos == out.size;
    TRY(cutter.feed({buffer.data(), out.pos}, in.pos));
  }
  if (missing != 0) return fail(Code::invalid, "the zstd compression ends in the middle");
  return {};
}

}  // namespace

Status for_each_line(std::string_view bytes, const LineFunction& line, const LineLimits& limits) {
  constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
  Cutter cutter(line, limits);
  if (bytes.starts_with(kZstdMagic)) {
    TRY(decompress(bytes, cutter));
  } else {
    TRY(cutter.feed(bytes, bytes.size()));
  }
  cutter.finish(bytes.size());
  return {};
}

}  // namespace ki::importer
