#include "base/secret.h"

#include <gtest/gtest.h>

#include <set>

namespace townpost {
namespace {

TEST(Secret, IsLongAndAnotherEachTime) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto secret = new_secret();
    EXPECT_EQ(secret.size(), 43u);
    EXPECT_EQ(secret.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
              std::string::npos);
    EXPECT_TRUE(seen.insert(secret).second);
  }
}

// Stored hashes must be found again by every later version: this is BLAKE2b-256, without a key.
TEST(Secret, IsKeptAsItsHash) {
  EXPECT_EQ(hash_of_secret("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(hash_of_secret(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST(Secret, HashesAreTheSameOnlyAsAWhole) {
  const auto hash = hash_of_secret("abc");
  EXPECT_TRUE(is_same_hash(hash, hash_of_secret("abc")));
  EXPECT_FALSE(is_same_hash(hash, hash_of_secret("abd")));
  EXPECT_FALSE(is_same_hash(hash, hash.substr(1)));
  EXPECT_FALSE(is_same_hash(hash, ""));
  EXPECT_TRUE(is_same_hash("", ""));
}

}  // namespace
}  // namespace townpost
