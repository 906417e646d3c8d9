#pragma once
#include <string>
#include <string_view>

namespace townpost::protocol {

/// The JSON of another program, so that it can be read: bytes that are not UTF-8, and escapes of half a character
/// (`\ud800`, which Python writes for such a byte), become U+FFFD; a byte order mark is dropped.
std::string readable_json(std::string_view text);

}  // namespace townpost::protocol
