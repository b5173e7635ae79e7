#include "http/address_limits.h"

#include <gtest/gtest.h>

namespace ki::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const AddressLimits::Time kStart{seconds(1000)};

TEST(ClientAddress, IsTheAddressAloneHoweverAProxyWritesIt) {
  for (const std::string_view written : {"192.0.2.1", " 192.0.2.1 ", "192.0.2.1:4711"}) {
    EXPECT_EQ(client_address(written), "192.0.2.1") << written;
  }
  for (const std::string_view written : {"2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:4711",
                                         "2001:DB8:0::1", "2001:db8::1%eth0"}) {
    EXPECT_EQ(client_address(written), "2001:db8::1") << written;
  }
}

TEST(ClientAddress, IsOneForAnIPv4AddressInAnIPv6One) {
  for (const std::string_view written :
       {"::ffff:192.0.2.1", "[::ffff:192.0.2.1]:4711", "::FFFF:c000:201"}) {
    EXPECT_EQ(client_address(written), "192.0.2.1") << written;
  }
}

TEST(ClientAddress, IsNotWhatIsNoAddress) {
  for (const std::string_view written :
       {"", "unknown", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:123456", "192.0.2.1/24", "192.0.2",
        "[192.0.2.1", "[2001:db8::1", "[2001:db8::1]4711", "[]", "[]:1", ":4711",
        "[2001:db8::1]:", "example.org:80"}) {
    EXPECT_EQ(client_address(written), std::nullopt) << written;
  }
}

TEST(AddressLimits, GiveABurstAndThenASteadyRate) {
  AddressLimits limits({.per_second = 2, .burst = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limits.take("192.0.2.1", kStart), seconds(0)) << i;
  EXPECT_EQ(limits.take("192.0.2.1", kStart), seconds(1));
  EXPECT_EQ(limits.take("192.0.2.1", kStart + milliseconds(499)), seconds(1));
  EXPECT_EQ(limits.take("192.0.2.1", kStart + milliseconds(501)), seconds(0));
  EXPECT_EQ(limits.take("192.0.2.1", kStart + milliseconds(502)), seconds(1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limits.take("192.0.2.1", kStart + seconds(60)), seconds(0));
  EXPECT_EQ(limits.take("192.0.2.1", kStart + seconds(60)), seconds(1)) << "a pause fills it once";
}

TEST(AddressLimits, SayWhenToComeBack) {
  AddressLimits limits({.per_second = 0.1, .burst = 1});
  EXPECT_EQ(limits.take("192.0.2.1", kStart), seconds(0));
  EXPECT_EQ(limits.take("192.0.2.1", kStart), seconds(10));
  EXPECT_EQ(limits.take("192.0.2.1", kStart + seconds(4)), seconds(6));
}

TEST(AddressLimits, AreOfOneClientEach) {
  AddressLimits limits({.per_second = 1, .burst = 1});
  EXPECT_EQ(limits.take("192.0.2.1", kStart), seconds(0));
  EXPECT_EQ(limits.take("192.0.2.2", kStart), seconds(0));
  EXPECT_EQ(limits.take("2001:db8::1", kStart), seconds(0));
  EXPECT_NE(limits.take("2001:db8::2", kStart), seconds(0)) << "the same network of 64 bits";
  EXPECT_EQ(limits.take("2001:db8:0:1::1", kStart), seconds(0));
  EXPECT_EQ(limits.take("::ffff:192.0.2.3", kStart), seconds(0));
  EXPECT_EQ(limits.take("::ffff:192.0.2.4", kStart), seconds(0)) << "not one network, but IPv4";
  EXPECT_NE(limits.take("::ffff:192.0.2.1", kStart), seconds(0)) << "192.0.2.1 in other words";
  EXPECT_NE(limits.take("192.0.2.4", kStart), seconds(0));
}

TEST(AddressLimits, AreBoundedInMemory) {
  AddressLimits limits({.per_second = 1, .burst = 2});
  for (std::size_t i = 0; i < 3 * kAddressesMax; ++i) {
    EXPECT_EQ(limits.take("address " + std::to_string(i), kStart), seconds(0));
    ASSERT_LE(limits.addresses(), kAddressesMax);
  }
}

}  // namespace
}  // namespace ki::http
