#include <algorithm>

#include "base/sight.h"
#include "base/text.h"

namespace townpost {

namespace {

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

void append_for_json(std::string& out, char32_t point) {
  const auto unit = [&out](char32_t value) {
    out += "\\u";
    append_hex(out, value, 4);
  };
  if (point < 0x10000) return unit(point);
  unit(0xD800 + ((point - 0x10000) >> 10));
  unit(0xDC00 + ((point - 0x10000) & 0x3FF));
}

bool is_harmless(char32_t point, Sight sight) {
  if (point == '\n' || point == '\t') return true;
  return sight == Sight::seen && !is_control(point) && !is_line_separator(point);
}

/// Everything as it is, but what a terminal would obey or hide by `instead`.
template <class Instead>
std::string visibly(std::string_view text, Instead instead) {
  std::string out;
  out.reserve(text.size() + 16);
  for_each_sight(text, [&](char32_t point, std::string_view bytes, Sight sight) {
    if (is_harmless(point, sight))
      out.append(bytes);
    else
      instead(out, point);
  });
  return out;
}

/// Whether there is nothing to escape, as in most text.
bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c < 0x7F) || c == '\n' || c == '\t'; });
}

// What Unicode, a tokenizer or an eye takes for the character itself.
constexpr std::u32string_view kLikeLess = U"<\u02C2\u1438\u2329\u276E\u27E8\u3008\uFE64\uFF1C";
constexpr std::u32string_view kLikeGreater = U">\u02C3\u1433\u232A\u276F\u27E9\u3009\uFE65\uFF1E";
constexpr std::u32string_view kLikeDoubleQuote =
    U"\"\u02BA\u02DD\u02EE\u05F4\u201C\u201D\u201E\u201F\u2033\u2036\u275D\u275E\u3003\u301D\u301E\u301F\uFF02";
constexpr std::u32string_view kLikeSingleQuote =
    U"'`\u00B4\u02B9\u02BB\u02BC\u02BD\u02CB\u02CA\u05F3\u1FEF\u2018\u201A\u201B\u2032\u2035\u275B\u275C\uFF07\uFF40";
constexpr std::u32string_view kLikeBacktick = U"`\u02CB\u1FEF\u2035\uFF40";

bool is_among(std::u32string_view points, char32_t point) { return points.find(point) != points.npos; }

/// The angle bracket that opens and closes nothing, for one that would.
std::string_view broken_bracket(char32_t point) {
  return is_among(kLikeLess, point) ? "‹" : is_among(kLikeGreater, point) ? "›" : "";
}

}  // namespace

std::string for_terminal(std::string_view text) {
  return is_plain_ascii(text) ? std::string(text) : visibly(text, append_visibly);
}

std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

std::string for_terminal_line(std::string_view text) { return for_terminal(one_line(text)); }

std::string json_for_terminal(std::string_view json) {
  return is_plain_ascii(json) ? std::string(json) : visibly(json, append_for_json);
}

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
  for_each_sight(text, [&out](char32_t point, std::string_view bytes, Sight sight) {
    if (sight == Sight::hidden) return;  // an escape would only be noise to a model
    if (point == ' ' || is_control(point) || is_line_separator(point)) {
      if (out.empty() || out.back() != ' ') out.push_back(' ');
    } else if (const auto bracket = broken_bracket(point); !bracket.empty()) {
      out += bracket;
    } else if (is_among(kLikeDoubleQuote, point) || is_among(kLikeBacktick, point)) {
      out += '\'';
    } else {
      out.append(bytes);
    }
  });
  return out;
}

// Once more behind the cut: it may have left a joiner with nothing to join.
std::string for_prompt(std::string_view text, std::size_t most) { return for_prompt(shorten(for_prompt(text), most)); }

std::string for_prompt_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  for_each_sight(text, [&out](char32_t point, std::string_view bytes, Sight sight) {
    if (point == '\n') {
      out.push_back('\n');
    } else if (point == '\t') {
      out.push_back(' ');
    } else if (sight == Sight::hidden || is_control(point) || is_line_separator(point)) {
      // dropped: no terminal and no harness is to act on it
    } else if (const auto bracket = broken_bracket(point); !bracket.empty()) {
      out += bracket;
    } else {
      out.append(bytes);
    }
  });
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::string in_quotes(std::string_view text, std::size_t most) {
  std::string out = "\"";
  for_each_character(for_prompt(text, most), [&out](char32_t point, std::string_view bytes) {
    out += is_among(kLikeSingleQuote, point) ? "’" : bytes;
  });
  return out + "\"";
}

bool is_plain_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  return !text.empty() && text.front() != '-' && text.find_first_not_of(kPlain) == std::string_view::npos;
}

}  // namespace townpost
