#pragma once
#include <cstdint>
#include <string>

namespace townpost {

/// Chance, handed in so that tests can repeat it. The system's is for any number of threads, a seeded one for one.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t bits() = 0;
};

/// From the kernel; good enough for names that must not be guessed.
class SystemRandom final : public Random {
 public:
  std::uint64_t bits() override;
};

/// The same sequence for the same seed (splitmix64).
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() override;

 private:
  std::uint64_t state_;
};

/// `digits` lower-case hexadecimal digits.
std::string random_hex(Random& random, int digits);

}  // namespace townpost
