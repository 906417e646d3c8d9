#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "net/host_lookup.h"

namespace townpost {

namespace {

struct Block {
  std::uint32_t first;
  int bits;
};

// What is set aside (RFC 6890 and its successors).
constexpr std::array<Block, 16> kSetAside = {{{0x00000000, 8},   // this network
                                              {0x0a000000, 8},   // private
                                              {0x64400000, 10},  // shared by a provider's customers
                                              {0x7f000000, 8},   // loopback
                                              {0xa9fe0000, 16},  // link-local
                                              {0xac100000, 12},  // private
                                              {0xc0000000, 24},  // protocol assignments
                                              {0xc0000200, 24},  // documentation
                                              {0xc0586300, 24},  // 6to4 relays
                                              {0xc0a80000, 16},  // private
                                              {0xc6120000, 15},  // benchmarks
                                              {0xc6336400, 24},  // documentation
                                              {0xcb007100, 24},  // documentation
                                              {0xe0000000, 4},   // multicast
                                              {0xf0000000, 4},   // reserved
                                              {0xffffffff, 32}}};

bool is_public_four(std::uint32_t number) {
  return std::none_of(kSetAside.begin(), kSetAside.end(),
                      [&](const Block& block) { return ((number ^ block.first) >> (32 - block.bits)) == 0; });
}

std::uint32_t four_at(const std::array<std::uint8_t, 16>& bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) << 24 | static_cast<std::uint32_t>(bytes[at + 1]) << 16 |
         static_cast<std::uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
}

bool is_public_six(const std::array<std::uint8_t, 16>& bytes) {
  const auto begins = [&](std::initializer_list<std::uint8_t> with) {
    return std::equal(with.begin(), with.end(), bytes.begin());
  };
  // Numbers of the other kind in another dress are what they are below it.
  if (begins({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return is_public_four(four_at(bytes, 12));
  if (begins({0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return is_public_four(four_at(bytes, 12));
  if (begins({0x20, 0x02})) return is_public_four(four_at(bytes, 2));
  if ((bytes[0] & 0xe0) != 0x20) return false;                             // nothing else is given out
  return !begins({0x20, 0x01, 0x0d, 0xb8}) && !begins({0x20, 0x01, 0x00})  // documentation; tunnels and tests
         && !begins({0x20, 0x01, 0x01}) && !begins({0x3f, 0xff});
}

}  // namespace

bool is_public_number(std::string_view number) {
  const std::string text(number);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return is_public_four(ntohl(four.s_addr));
  std::array<std::uint8_t, 16> six{};
  return inet_pton(AF_INET6, text.c_str(), six.data()) == 1 && is_public_six(six);
}

}  // namespace townpost
