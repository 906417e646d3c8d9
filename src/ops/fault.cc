#include "ops/fault.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '/';
}

/// Whether `text` stands in `message` as a whole.
bool names(std::string_view message, std::string_view text) {
  for (auto at = message.find(text); at != std::string_view::npos; at = message.find(text, at + 1)) {
    const auto end = at + text.size();
    if ((at == 0 || !is_of_word(message[at - 1])) && (end == message.size() || !is_of_word(message[end]))) return true;
  }
  return false;
}

/// How surely a message is about a value: what it quotes counts most, then the longer one. 0 if it does not name it.
std::size_t sureness(std::string_view message, std::string_view value) {
  std::string shown = for_terminal_line(shorten(to_utf8(value), 80));
  // "queue:jobs" and "@ops" are told by their names.
  if (!names(message, shown)) shown.erase(0, shown.find_first_of(":@") + 1);
  if (shown.empty() || !names(message, shown)) return 0;
  const bool quoted = message.find(cat("\"", shown, "\"")) != std::string_view::npos;
  return shown.size() + (quoted ? 1'000 : 0);
}

/// "the subject has 300 bytes", "invalid ttl: …"
bool begins_with_name(std::string_view message, std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return message.starts_with(cat("the ", words, " ")) || message.starts_with(cat("invalid ", name, ":"));
}

std::vector<std::string> values_of(const Arg& arg, const Args& args) {
  if (arg.kind == ArgKind::flag || !args.has(arg.name)) return {};
  if (const auto number = arg.kind == ArgKind::integer ? args.integer(arg.name) : std::nullopt)
    return std::to_string(*number) == arg.standard ? std::vector<std::string>() : std::vector{std::to_string(*number)};
  return arg.many ? args.list(arg.name) : std::vector<std::string>{args.text(arg.name)};
}

const Arg* at_fault(const Op& op, const Args& args, std::string_view message) {
  for (const auto& arg : op.args)
    if (begins_with_name(message, arg.name)) return &arg;
  const Arg* best = nullptr;
  std::size_t most = 0;
  for (const auto& arg : op.args)
    for (const auto& value : values_of(arg, args))
      if (const auto sure = sureness(message, value); sure > most) {
        best = &arg;
        most = sure;
      }
  return best;
}

}  // namespace

void name_fault(const Op& op, const Args& args, Error& error) {
  // A service names what most of its callers call it: a reply has no `to`.
  const bool of_every_call = error.argument == "as" || error.argument == "town";
  if (!of_every_call && !find_argument(op, error.argument)) error.argument.clear();
  if (!error.argument.empty() || (error.code != Code::usage && error.code != Code::not_found)) return;
  if (const auto* arg = at_fault(op, args, error.message)) error.argument = arg->name;
}

}  // namespace townpost
