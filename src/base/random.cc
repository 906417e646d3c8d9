#include "base/random.h"

#include <unistd.h>

#include "base/check.h"

namespace townpost {

std::uint64_t SystemRandom::bits() {
  std::uint64_t value = 0;
  // Fails only on a kernel without it, and a guessable name in its place would be worse than the end.
  CHECK(getentropy(&value, sizeof value) == 0);
  return value;
}

std::uint64_t SeededRandom::bits() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

std::string random_hex(Random& random, int digits) {
  std::string out;
  std::uint64_t bits = 0;
  for (int digit = 0; digit < digits; ++digit) {
    if (digit % 16 == 0) bits = random.bits();
    out.push_back("0123456789abcdef"[bits & 0xF]);
    bits >>= 4;
  }
  return out;
}

}  // namespace townpost
