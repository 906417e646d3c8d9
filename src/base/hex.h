#pragma once
#include <cstdint>
#include <string>

namespace townpost {

/// The sixteen digits of a number, small letters.
inline std::string hex64(std::uint64_t number) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[number >> shift & 15];
  return out;
}

}  // namespace townpost
