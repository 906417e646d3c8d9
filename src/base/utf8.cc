#include "base/utf8.h"

#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace townpost {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

// Bodies are mostly ASCII and up to 1 MiB, so those bytes are passed over eight at a time.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + at, 8);
    if (eight & 0x8080808080808080ULL) break;
  }
  while (at < text.size() && byte_at(text, at) < 0x80) ++at;
  return at;
}

}  // namespace

Utf8Step first_step(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1, true};
  // The second byte's bounds are what rules out overlong forms, surrogates and everything above U+10FFFF.
  std::size_t size = 0;
  unsigned low = 0x80, high = 0xBF;
  char32_t point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
    point = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    point = lead & 0x0Fu;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    point = lead & 0x07u;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {kReplacement, 1, false};
  }
  for (std::size_t at = 1; at < size; ++at) {
    if (at >= text.size() || byte_at(text, at) < low || byte_at(text, at) > high) return {kReplacement, at, false};
    point = (point << 6) | (byte_at(text, at) & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {point, size, true};
}

void append_utf8(std::string& out, char32_t point) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(static_cast<unsigned char>(value))); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0 | (point >> 6));
    byte(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    byte(0xE0 | (point >> 12));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  } else {
    byte(0xF0 | (point >> 18));
    byte(0x80 | ((point >> 12) & 0x3F));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  }
}

bool is_utf8(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_prefix(text));
    // Text in another script has long runs without ASCII: stay here for as long as they last.
    while (!text.empty() && byte_at(text, 0) >= 0x80) {
      const Utf8Step step = first_step(text);
      if (!step.well_formed) return false;
      text.remove_prefix(step.bytes);
    }
    if (text.empty()) return true;
  }
}

std::string to_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 16);
  for_each_character(text, [&out](char32_t, std::string_view bytes) { out.append(bytes); });
  return out;
}

std::size_t length_in_characters(std::string_view text) {
  std::size_t count = 0;
  for (char byte : text)
    if (!continues(byte)) ++count;
  return count;
}

std::string_view first_characters(std::string_view text, std::size_t characters) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (continues(text[at])) continue;
    if (characters == 0) return text.substr(0, at);
    --characters;
  }
  return text;
}

std::string_view first_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string shorten(std::string_view text, std::size_t characters) {
  if (first_characters(text, characters).size() == text.size()) return std::string(text);
  if (characters == 0) return {};
  return cat(first_characters(text, characters - 1), "…");
}

}  // namespace townpost
