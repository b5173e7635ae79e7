#include "http/coding.h"

#include <array>
#include <optional>

#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <zstd.h>

#include "base/result.h"
#include "base/text.h"

namespace ki::http {
namespace {

constexpr int kZstdLevel = 3;
constexpr int kGzipLevel = 4;

// Thousandths of a weight: "1", "0.25", "1.000" (at most three digits after the point).
std::optional<int> thousandths(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int value = (text[0] - '0') * 1000;
  if (text.size() == 1) return value;
  if (text[1] != '.' || text.size() > 5) return std::nullopt;
  int place = 100;
  for (const char c : text.substr(2)) {
    if (c < '0' || c > '9') return std::nullopt;
    value += (c - '0') * place;
    place /= 10;
  }
  return value <= 1000 ? std::optional(value) : std::nullopt;
}

// The weight of one entry of the list, nullopt when it is not well formed.
std::optional<int> weight_of(std::string_view entry) {
  const auto semicolon = entry.find(';');
  if (semicolon == std::string_view::npos) return 1000;
  const std::string_view parameter = trim(entry.substr(semicolon + 1));
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return std::nullopt;
  return thousandths(parameter.substr(2));
}

std::string zstd_of(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return {};
  out.resize(size);
  return out;
}

void add_little_endian(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

// RFC 1952 around a deflate stream. No time and no name in the head: the same input, the same
// bytes.
std::string gzip_of(std::string_view bytes) {
  namespace zlib = boost::beast::zlib;
  static constexpr std::string_view kHead("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  zlib::deflate_stream stream;
  stream.reset(kGzipLevel, 15, 8, zlib::Strategy::normal);
  std::string out(kHead.size() + stream.upper_bound(bytes.size()), '\0');
  out.replace(0, kHead.size(), kHead);
  zlib::z_params params;
  params.next_in = bytes.data();
  params.avail_in = bytes.size();
  params.next_out = out.data() + kHead.size();
  params.avail_out = out.size() - kHead.size();
  boost::beast::error_code error;
  stream.write(params, zlib::Flush::finish, error);
  if (error != zlib::error::end_of_stream) return {};
  out.resize(out.size() - params.avail_out);
  boost::crc_32_type checksum;
  checksum.process_bytes(bytes.data(), bytes.size());
  add_little_endian(out, checksum.checksum());
  add_little_endian(out, static_cast<std::uint32_t>(bytes.size()));
  return out;
}

}  // namespace

std::string_view name_of(Coding coding) {
  switch (coding) {
    case Coding::identity:
      return "";
    case Coding::zstd:
      return "zstd";
    case Coding::gzip:
      return "gzip";
  }
  KI_UNREACHABLE();
}

Coding choose_coding(std::string_view accept_encoding) {
  std::optional<int> zstd;
  std::optional<int> gzip;
  std::optional<int> identity;
  std::optional<int> others;
  for (const std::string_view entry : split(accept_encoding, ',')) {
    const std::string_view name = trim(entry.substr(0, entry.find(';')));
    const std::optional<int> weight = weight_of(entry);
    if (!weight) continue;
    if (equals_ignoring_case(name, "zstd")) zstd = weight;
    if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip")) gzip = weight;
    if (equals_ignoring_case(name, "identity")) identity = weight;
    if (name == "*") others = weight;
  }
  struct Offer {
    Coding coding;
    int weight;
  };
  const std::array<Offer, 2> offers = {Offer{Coding::zstd, zstd.value_or(others.value_or(0))},
                                       Offer{Coding::gzip, gzip.value_or(others.value_or(0))}};
  Offer best{Coding::identity, 0};
  for (const Offer& offer : offers) {
    if (offer.weight > best.weight) best = offer;
  }
  return identity && *identity > best.weight ? Coding::identity : best.coding;
}

std::string encode(Coding coding, std::string_view bytes) {
  switch (coding) {
    case Coding::identity:
      return {};
    case Coding::zstd:
      return zstd_of(bytes);
    case Coding::gzip:
      return gzip_of(bytes);
  }
  KI_UNREACHABLE();
}

}  // namespace ki::http
