#pragma once
#include <string>
#include <string_view>

namespace townpost {

// Secrets that the town hands out, and what it keeps of them. Any thread may call.

/// 32 bytes from the kernel's chance, as base64url: 43 letters. Whoever knows it is let in, so it is shown once.
std::string new_secret();

/// What is stored of a secret: its BLAKE2b hash of 32 bytes, in hexadecimal digits.
std::string hash_of_secret(std::string_view secret);

/// Whether two hashes are the same; how long that takes says nothing about where they differ.
bool is_same_hash(std::string_view a, std::string_view b);

}  // namespace townpost
