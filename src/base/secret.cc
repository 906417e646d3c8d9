#include "base/secret.h"

#include <sodium.h>

#include <array>

#include "base/check.h"

namespace townpost {

namespace {

constexpr std::size_t kBytes = 32;

/// libsodium wants to be asked to begin; a start that needs no secret does not pay for that.
void begin() {
  static const int begun = ::sodium_init();
  CHECK(begun >= 0);
}

}  // namespace

std::string new_secret() {
  begin();
  std::array<unsigned char, kBytes> bytes{};
  ::randombytes_buf(bytes.data(), bytes.size());
  constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::array<char, sodium_base64_ENCODED_LEN(kBytes, kVariant)> text{};
  ::sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kVariant);
  ::sodium_memzero(bytes.data(), bytes.size());
  std::string out(text.data());
  ::sodium_memzero(text.data(), text.size());
  return out;
}

std::string hash_of_secret(std::string_view secret) {
  begin();
  std::array<unsigned char, crypto_generichash_BYTES> hash{};
  ::crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(secret.data()), secret.size(),
                       nullptr, 0);
  std::array<char, 2 * crypto_generichash_BYTES + 1> text{};
  ::sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
  return text.data();
}

bool is_same_hash(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace townpost
