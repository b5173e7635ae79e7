#include "http/coding.h"

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>
#include <gtest/gtest.h>

namespace ki::http {
namespace {

TEST(ChooseCoding, TakesTheHighestWeight) {
  struct Case {
    std::string_view accepts;
    Coding coding;
  };
  constexpr Case kCases[] = {
      {"", Coding::identity},
      {"zstd", Coding::zstd},
      {"gzip", Coding::gzip},
      {"x-gzip", Coding::gzip},
      {"gzip, deflate, br, zstd", Coding::zstd},
      {"gzip;q=1.0, ZSTD ; q=0.5", Coding::gzip},
      {"gzip;q=0.5, zstd;q=0.501", Coding::zstd},
      {"*", Coding::zstd},
      {"*;q=0.5, gzip", Coding::gzip},
      {"zstd;q=0, *", Coding::gzip},
      {"zstd;q=0, gzip;q=0.000", Coding::identity},
      {"*;q=0", Coding::identity},
      {"identity, gzip;q=0.5", Coding::identity},
      {"identity;q=0.5, gzip", Coding::gzip},
      {"identity, gzip", Coding::gzip},
      {"identity;q=0", Coding::identity},  // nothing is acceptable, and an answer is better
      {"br, deflate", Coding::identity},
      {"zstdx", Coding::identity},
      {"zstd;x=1", Coding::identity},
      {"zstd;q=2", Coding::identity},
      {"zstd;q=1.001", Coding::identity},
      {"zstd;q=0.1234", Coding::identity},
      {"zstd;q=nan, gzip;q=inf", Coding::identity},
      {"zstd;q=-1", Coding::identity},
      {"zstd;q=, gzip", Coding::gzip},
      {",,gzip,", Coding::gzip},
  };
  for (const Case& one : kCases) EXPECT_EQ(choose_coding(one.accepts), one.coding) << one.accepts;
}

std::string gunzip(std::string_view packed, std::size_t size) {
  namespace zlib = boost::beast::zlib;
  constexpr std::size_t kHead = 10;
  zlib::inflate_stream stream;
  stream.reset();
  std::string out(size, '\0');
  zlib::z_params params;
  params.next_in = packed.data() + kHead;
  params.avail_in = packed.size() - kHead;
  params.next_out = out.data();
  params.avail_out = out.size();
  boost::beast::error_code error;
  stream.write(params, zlib::Flush::sync, error);
  EXPECT_TRUE(!error || error == zlib::error::end_of_stream) << error.message();
  out.resize(size - params.avail_out);
  return out;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

TEST(Encode, GzipIsWhatEveryClientReads) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += std::to_string(i * i) + ",";
  const std::string packed = encode(Coding::gzip, body);
  EXPECT_LT(packed.size(), body.size() / 2);
  EXPECT_EQ(packed.substr(0, 3), "\x1f\x8b\x08");
  EXPECT_EQ(gunzip(packed, body.size()), body);
  boost::crc_32_type checksum;
  checksum.process_bytes(body.data(), body.size());
  EXPECT_EQ(little_endian(packed.substr(packed.size() - 8)), checksum.checksum());
  EXPECT_EQ(little_endian(packed.substr(packed.size() - 4)), body.size());
  EXPECT_EQ(packed, encode(Coding::gzip, body));
}

TEST(Encode, NothingIsDoneForIdentity) { EXPECT_EQ(encode(Coding::identity, "body"), ""); }

}  // namespace
}  // namespace ki::http
