#include "base/text.h"
#include "base/utf8.h"

namespace townpost {

namespace {

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point <= 0x9F); }

// Invisible, and able to make text read in another order than it is stored: "exe.txt" for what is "txt.exe".
bool is_direction_mark(char32_t point) {
  return point == 0x061C || point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

// Unicode's own line breaks: no control characters, but some programs begin a new line at them.
bool is_line_separator(char32_t point) { return point == 0x2028 || point == 0x2029; }

void append_hex(std::string& out, char32_t value, int at_least) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  int digits = at_least;
  while (digits < 8 && (value >> (4 * digits)) != 0) ++digits;
  for (int digit = digits - 1; digit >= 0; --digit) out.push_back(kDigits[(value >> (4 * digit)) & 0xF]);
}

void append_visibly(std::string& out, char32_t point) {
  if (point < 0x80) {
    out += "\\x";
    append_hex(out, point, 2);
  } else {
    out += "\\u{";
    append_hex(out, point, 1);
    out += '}';
  }
}

enum class Lines { kept, joined };

std::string terminal(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size() + 16);
  for_each_character(text, [&out, lines](char32_t point, std::string_view bytes) {
    if (point == '\n' || point == '\t') {
      out.push_back(lines == Lines::kept ? bytes[0] : ' ');
    } else if (is_control(point) || is_direction_mark(point) || is_line_separator(point)) {
      append_visibly(out, point);
    } else {
      out.append(bytes);
    }
  });
  return out;
}

}  // namespace

std::string for_terminal(std::string_view text) { return terminal(text, Lines::kept); }

std::string for_terminal_line(std::string_view text) { return terminal(text, Lines::joined); }

std::string for_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for_each_character(text, [&out](char32_t point, std::string_view bytes) {
    switch (point) {
      case '&':
        out += "&amp;";
        return;
      case '<':
        out += "&lt;";
        return;
      case '>':
        out += "&gt;";
        return;
      case '"':
        out += "&quot;";
        return;
      case '\'':
        out += "&#39;";
        return;
      case '\n':
      case '\t':
        out.append(bytes);
        return;
      default:
        if (!is_control(point)) out.append(bytes);
    }
  });
  return out;
}

std::string for_prompt(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  for_each_character(text, [&out](char32_t point, std::string_view bytes) {
    if (point == ' ' || is_control(point) || is_line_separator(point)) {
      if (out.empty() || out.back() != ' ') out.push_back(' ');
    } else if (point == '<') {
      out += "‹";
    } else if (point == '>') {
      out += "›";
    } else if (point == '`') {
      out += '\'';
    } else if (!is_direction_mark(point)) {  // dropped: an escape would only be noise to a model
      out.append(bytes);
    }
  });
  return out;
}

}  // namespace townpost
