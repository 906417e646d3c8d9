#include "protocol/subject.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {

namespace {

bool is_alnum(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}

bool is_ascii_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/// White space of any script, and the characters that take no space at all.
bool is_wide_space(char32_t point) {
  return point == 0x85 || point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200B) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000 || point == 0xFEFF;
}

struct Range {
  char32_t first, last;
};
// The blocks that hold emoji, with the joiners, selectors and tags that make one out of several. They also hold a few
// arrows and signs that are none: nobody begins a type with those.
constexpr std::array kEmoji = {
    Range{0xA9, 0xA9},       Range{0xAE, 0xAE},     Range{0x200D, 0x200D}, Range{0x203C, 0x203C},
    Range{0x2049, 0x2049},   Range{0x20E3, 0x20E3}, Range{0x2122, 0x2122}, Range{0x2139, 0x2139},
    Range{0x2190, 0x21FF},   Range{0x2300, 0x23FF}, Range{0x24C2, 0x24C2}, Range{0x25A0, 0x27BF},
    Range{0x2900, 0x297F},   Range{0x2B00, 0x2BFF}, Range{0x3030, 0x3030}, Range{0x303D, 0x303D},
    Range{0x3297, 0x3297},   Range{0x3299, 0x3299}, Range{0xFE0E, 0xFE0F}, Range{0x1F000, 0x1FAFF},
    Range{0xE0020, 0xE007F},
};

bool is_emoji(char32_t point) {
  return std::any_of(kEmoji.begin(), kEmoji.end(),
                     [point](const Range& range) { return point >= range.first && point <= range.last; });
}

/// Behind "1", "#" or "*": the two characters that make a key of a keypad out of it, or nothing.
std::size_t keycap_bytes(std::string_view text) {
  constexpr std::string_view kCap = "\u20E3", kSelectedCap = "\uFE0F\u20E3";
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '#' || text[0] == '*')) return 0;
  if (text.substr(1).starts_with(kCap)) return 1 + kCap.size();
  if (text.substr(1).starts_with(kSelectedCap)) return 1 + kSelectedCap.size();
  return 0;
}

std::string_view without_ornaments(std::string_view text) {
  while (!text.empty()) {
    if (is_ascii_space(text[0])) {
      text.remove_prefix(1);
    } else if (const std::size_t keycap = keycap_bytes(text); keycap > 0) {
      text.remove_prefix(keycap);
    } else if (static_cast<unsigned char>(text[0]) < 0x80) {
      break;
    } else {
      const Utf8Step step = first_step(text);
      if (!is_wide_space(step.point) && !is_emoji(step.point)) break;
      text.remove_prefix(step.bytes);
    }
  }
  return text;
}

/// Up to white space or a colon.
std::string_view first_token(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != ':' && !is_ascii_space(text[end])) {
    if (static_cast<unsigned char>(text[end]) < 0x80) {
      ++end;
      continue;
    }
    const Utf8Step step = first_step(text.substr(end));
    if (is_wide_space(step.point)) break;
    end += step.bytes;
  }
  return text.substr(0, end);
}

/// Without the white space of any script at its beginning: that only parted it from the type.
std::string_view after_space(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = first_step(text);
    if (!is_ascii_space(text[0]) && !is_wide_space(step.point)) break;
    text.remove_prefix(step.bytes);
  }
  return text;
}

std::string_view topic_in(std::string_view rest) {
  rest = after_space(rest);
  if (rest.starts_with(':')) rest.remove_prefix(1);
  return trim(after_space(rest));
}

bool is_answer_mark(std::string_view token) {
  return equal_ascii_case(token, "re") || equal_ascii_case(token, "fwd") || equal_ascii_case(token, "fw");
}

bool looks_like_id(std::string_view text, std::size_t most_hyphens) {
  std::size_t at = 0;
  while (at < text.size() && is_alnum(text[at])) ++at;
  if (at == 0 || at == text.size()) return false;
  std::size_t hyphens = 0;
  for (; at < text.size(); ++at) {
    if (is_alnum(text[at]) || (text[at] == '.' && hyphens > 0)) continue;
    if (text[at] != '-' || ++hyphens > most_hyphens) return false;
    if (at + 1 == text.size() || text[at + 1] == '-') return false;
  }
  return hyphens > 0;
}

}  // namespace

bool looks_like_prefix_id(std::string_view text) { return looks_like_id(text, 1); }
bool looks_like_bracket_id(std::string_view text) { return looks_like_id(text, text.size()); }

Subject read_subject(const TypeRegistry& registry, std::string_view subject) {
  Subject found;
  std::string_view rest = subject;
  // Asked once, so that a subject of nothing but "[:[:[:" is not searched to its end again and again.
  const std::size_t last_bracket = subject.rfind(']');
  bool stripped_only_marks = true;
  while (true) {
    rest = without_ornaments(rest);
    if (rest.empty()) return found;
    const auto at = static_cast<std::size_t>(rest.data() - subject.data());
    if (rest[0] == '[' && last_bracket != std::string_view::npos && at < last_bracket) {
      const std::size_t end = rest.find(']');
      const std::string_view inside = rest.substr(1, end - 1);
      if (found.bracket_id.empty() && looks_like_bracket_id(inside)) found.bracket_id = inside;
      rest.remove_prefix(end + 1);
      if (rest.starts_with(':')) rest.remove_prefix(1);  // "[ol-1]: DONE"
      stripped_only_marks = false;
      continue;
    }
    const std::string_view token = first_token(rest);
    const std::string_view behind = rest.substr(token.size());
    const bool before_colon = behind.starts_with(':');
    const ProtocolType* type = token.empty() ? nullptr : registry.find(token);
    if (type != nullptr && !type->named_by_subject()) type = nullptr;
    if (type == nullptr && before_colon && !token.empty()) {
      if (found.prefix_id.empty() && looks_like_prefix_id(token)) found.prefix_id = token;
      stripped_only_marks = stripped_only_marks && is_answer_mark(token);
      rest = behind.substr(1);
      continue;
    }
    if (type == nullptr) return found;
    const bool whole = stripped_only_marks && without_ornaments(behind).empty();
    if (token == type->name || before_colon || whole || !found.id().empty()) {
      found.type = type;
      found.topic = topic_in(behind);
    }
    return found;
  }
}

Subject read_subject_like_agentops(const TypeRegistry& registry, std::string_view subject) {
  constexpr std::array<std::string_view, 10> kOrder = {
      "BEAD_ACCEPTED", "OFFERING_READY", "HELP_REQUEST", "HELP_RESPONSE", "SPAWN_REQUEST",
      "SPAWN_ACK",     "CHECKPOINT",     "PROGRESS",     "FAILED",        "DONE"};
  // The ids are where they always are.
  Subject found = read_subject(registry, subject);
  found.type = nullptr;
  found.topic = {};
  for (const std::string_view name : kOrder) {
    const auto at = std::search(subject.begin(), subject.end(), name.begin(), name.end(), [](char byte, char wanted) {
      return byte == wanted || (byte >= 'a' && byte <= 'z' && byte - ('a' - 'A') == wanted);
    });
    if (at == subject.end()) continue;
    found.type = registry.find(name);
    found.topic = topic_in(subject.substr(static_cast<std::size_t>(at - subject.begin()) + name.size()));
    break;
  }
  return found;
}

std::string subject_head(const ProtocolType& type) {
  std::string_view form = type.subject;
  if (const std::size_t end = form.find("] "); form.starts_with("[<") && end != std::string_view::npos)
    form.remove_prefix(end + 2);
  const std::size_t slot = form.find('<');
  if (slot != std::string_view::npos) return std::string(form.substr(0, slot));
  return cat(form, " ");
}

std::string write_subject(const ProtocolType& type, std::string_view id, std::string_view topic) {
  std::string out;
  if (type.subject.starts_with("[<") && looks_like_bracket_id(id)) out = cat("[", id, "] ");
  out += subject_head(type);
  out += topic;
  if (topic.empty()) {
    // "HELP: " without a topic is "HELP".
    while (!out.empty() && (out.back() == ' ' || out.back() == ':')) out.pop_back();
  }
  return out;
}

}  // namespace townpost::protocol
