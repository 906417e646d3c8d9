#include "base/text.h"

namespace townpost {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string joined(std::initializer_list<const Piece*> pieces) {
  std::size_t size = 0;
  for (const auto* piece : pieces) size += piece->text().size();
  std::string out;
  out.reserve(size);
  for (const auto* piece : pieces) out.append(piece->text());
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out.append(separator);
    out.append(part);
  }
  return out;
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& byte : out)
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + ('a' - 'A'));
  return out;
}

std::uint64_t digest64(std::string_view text, std::uint64_t seed) {
  std::uint64_t digest = seed;
  for (char byte : text) {
    digest ^= static_cast<unsigned char>(byte);
    digest *= 0x100000001b3ULL;
  }
  return digest;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t used = indent;
  for (const auto word : split(text, ' ')) {
    const auto length = length_in_characters(word);
    if (out.empty()) {
      used += length;
    } else if (used + 1 + length > width) {
      out += cat("\n", std::string(indent, ' '));
      used = indent + length;
    } else {
      out += ' ';
      used += 1 + length;
    }
    out += word;
  }
  return out;
}

}  // namespace townpost
