#include "post/town/notify.h"

#include <optional>

#include "base/text.h"

namespace townpost {

namespace {

/// Split at spaces, but for those in quotes. Nothing, if a quote is not closed.
std::optional<std::vector<std::string>> words_of_command(std::string_view text) {
  std::vector<std::string> out;
  char quote = '\0';
  bool in_word = false;
  for (const char c : text) {
    const bool is_space = quote == '\0' && (c == ' ' || c == '\t');
    const bool is_quote = quote == '\0' ? c == '"' || c == '\'' : c == quote;
    if (!is_space && !in_word) out.emplace_back();
    in_word = !is_space;
    if (is_quote)
      quote = quote == '\0' ? c : '\0';
    else if (!is_space)
      out.back() += c;
  }
  return quote == '\0' ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

Result<> set_notify(std::string_view word, const TomlFile::Value& value, Notify& notify) {
  const auto* text = std::get_if<std::string>(&value);
  if (word == "command") {
    const auto words = text ? words_of_command(*text) : std::nullopt;
    if (!words)
      return fail(Code::usage, "command must be a text: a program and its arguments, with quotes that are closed");
    notify.command = *words;
  } else if (word == "bell") {
    const auto* yes = std::get_if<bool>(&value);
    if (!yes) return fail(Code::usage, "bell must be true or false");
    notify.bell = *yes;
  } else {
    TRY(length, parse_duration(TomlFile::words(value)));
    notify.spacing = length;
  }
  return {};
}

Notify notify_of(std::string_view toml) {
  Notify out;
  const auto file = TomlFile::parse(toml, TomlFile::Others::listed);
  if (!file) return out;
  for (const auto* word : {"command", "bell", "spacing"}) {
    const auto found = file->entries().find(cat("notify.", word));
    if (found != file->entries().end()) (void)set_notify(word, found->second.value, out);
  }
  return out;
}

}  // namespace townpost
