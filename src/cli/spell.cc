#include "cli/spell.h"

#include <algorithm>

#include "base/text.h"
#include "cli/parse.h"

namespace townpost {

namespace {

/// "mail.send" as it is typed.
std::string command(std::string_view op) {
  std::string out = cat("gt ", op);
  std::replace(out.begin(), out.end(), '.', ' ');
  return out;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:@%+=,").find(c) != std::string_view::npos;
}

std::string in_quotes_of_shell(const std::string& value) {
  std::string out = "'";
  for (const char c : value) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// As as_shell_word(), but our placeholders ("ADDR", "ID…") stay as they are, too.
std::string as_word(const std::string& value) {
  constexpr std::string_view kDots = "…";
  bool plain = !value.empty();
  for (std::size_t i = 0; i < value.size() && plain; ++i) {
    const char c = value[i];
    if (std::string_view(value).substr(i).starts_with(kDots))
      i += kDots.size() - 1;
    else
      plain = is_plain(c);
  }
  return plain ? value : in_quotes_of_shell(value);
}

/// An argument that every command takes has no row: `--as`, `--town`, `--json`.
std::string for_every_command(std::string_view name) {
  std::string out = cat("--", name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string option(const Arg* arg, const std::string& name, const std::string& value) {
  const std::string word = arg ? spelled(*arg) : for_every_command(name);
  const bool is_flag = arg ? arg->kind == ArgKind::flag : value == "true";
  if (is_flag || value.empty()) return word;
  // Else it would be taken for an option, or for what stands behind one.
  const bool by_equals = value.starts_with('-') || (arg && !arg->bare.empty());
  if (by_equals) return cat(arg ? long_option(*arg) : word, "=", as_word(value));
  return cat(word, " ", as_word(value));
}

/// "all and unread exclude …": the names that a message begins with, if there are several.
std::string respelled_names(const std::string& message, const Op& op) {
  std::string out;
  std::string_view rest = message;
  while (true) {
    const auto word = rest.substr(0, rest.find_first_of(" ,"));
    const auto* arg = find_argument(op, word);
    if (!arg || arg->positional) return out + std::string(rest);
    rest.remove_prefix(word.size());
    const std::string_view between = rest.starts_with(", ") ? ", " : rest.starts_with(" and ") ? " and " : "";
    if (between.empty() && out.empty()) return message;
    out += cat(long_option(*arg), between);
    rest.remove_prefix(between.size());
    if (between.empty()) return out + std::string(rest);
  }
}

/// What an error says first, if it is the name of an operation or of an argument, in the words of the command line.
std::string respelled(const std::string& message, const Error& error, const Op& op, const std::string& name) {
  const auto instead = [&](const std::string& from, const std::string& to) -> std::optional<std::string> {
    if (!message.starts_with(from)) return std::nullopt;
    return cat(to, message.substr(from.size()));
  };
  if (const auto out = instead(cat(op.name, " "), cat(command(op.name), " "))) return *out;
  if (error.argument.empty()) return message;
  if (const auto out = instead(cat("invalid ", error.argument, ": "), cat("invalid ", name, ": "))) return *out;
  if (const auto out = instead(cat(error.argument, " of ", op.name, " "), cat(name, " of ", command(op.name), " ")))
    return *out;
  return respelled_names(message, op);
}

/// "queue.retry id=hq-m-1" as a call, or "town=DIR" as what every call takes; nothing if it is none of the table.
std::optional<NextCall> call_in(std::string_view text) {
  const auto words = split(text, ' ');
  const Op* op = find_op(words.front());
  NextCall out{op ? std::string(words.front()) : "", {}, ""};
  for (std::size_t i = op ? 1 : 0; i < words.size(); ++i) {
    const auto name = words[i].substr(0, words[i].find('='));
    const bool alone = name.size() == words[i].size();
    const bool of_every_call = (name == "as" || name == "town") && (op || !alone);
    if (!of_every_call && !(op && find_argument(*op, name))) return std::nullopt;
    out.args.emplace_back(name, alone ? "" : words[i].substr(name.size() + 1));
  }
  return out;
}

bool is_plural(std::string_view word) { return word.ends_with("S") && !word.ends_with("SS"); }

/// A text that is missing: what was empty, too.
std::string how_to_give(const Arg& body) {
  const auto option = cat("-", body.letter);
  return cat("give it with ", option, ", --stdin or -F FILE", body.composed ? cat("; ", option, " '' sends none") : "");
}

}  // namespace

std::string as_shell_word(const std::string& value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), is_plain) ? value : in_quotes_of_shell(value);
}

std::string spelled(const Arg& arg) {
  if (arg.positional) return std::string(arg.value);
  return arg.letter ? cat("-", arg.letter) : long_option(arg);
}

std::string spelled(const NextCall& next, const Op* same) {
  const Op* op = next.op.empty() ? same : find_op(next.op);
  std::string places;  // what these are is told by their place
  std::string options;
  bool like_an_option = false;
  for (const auto& [name, value] : next.args) {
    const auto* arg = op ? find_argument(*op, name) : nullptr;
    if (arg && arg->positional) {
      places += cat(" ", as_word(value));
      like_an_option = like_an_option || value.starts_with('-');
    } else {
      options += cat(" ", option(arg, name, value));
    }
  }
  const std::string words = like_an_option ? cat(options, " --", places) : cat(places, options);
  if (!next.op.empty()) return cat(command(next.op), words);
  return words.empty() ? words : words.substr(1);
}

std::string spelled(const NextStep& step) {
  return step.call ? cat(step.words, spelled(*step.call, nullptr), step.call->after) : step.words;
}

std::string spelled(std::string_view words, const Op& op) {
  std::string out;
  while (true) {
    const auto begin = words.find('`');
    const auto end = begin == std::string_view::npos ? begin : words.find('`', begin + 1);
    if (end == std::string_view::npos) return out += words;
    const auto name = words.substr(begin + 1, end - begin - 1);
    const auto* arg = find_argument(op, name);
    out += words.substr(0, begin);
    if (arg)
      out += arg->positional ? std::string(arg->value) : long_option(*arg);
    else
      out += find_op(name) ? command(name) : std::string(name);
    words.remove_prefix(end + 1);
  }
}

std::string respelled(std::string_view said) {
  std::string out;
  while (true) {
    const auto begin = said.find('`');
    const auto end = begin == std::string_view::npos ? begin : said.find('`', begin + 1);
    if (end == std::string_view::npos) return out += said;
    const auto call = call_in(said.substr(begin + 1, end - begin - 1));
    out += said.substr(0, begin);
    if (call) {
      out += spelled(*call, nullptr);
      said.remove_prefix(end + 1);
    } else {
      out += said[begin];
      said.remove_prefix(begin + 1);
    }
  }
}

std::string who_may(const Op& op) {
  const auto who = op.authority.describe();
  return op.authority.who() == Who::person ? cat(who, " (at a terminal, or with --as overseer)") : who;
}

SpelledError spelled(const Error& error, const Op* op) {
  SpelledError out{error.message, error.hint};
  const auto* arg = op ? find_argument(*op, error.argument) : nullptr;
  const std::string name = !arg              ? for_every_command(error.argument)
                           : arg->positional ? std::string(arg->value)
                                             : long_option(*arg);
  if (op) out.message = respelled(error.message, error, *op, name);
  out.message = respelled(out.message);
  out.hint = respelled(out.hint);
  if (arg) {
    const bool missing = error.message == missing_text(*arg);
    if (missing && arg->positional && arg->missing.empty())
      out.message = cat("the ", arg->value, is_plural(arg->value) ? " are missing" : " is missing");
    if (missing && arg->kind == ArgKind::body) out.hint = how_to_give(*arg);
    if (out.hint.empty() && !error.next)
      out.hint =
          !missing || arg->positional ? "--help shows what it takes" : cat("add ", spelled(*arg), " ", arg->value);
  }
  if (error.next) out.hint += cat(spelled(*error.next, op), respelled(error.next->after));
  return out;
}

}  // namespace townpost
