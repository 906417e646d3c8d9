#include "cli/spell.h"

#include <algorithm>

#include "base/text.h"
#include "cli/parse.h"

namespace townpost {

namespace {

const Arg* argument(const Op* op, std::string_view name) {
  if (!op) return nullptr;
  const auto found = std::find_if(op->args.begin(), op->args.end(), [&](const Arg& arg) { return arg.name == name; });
  return found == op->args.end() ? nullptr : &*found;
}

/// A value as one word of a shell, unless it is one of our placeholders ("ADDR", "ID…").
std::string as_word(const std::string& value) {
  const bool plain = !value.empty() && value.find_first_of(" \t\n'\"\\$`;|&<>*?()[]{}!#~") == std::string::npos;
  if (plain) return value;
  std::string out = "'";
  for (const char c : value) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string spelled(const Arg& arg) {
  if (arg.positional) return std::string(arg.value);
  return arg.letter ? cat("-", arg.letter) : long_option(arg);
}

std::string spelled(const NextCall& next, const Op* same) {
  const Op* op = next.op.empty() ? same : find_op(next.op);
  std::string out;
  if (!next.op.empty()) {
    out = cat("gt ", next.op);
    std::replace(out.begin(), out.end(), '.', ' ');
  }
  auto add = [&](const std::string& word) { out += cat(out.empty() ? "" : " ", word); };
  for (const auto& [name, value] : next.args)  // positions first: what they are is told by their place
    if (const auto* arg = argument(op, name); arg && arg->positional) add(as_word(value));
  for (const auto& [name, value] : next.args) {
    const auto* arg = argument(op, name);
    if (arg && arg->positional) continue;
    const bool is_flag = arg && arg->kind == ArgKind::flag;
    add(arg ? spelled(*arg) : cat("--", name));
    if (!is_flag && !value.empty()) add(as_word(value));
  }
  return out;
}

SpelledError spelled(const Error& error, const Op* op) {
  SpelledError out{error.message, error.hint};
  const auto* arg = error.argument.empty() ? nullptr : argument(op, error.argument);
  if (arg) {
    if (const auto name = cat("invalid ", error.argument, ": "); out.message.starts_with(name))
      out.message =
          cat("invalid ", arg->positional ? arg->value : long_option(*arg), ": ", out.message.substr(name.size()));
    const bool missing = out.message == cat("the ", error.argument, " is missing");
    if (missing && arg->positional) out.message = cat("the ", arg->value, " is missing");
    if (out.hint.empty() && !error.next)
      out.hint =
          !missing || arg->positional ? "--help shows what it takes" : cat("add ", spelled(*arg), " ", arg->value);
  }
  if (error.next) out.hint += cat(spelled(*error.next, op), error.next->after);
  return out;
}

}  // namespace townpost
