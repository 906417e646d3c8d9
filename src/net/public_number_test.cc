#include <gtest/gtest.h>

#include "net/host_lookup.h"

namespace townpost {
namespace {

TEST(PublicNumber, IsWhatTheInternetRoutes) {
  for (const auto* number : {"1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.255.255", "192.169.0.1",
                             "223.255.255.255", "2606:4700:4700::1111", "2001:4860:4860::8888", "::ffff:8.8.8.8"})
    EXPECT_TRUE(is_public_number(number)) << number;
}

TEST(PublicNumber, IsNothingOfThisMachineOrNetwork) {
  for (const auto* number : {"0.0.0.0",         "10.1.2.3",   "100.64.0.1",      "127.0.0.1",   "127.255.255.254",
                             "169.254.169.254", "172.16.0.1", "172.31.255.255",  "192.168.1.1", "198.18.0.1",
                             "224.0.0.1",       "240.0.0.1",  "255.255.255.255", "::",          "::1",
                             "fe80::1",         "fc00::1",    "fd12::1",         "ff02::1",     "2001:db8::1",
                             "2001::1",         "3fff::1"})
    EXPECT_FALSE(is_public_number(number)) << number;
}

TEST(PublicNumber, IsNotHiddenInANumberOfTheOtherKind) {
  for (const auto* number : {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
                             "2002:7f00:1::", "2002:c0a8:101::", "::127.0.0.1"})
    EXPECT_FALSE(is_public_number(number)) << number;
}

TEST(PublicNumber, IsNoOtherText) {
  for (const auto* number : {"", "localhost", "1.2.3", "0x7f000001", "127.1", "1.1.1.1 ", "fe80::1%eth0"})
    EXPECT_FALSE(is_public_number(number)) << number;
}

}  // namespace
}  // namespace townpost
