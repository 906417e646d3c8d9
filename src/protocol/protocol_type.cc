#include "protocol/protocol_type.h"

#include <algorithm>

#include "base/text.h"

namespace townpost::protocol {

namespace {

char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte; }

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

}  // namespace

const Field* ProtocolType::field(std::string_view key) const {
  for (const Field& field : fields)
    if (field.key == key) return &field;
  return nullptr;
}

std::string_view name(Dialect dialect) {
  switch (dialect) {
    case Dialect::gas_town:
      return "gas_town";
    case Dialect::agent_mail:
      return "agent_mail";
    case Dialect::directory:
      return "directory";
    case Dialect::own:
      return "own";
  }
  return {};
}

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "text";
    case Kind::enumeration:
      return "enum";
    case Kind::integer:
      return "integer";
    case Kind::percent:
      return "percent";
    case Kind::list:
      return "list";
    case Kind::instant:
      return "instant";
    case Kind::section:
      return "section";
    case Kind::flag:
      return "flag";
  }
  return {};
}

std::string snake_case(std::string_view label) {
  std::string key = fold_case(label);
  for (char& byte : key)
    if (byte == ' ' || byte == '-') byte = '_';
  return key;
}

std::vector<std::string_view> words_of(std::string_view values) {
  if (values.empty()) return {};
  return split(values, '|');
}

std::string_view word_in(std::string_view values, std::string_view text) {
  while (!values.empty()) {
    const std::size_t end = std::min(values.find('|'), values.size());
    if (equal_ascii_case(values.substr(0, end), text)) return values.substr(0, end);
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return {};
}

bool equal_ascii_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return x == y || lower(x) == lower(y); });
}

bool same_name(std::string_view declared, std::string_view text) {
  if (equal_ascii_case(declared, text)) return true;
  // A letter has at most four bytes, so a longer text cannot be the same; this also bounds the work for hostile ones.
  if (text.size() > 4 * declared.size() || is_ascii(declared)) return false;
  return fold_case(declared) == fold_case(text);
}

}  // namespace townpost::protocol
